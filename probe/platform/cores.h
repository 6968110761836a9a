/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores of the run, on any platform. */
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct cores {
	struct arch_memory memory;
	uint64_t memory_bytes; /* bytes allocated, without gap rings */
	uint64_t ring_bytes;
	uint32_t ring_gaps; /* per core */
};

/*
 * Number the cores, allocate all that is needed until the end of the run, and fill the platform,
 * except start and finish, which depend on who owns the machine, and the functions that others
 * provide between windows and stages. False, with a complaint, if memory runs out.
 */
bool cores_prepare(struct cores *c);
