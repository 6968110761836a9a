/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel I/O Controller Hub 9 datasheet: 13.1 (LPC configuration), 13.8 (power
 * management and its GEN_PMCON), 13.9 (TCO).
 */
#include "ich9.h"
#include "tests/inject/log.h"
#include "mmio.h"

#include <efi.h>
#include <stdbool.h>

#define PCI_ADDRESS   0xcf8
#define PCI_DATA      0xcfc
#define LPC_FUNCTION  0x8000f800u /* bus 0, device 31, function 0 */
#define LPC_ID        0x00
#define LPC_ID_ICH9   0x29188086u
#define LPC_PMBASE    0x40
#define PMBASE_MASK   0xff80u
#define LPC_PMCON_3   0xa4
#define SWSMI_RATE    0xc0u
#define SWSMI_SHIFT   6
#define PM_SMI_EN     0x30
#define SMI_EN_GLOBAL 0x0001u
#define SMI_EN_SWSMI  0x0040u
#define SMI_EN_TCO    0x2000u
#define TCO_RELOAD    0x60 /* from PMBASE */
#define TCO1_STATUS   0x64
#define TCO1_CONTROL  0x68
#define TCO_TIMER     0x72
#define TCO1_HALT     0x0800u
#define TCO_TICKS     2
#define TCO_PERIOD_NS UINT64_C(1200000000) /* 2 ticks of 0.6 s */

static uint32_t lpc_read(uint32_t reg)
{
	port_write32(PCI_ADDRESS, LPC_FUNCTION | reg);
	return port_read32(PCI_DATA);
}

static void lpc_write(uint32_t reg, uint32_t value)
{
	port_write32(PCI_ADDRESS, LPC_FUNCTION | reg);
	port_write32(PCI_DATA, value);
}

/* PMBASE; 0 where there is none. */
static uint16_t power_management(void)
{
	uint16_t pm = lpc_read(LPC_PMBASE) & PMBASE_MASK;

	if (lpc_read(LPC_ID) == LPC_ID_ICH9 && pm)
		return pm;
	inject_log("no ICH9 power management block");
	return 0;
}

static bool smi_enable(uint16_t pm, uint32_t source)
{
	uint32_t wanted = port_read32(pm + PM_SMI_EN) | SMI_EN_GLOBAL | source;

	port_write32(pm + PM_SMI_EN, wanted);
	if (port_read32(pm + PM_SMI_EN) == wanted)
		return true;
	inject_log("SMI_EN does not keep 0x%x", source);
	return false;
}

uint64_t tco_start(void)
{
	uint16_t pm = power_management();

	if (!pm)
		return 0;
	port_write16(pm + TCO_TIMER, TCO_TICKS);
	port_write16(pm + TCO1_STATUS, port_read16(pm + TCO1_STATUS));
	if (!smi_enable(pm, SMI_EN_TCO))
		return 0;
	port_write16(pm + TCO1_CONTROL, port_read16(pm + TCO1_CONTROL) & ~TCO1_HALT);
	port_write16(pm + TCO_RELOAD, 1);
	return TCO_PERIOD_NS;
}

uint64_t swsmi_start(uint32_t rate)
{
	static const uint64_t period_ns[PLAN_SWSMI_RATES] = { 1500000, 16000000, 32000000,
							      64000000 };
	uint16_t pm = power_management();
	uint32_t pmcon;

	if (!pm)
		return 0;
	pmcon = (lpc_read(LPC_PMCON_3) & ~SWSMI_RATE) | rate << SWSMI_SHIFT;
	lpc_write(LPC_PMCON_3, pmcon);
	if (lpc_read(LPC_PMCON_3) != pmcon) {
		inject_log("GEN_PMCON_3 does not keep 0x%x", pmcon);
		return 0;
	}
	return smi_enable(pm, SMI_EN_SWSMI) ? period_ns[rate] : 0;
}
