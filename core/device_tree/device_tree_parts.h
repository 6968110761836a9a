/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a device tree that core/device_tree/device_tree.c asks for. Sources: Linux's
 * bindings arm/cpus.yaml, arm/psci.yaml, pci/host-generic-pci.yaml and serial/.
 */
#pragma once

#include "fdt.h"

/* Whether PSCI is there, and the instruction that calls it. */
void device_tree_psci(struct acpi_reader *r, const struct fdt *f);

/* All cores that run or can be started; PSCI comes before. `boot`: the one that runs this. */
void device_tree_cores(struct acpi_reader *r, const struct fdt *f, uint32_t boot);

/* Fills in what MCFG would: configuration spaces in memory. */
void device_tree_pci(struct acpi_reader *r, const struct fdt *f);

/* Fills in what SPCR would: nothing where none is chosen; what cannot be used is reported. */
void device_tree_serial(struct acpi_reader *r, const struct fdt *f);
