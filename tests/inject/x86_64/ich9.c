/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel I/O Controller Hub 9 datasheet: 13.1 (LPC configuration), 13.8 (power
 * management and its GEN_PMCON), 13.9 (TCO).
 */
#include "pc.h"

#include "arch/arch.h"

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

static const struct pci_address lpc_at = { .device = 31 };

static uint32_t lpc_read(uint32_t reg)
{
	return pci_read32(&pci_by_ports, &lpc_at, reg);
}

/* PMBASE; 0 where there is none. */
static uint16_t power_management(void)
{
	uint16_t pm = lpc_read(LPC_PMBASE) & PMBASE_MASK;

	if (lpc_read(PCI_ID) == LPC_ID_ICH9 && pm)
		return pm;
	inject_log("no ICH9 power management block");
	return 0;
}

static bool smi_enable(uint16_t pm, uint32_t source)
{
	uint32_t wanted = arch_in32(pm + PM_SMI_EN) | SMI_EN_GLOBAL | source;

	arch_out32(pm + PM_SMI_EN, wanted);
	if (arch_in32(pm + PM_SMI_EN) == wanted)
		return true;
	inject_log("SMI_EN does not keep 0x%x", source);
	return false;
}

uint64_t tco_start(void)
{
	uint16_t pm = power_management();

	if (!pm)
		return 0;
	arch_out16(pm + TCO_TIMER, TCO_TICKS);
	arch_out16(pm + TCO1_STATUS, arch_in16(pm + TCO1_STATUS));
	if (!smi_enable(pm, SMI_EN_TCO))
		return 0;
	arch_out16(pm + TCO1_CONTROL, arch_in16(pm + TCO1_CONTROL) & ~TCO1_HALT);
	arch_out16(pm + TCO_RELOAD, 1);
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
	pci_write32(&pci_by_ports, &lpc_at, LPC_PMCON_3, pmcon);
	if (lpc_read(LPC_PMCON_3) != pmcon) {
		inject_log("GEN_PMCON_3 does not keep 0x%x", pmcon);
		return 0;
	}
	return smi_enable(pm, SMI_EN_SWSMI) ? period_ns[rate] : 0;
}
