/* SPDX-License-Identifier: BSD-2-Clause */
/* Where cores sit, by ACPI's PPTT. */
#pragma once

#include "core/firmware/acpi.h"

/* From now on arch_topology() uses these tables; complain: what is wrong with them. */
void topology_init(const struct acpi_info *acpi, void (*complain)(const char *text));
