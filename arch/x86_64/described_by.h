/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a machine of this processor to its OS: ACPI alone. */
#pragma once

#include <stdbool.h>

#define DESCRIBED_BY "ACPI tables"

static const bool described_by_tree = false;
