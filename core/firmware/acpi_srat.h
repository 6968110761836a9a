/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proximity of cores and memory: the SRAT's proximity domains, as nodes. Source: ACPI 6.5, 5.2.16.
 */
#pragma once

#include "acpi.h"

#define ACPI_NODES_MAX  64
#define ACPI_NO_NODE    ACPI_NODES_MAX
#define ACPI_RANGES_MAX 128

/* Memory in [from, end), of a node. */
struct acpi_range {
	uint64_t from, end;
	uint32_t node;
};

struct acpi_srat {
	struct acpi_table table;
	/*
	 * Number of nodes. Domains may have any number; nodes count from 0 in the order in which
	 * domains first occur: in entries of cores, then in those of memory.
	 */
	uint32_t nodes;
	uint32_t domain[ACPI_NODES_MAX];
	uint32_t ranges;
	struct acpi_range range[ACPI_RANGES_MAX]; /* not empty, apart, below 2^52 */
};

/*
 * Read the SRAT that acpi_read() has stored in *info. Entries that make no sense, memory that
 * overlaps an earlier entry's, and all beyond the numbers above are skipped. False: there is no
 * SRAT, and *s is all zero.
 */
bool acpi_srat_read(struct acpi_srat *s, const struct acpi_info *info);

/*
 * The node of a core; ACPI_NO_NODE: the table has none. If two entries claim one core, the first
 * counts.
 */
uint32_t acpi_srat_core(const struct acpi_srat *s, const struct acpi_cpu *cpu);
