/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a call stop other cores? Each is one of a group with so many controls: as long, close by,
 * at moments chosen by lot, in which nothing is called. If calls did nothing, any of a group would
 * be as likely as any other to have most beside it: most SMIs, or, of as many, the longest gap.
 */
#pragma once

#include "core/gaps/gap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVICE_CONTROLS_MAX 9 /* of a call */

/* A time on the calling core, ticks of its TSC. */
struct service_slot {
	uint64_t start, end;
	bool is_call; /* else it is a control */
};

/* Few calls have more controls each, so that ten are enough to know. */
unsigned service_controls(uint64_t calls);

/*
 * What of a core's gaps overlaps each of `count` slots, which are in time order and do not overlap.
 * Gaps are in the order of their ends; `offset` is that core's TSC minus the caller's.
 */
struct service_gaps {
	const struct gap *gap;
	size_t gaps;
	int64_t offset;
};

struct service_beside {
	const struct gap *longest; /* NULL: none */
	uint64_t smi;              /* of all */
};

void service_overlap(const struct service_gaps *of, const struct service_slot *slot, size_t count,
		     struct service_beside *beside);

/* By which slots are compared: an SMI, which hardly anything else brings, before any length. */
uint64_t service_weight(const struct service_beside *b);

/* Groups so far in which not all was equal, and those in which the call outweighs all. */
struct service_tally {
	uint32_t groups, first;
};

/* A group: the weight of what is beside the call, and beside each of its controls. */
void service_tally_add(struct service_tally *t, uint64_t call, const uint64_t *control,
		       unsigned controls);

/* At most so likely by chance: log10 in thousandths. */
int64_t service_chance(const struct service_tally *t, unsigned controls);

/*
 * Whether that is too unlikely for chance among so many tests. Two families of tests, of services
 * by all cores together and by each alone, have 0.5 % each: among all, a false one is less
 * likely than 1 %.
 */
bool service_is_significant(int64_t chance, uint64_t tests);
