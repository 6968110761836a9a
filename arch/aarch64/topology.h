/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of cores, by ACPI's PPTT. */
#pragma once

#include "core/firmware/acpi.h"

/* Let arch_topology() use these tables from now on. */
void topology_init(const struct acpi_info *acpi);
