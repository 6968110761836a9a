/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a machine of this processor to its OS: EBBR asks for a device tree or ACPI tables,
 * BBR for the latter. */
#pragma once

#include <stdbool.h>

#define DESCRIBED_BY "ACPI tables or device tree"

static const bool described_by_tree = true;
