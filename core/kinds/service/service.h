/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test whether a call of a service stops other cores. Each call belongs to a group with several
 * controls: slots of the same length, near the call, at random moments, in which nothing is called.
 * If calls had no effect, each slot of a group would be equally likely to have the most beside it
 * on other cores: the most SMIs or, if equal, the longest gap.
 */
#pragma once

#include "core/gaps/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVICE_CONTROLS_MAX 9 /* controls per call */

/* A time on the calling core, ticks of its TSC. */
struct service_slot {
	uint64_t start, end;
	bool is_call; /* else it is a control */
};

/* Controls per call. Few calls have more of them, so that ten calls are enough for a result. */
unsigned service_controls(uint64_t calls);

struct service_beside {
	const struct gap *longest; /* NULL: none */
	uint64_t smi;              /* sum of all gaps */
};

/* Compare the gaps in a core's ring with `count` slots in time order that do not overlap. */
void service_overlap(const struct cpu *cpu, const struct service_slot *slot, size_t count,
		     struct service_beside *beside);

/*
 * Weight by which slots are compared: an SMI, which is rarely raised by anything else, counts more
 * than any length.
 */
uint64_t service_weight(const struct service_beside *b);

/*
 * Number of groups whose slots are not all equal, and of those in which the call outweighs its
 * controls.
 */
struct service_tally {
	uint32_t groups, first;
};

/* Add a group: the weight beside the call, and beside each of its controls. */
void service_tally_add(struct service_tally *t, uint64_t call, const uint64_t *control,
		       unsigned controls);

/* Upper bound of the probability by chance: log10 in thousandths. */
int64_t service_chance(const struct service_tally *t, unsigned controls);

/*
 * True if `chance` is too small to be random among this many tests. There are two families of
 * tests, of services by all cores together and by each core alone, with 0.5 % each: the probability
 * of any false alarm is below 1 %.
 */
bool service_is_significant(int64_t chance, uint64_t tests);
