/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI in a device tree. Source: Linux's binding pci/host-generic-pci.yaml. */
#pragma once

#include "fdt.h"

/* Fills in what MCFG would: configuration spaces in memory. */
void device_tree_pci(struct acpi_reader *r, const struct fdt *f);
