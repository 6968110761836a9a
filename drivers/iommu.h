/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IOMMUs that the firmware has left on, for example for DMA protection before the boot: DMA of our
 * cards does not reach memory then.
 */
#pragma once

#include "core/firmware/acpi.h"

struct iommu_states {
	unsigned on;    /* translate, or protect memory */
	unsigned off;   /* IOMMUs switched off, counted in `on`, too */
	unsigned stuck; /* IOMMUs that stay on */
};

/*
 * Check all IOMMUs. With `switch_off`, do what an operating system does that inherits one and does
 * not use it. One that cannot be mapped is ignored.
 */
struct iommu_states iommu_look(const struct acpi_info *acpi, uint64_t hz, bool switch_off);
