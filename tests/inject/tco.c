/* SPDX-License-Identifier: BSD-2-Clause */
/* TCO watchdog of the ICH9: Intel I/O Controller Hub 9 datasheet, 13.1 (PMBASE), 13.8, 13.9. */
#include "tco.h"
#include "mmio.h"

#include <efi.h>
#include <efilib.h>

#define PCI_ADDRESS   0xcf8
#define PCI_DATA      0xcfc
#define LPC_FUNCTION  0x8000f800u /* bus 0, device 31, function 0 */
#define LPC_ID        0x00
#define LPC_ID_ICH9   0x29188086u
#define LPC_PMBASE    0x40
#define PMBASE_MASK   0xff80u
#define PM_SMI_EN     0x30
#define SMI_EN_GLOBAL 0x0001u
#define SMI_EN_TCO    0x2000u
#define TCO_RELOAD    0x60 /* from PMBASE */
#define TCO1_STATUS   0x64
#define TCO1_CONTROL  0x68
#define TCO_TIMER     0x72
#define TCO1_HALT     0x0800u
#define TCO_TICKS     2

static uint32_t lpc_read(uint32_t reg)
{
	port_write32(PCI_ADDRESS, LPC_FUNCTION | reg);
	return port_read32(PCI_DATA);
}

bool tco_start(void)
{
	uint16_t pm = lpc_read(LPC_PMBASE) & PMBASE_MASK;

	if (lpc_read(LPC_ID) != LPC_ID_ICH9 || !pm) {
		Print(L"inject: no ICH9 power management block\n");
		return false;
	}
	port_write16(pm + TCO_TIMER, TCO_TICKS);
	port_write16(pm + TCO1_STATUS, port_read16(pm + TCO1_STATUS));
	port_write32(pm + PM_SMI_EN, port_read32(pm + PM_SMI_EN) | SMI_EN_GLOBAL | SMI_EN_TCO);
	port_write16(pm + TCO1_CONTROL, port_read16(pm + TCO1_CONTROL) & ~TCO1_HALT);
	port_write16(pm + TCO_RELOAD, 1);
	return true;
}
