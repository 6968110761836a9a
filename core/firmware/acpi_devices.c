/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables with the location of a device: HPET (IA-PC HPET 1.0a, section 3.2.4) and TPM2 (TCG, ACPI
 * Specification 1.3, 8).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define HPET_BASE 40

#define TPM2_ADDRESS 40
#define TPM2_START   48

void acpi_complain_registers(struct acpi_reader *r, const struct acpi_table *t,
			     const struct acpi_gas *gas)
{
	acpi_complain_of(r, "%s: registers in space %u at 0x%llx; not used", t->name, gas->space,
			 (unsigned long long)gas->address);
}

void acpi_parse_hpet(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_gas gas = acpi_gas_at(t, HPET_BASE);

	/* Its registers are 64 bits wide. */
	if (gas.space != ACPI_SPACE_MEMORY || !acpi_gas_usable(&gas) || gas.address % 8) {
		acpi_complain_registers(r, t, &gas);
		return;
	}
	r->info->hpet_address = gas.address;
}

void acpi_parse_tpm2(struct acpi_reader *r, const struct acpi_table *t)
{
	uint64_t address = bytes_le64(t->bytes + TPM2_ADDRESS);

	if (!acpi_is_physical(address)) {
		acpi_complain_of(r, "%s: registers at 0x%llx; not used", t->name,
				 (unsigned long long)address);
		return;
	}
	r->info->tpm_start = bytes_le32(t->bytes + TPM2_START);
	r->info->tpm_address = address;
}
