/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores and PSCI in a device tree. Sources: Linux's bindings arm/cpus.yaml and arm/psci.yaml. */
#pragma once

#include "fdt.h"

/* Whether PSCI is there, and the instruction that calls it. */
void device_tree_psci(struct acpi_reader *r, const struct fdt *f);

/* All cores that run or can be started; PSCI comes before. `boot`: the one that runs this. */
void device_tree_cores(struct acpi_reader *r, const struct fdt *f, uint32_t boot);
