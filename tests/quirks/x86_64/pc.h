/* SPDX-License-Identifier: BSD-2-Clause */
/* Quirks of PCs. */
#pragma once

#include "tests/quirks/quirks.h"

extern const struct quirk quirks_of_apic[], quirks_of_devices[], quirks_of_tables[];
extern const struct quirk quirks_of_iommu[], quirks_of_variables[];
