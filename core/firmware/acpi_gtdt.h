/* SPDX-License-Identifier: BSD-2-Clause */
/* Errata of the system counter, by who made the table of timers. */
#pragma once

#include "acpi.h"

/* Sets info->counter_errata where a sound GTDT is of a machine that is known to have one. */
void acpi_gtdt_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp);
