/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a TPM's registers are, on platforms that have no one place for them all. */
#pragma once

#include "acpi.h"

/*
 * Where the TPM2 that *info was read from has a FIFO and no address for it: info->tpm_address from
 * the TPM's device in the DSDT or an SSDT, of which only sound ones are used. It stays 0 where
 * there is none.
 */
void acpi_tpm_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp);
