/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IOMMUs that the firmware has left on, as with DMA protection before the boot: what a card of ours
 * reads and writes does not arrive then.
 */
#pragma once

#include "core/firmware/acpi.h"

struct iommu_states {
	unsigned on;    /* translate, or protect memory */
	unsigned off;   /* of those, switched off */
	unsigned stuck; /* and that stay on */
};

/*
 * Look at all of them, and with `switch_off` do what an operating system does that inherits one and
 * does not use it. One that cannot be mapped is passed over.
 */
struct iommu_states iommu_look(const struct acpi_info *acpi, uint64_t hz, bool switch_off);
