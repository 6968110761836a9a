/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port of a device tree. Sources: Linux's bindings serial/. */
#pragma once

#include "fdt.h"

/* Fills in what SPCR would: nothing where none is chosen; what cannot be used is reported. */
void device_tree_serial(struct acpi_reader *r, const struct fdt *f);
