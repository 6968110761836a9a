/* SPDX-License-Identifier: BSD-2-Clause */
/* Posing as a BIOS. Registers: ACPI 6.5, 4.8.3.2.1; EHCI 1.0, 2.1.7; UHCI 1.1, 5.2.1. */
#include "pc.h"

#include "arch/arch.h"

#define SMI_CMD      0xb2
#define ACPI_DISABLE 3
#define PM1_CNT      0x604 /* q35's PMBASE under OVMF is 0x600 */
#define SCI_EN       1
#define FUNCTIONS    256 /* functions of bus 0 */
#define EHCI         0x0c0320
#define UHCI         0x0c0300
#define EHCI_LEGSUP  0x68 /* QEMU's EECP */
#define LEGSUP_HEAD  0x00000001
#define LEGSUP_BIOS  0x00010000
#define EHCI_CTLSTS  0x6c
#define EHCI_SMIS    0x00002011
#define UHCI_LEGSUP  0xc0
#define UHCI_TRAPS   0x201f

static bool config_write(const struct pci_address *at, uint32_t reg, uint32_t value)
{
	pci_write32(&pci_by_ports, at, reg, value);
	if (pci_read32(&pci_by_ports, at, reg) == value)
		return true;
	inject_log("device %x function %x register %x does not keep what is written", at->device,
		   at->function, reg);
	return false;
}

bool legacy_pose(void)
{
	bool ok = true;

	arch_out8(SMI_CMD, ACPI_DISABLE);
	if (arch_in16(PM1_CNT) & SCI_EN) {
		inject_log("ACPI mode cannot be switched off");
		return false;
	}
	for (uint32_t f = 0; f < FUNCTIONS && ok; f++) {
		const struct pci_address at = { 0, 0, (uint8_t)(f >> 3), f & 7 };
		uint32_t class = pci_read32(&pci_by_ports, &at, PCI_CLASS) >> 8;

		if (class == EHCI)
			ok = config_write(&at, EHCI_LEGSUP, LEGSUP_HEAD | LEGSUP_BIOS) &&
			     config_write(&at, EHCI_CTLSTS, EHCI_SMIS);
		else if (class == UHCI)
			ok = config_write(&at, UHCI_LEGSUP, UHCI_TRAPS);
	}
	return ok;
}
