/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a machine of this processor to its OS: EBBR asks for a device tree or ACPI tables,
 * BBR for the latter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DESCRIBED_BY "ACPI tables or device tree"

static const bool described_by_tree = true;

/* Each platform has a TPM's FIFO at a place of its own: its device names it. */
static const uint64_t described_tpm_fifo = UINT64_C(0);
