/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own SMM handlers, one per core, where the firmware left SMRAM open. */
#pragma once

#include "tests/inject/layout.h"

#include <efi.h>

/*
 * Reserve the SMM region and give each of `cores` cores (1..SMM_CORES) a handler
 * of its own that works from header->core[i]; apic_id must be set there.
 * Otherwise prints on the console what failed.
 */
EFI_STATUS smm_install(struct header *header, uint32_t cores);
