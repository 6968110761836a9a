/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads devices that firmware may emulate: an access that is trapped, to SMM or to a hypervisor,
 * takes much longer than the device. No read has a side effect.
 */
#include "arch/arch.h"

#define RTC_INDEX     0x70
#define RTC_DATA      0x71
#define RTC_VALID     0x0d /* MC146818A, register D; bit 7 of the index would mask NMI */
#define PS2_STATUS    0x64
#define PCI_INDEX     0xcf8
#define PCI_DATA      0xcfc
#define PCI_ENABLED   0x80000000u /* ids of bus 0, device 0, function 0 */
#define PCI_BUS_BYTES 0x100000u
#define HPET_COUNTER  0xf0
#define POST_PORT     0x80

static uint64_t address; /* register or port of the open service */
static bool is_memory;

/* `bytes`: of a register in memory; 0: it is a port. */
static const char *open_at(uint64_t at, uint64_t bytes)
{
	address = at;
	is_memory = bytes;
	if (!at)
		return "no table has it";
	return !bytes || arch_map_device(at, bytes) ? NULL : "it cannot be mapped";
}

/* The ECAM of bus 0 of segment 0, where a host bridge is; 0: there is none. */
static uint64_t ecam_of(const struct acpi_info *acpi)
{
	const struct acpi_ecam *e = acpi->ecam;
	uint32_t n = 0;

	while (n < acpi->ecam_count && (e[n].segment || e[n].first_bus))
		n++;
	return n < acpi->ecam_count ? e[n].base : 0;
}

const char *arch_service_open(enum config_service service, const struct acpi_info *acpi)
{
	switch (service) {
	case SERVICE_RTC:
		return acpi->no_rtc ? "the FADT denies it" : NULL;
	case SERVICE_KEYBOARD:
		return acpi->has_8042 ? NULL : "the FADT denies it";
	case SERVICE_PM_TIMER:
		return open_at(acpi->pm_timer.address,
			       acpi->pm_timer.space == ACPI_SPACE_MEMORY ? sizeof(uint32_t) : 0);
	case SERVICE_HPET:
		return open_at(acpi->hpet_address ? acpi->hpet_address + HPET_COUNTER : 0,
			       sizeof(uint32_t));
	case SERVICE_PCI_ECAM:
		return open_at(ecam_of(acpi), PCI_BUS_BYTES);
	case SERVICE_PCI_CF8:
	case SERVICE_PORT_80:
		return NULL;
	case SERVICE_SMI:
		address = acpi->smi_cmd;
		return address ? NULL : "the FADT names no port for it";
	default:
		return "it is not called on this processor";
	}
}

uint64_t arch_service_call(enum config_service service, uint8_t value)
{
	switch (service) {
	case SERVICE_RTC:
		arch_out8(RTC_INDEX, RTC_VALID);
		arch_in8(RTC_DATA);
		break;
	case SERVICE_KEYBOARD:
		arch_in8(PS2_STATUS);
		break;
	case SERVICE_HPET:
	case SERVICE_PM_TIMER:
	case SERVICE_PCI_ECAM:
		if (is_memory)
			arch_mmio_read32(address);
		else
			arch_in32((uint16_t)address);
		break;
	case SERVICE_PCI_CF8:
		arch_out32(PCI_INDEX, PCI_ENABLED);
		arch_in32(PCI_DATA);
		break;
	case SERVICE_PORT_80:
		arch_in8(POST_PORT);
		break;
	case SERVICE_SMI:
		arch_out8((uint16_t)address, value);
		break;
	default:
		break;
	}
	return 0;
}
