/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of the parts of a device tree, for core/device_tree/device_tree.c. Sources: Linux's
 * bindings arm/cpus.yaml, arm/psci.yaml, pci/host-generic-pci.yaml and serial/.
 */
#pragma once

#include "fdt.h"

/* Read whether PSCI exists, and which instruction calls it. */
void device_tree_psci(struct acpi_reader *r, const struct fdt *f);

/*
 * Read the cores that run or can be started; device_tree_psci() must be called before. `boot` is
 * the running core.
 */
void device_tree_cores(struct acpi_reader *r, const struct fdt *f, uint32_t boot);

/* Read the data that MCFG would have: configuration spaces in memory. */
void device_tree_pci(struct acpi_reader *r, const struct fdt *f);

/*
 * Read the data that SPCR would have: nothing if no port is chosen. An unusable port is reported.
 */
void device_tree_serial(struct acpi_reader *r, const struct fdt *f);
