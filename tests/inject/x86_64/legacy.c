/* SPDX-License-Identifier: BSD-2-Clause */
/* Posing as a BIOS. Registers: ACPI 6.5, 4.8.3.2.1; EHCI 1.0, 2.1.7; UHCI 1.1, 5.2.1. */
#include "legacy.h"
#include "tests/inject/log.h"
#include "mmio.h"

#include <efi.h>

#define SMI_CMD      0xb2
#define ACPI_DISABLE 3
#define PM1_CNT      0x604 /* q35's PMBASE under OVMF is 0x600 */
#define SCI_EN       1
#define PCI_ADDRESS  0xcf8
#define PCI_DATA     0xcfc
#define FUNCTIONS    256 /* of bus 0 */
#define CLASS        0x08
#define EHCI         0x0c0320
#define UHCI         0x0c0300
#define EHCI_LEGSUP  0x68 /* QEMU's EECP */
#define LEGSUP_HEAD  0x00000001
#define LEGSUP_BIOS  0x00010000
#define EHCI_CTLSTS  0x6c
#define EHCI_SMIS    0x00002011
#define UHCI_LEGSUP  0xc0
#define UHCI_TRAPS   0x201f

static void aim(uint32_t function, uint32_t reg)
{
	port_write32(PCI_ADDRESS, 0x80000000u | function << 8 | reg);
}

static uint32_t config_read(uint32_t function, uint32_t reg)
{
	aim(function, reg);
	return port_read32(PCI_DATA);
}

static bool config_write(uint32_t function, uint32_t reg, uint32_t value)
{
	aim(function, reg);
	port_write32(PCI_DATA, value);
	if (config_read(function, reg) == value)
		return true;
	inject_log("function %x register %x does not keep what is written", function, reg);
	return false;
}

bool legacy_pose(void)
{
	bool ok = true;

	port_write8(SMI_CMD, ACPI_DISABLE);
	if (port_read16(PM1_CNT) & SCI_EN) {
		inject_log("ACPI mode cannot be switched off");
		return false;
	}
	for (uint32_t f = 0; f < FUNCTIONS && ok; f++) {
		uint32_t class = config_read(f, CLASS) >> 8;

		if (class == EHCI)
			ok = config_write(f, EHCI_LEGSUP, LEGSUP_HEAD | LEGSUP_BIOS) &&
			     config_write(f, EHCI_CTLSTS, EHCI_SMIS);
		else if (class == UHCI)
			ok = config_write(f, UHCI_LEGSUP, UHCI_TRAPS);
	}
	return ok;
}
