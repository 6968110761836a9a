/* SPDX-License-Identifier: BSD-2-Clause */
/* What the families of chipsets share. */
#pragma once

#include "chipset.h"

/* A family's way in: false, and nothing written to *c, when it is none of this family. */
typedef bool chipset_probe(struct chipset *c, const struct pci *pci, const struct acpi_info *acpi);

chipset_probe chipset_intel;
chipset_probe chipset_amd;

#define CHIPSET_TCO_TICK_NS UINT64_C(600000000)

/* Append a name to a list of CHIPSET_NAMES_MAX bytes; one that does not fit ends it with "...". */
void chipset_add_name(char *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a timer, named "<what> <period>", to the state; one past RECORD_TIMERS is left out. */
void chipset_add_timer(struct chipset_state *state, const char *what, uint64_t period_ns);
