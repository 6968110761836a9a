/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a machine of this processor to its OS: ACPI alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DESCRIBED_BY "ACPI tables"

static const bool described_by_tree = false;

/* Where a TPM's FIFO is if the table TPM2 does not have it, on all PCs: TCG, PC Client Platform TPM
 * Profile 1.05, 6.2. */
static const uint64_t described_tpm_fifo = UINT64_C(0xfed40000);
