/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches by CPUID. Source: Intel SDM vol. 2, CPUID leaf 04H; AMD APM vol. 3, CPUID Fn8000_001D. */
#pragma once

#include "arch/work.h"
#include "regs.h"

#include <stdint.h>

void caches_read(struct caches *c, struct cpuid (*read)(uint32_t leaf, uint32_t subleaf));
