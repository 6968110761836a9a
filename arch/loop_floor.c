/* SPDX-License-Identifier: BSD-2-Clause */
#include "loop_floor.h"

#include "calibrate.h"

uint64_t loop_floor(struct cpu *cpu, uint64_t *scratch, uint64_t wanted)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < LOOP_FLOOR_TRIES && least >= wanted; i++) {
		calibrate_loop(cpu, scratch);
		if (cpu->interval_floor + cpu->quantum < least)
			least = cpu->interval_floor + cpu->quantum;
	}
	return least;
}
