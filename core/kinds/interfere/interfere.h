/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interference between cores: a victim's median while an aggressor works against its median alone,
 * each over turns that take place one after the other, so that drift hits both alike.
 */
#pragma once

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERFERE_TURNS  20
#define INTERFERE_GROUPS 16

/* The median of one slot, in each turn; ticks. */
struct interfere_turns {
	uint64_t median[INTERFERE_TURNS];
};

struct interfere_group {
	uint32_t first; /* position of its first core, which is the victim */
	struct interfere_turns alone;
	struct interfere_turns with[INTERFERE_GROUPS]; /* while another group works */
};

struct interfere {
	const char *kind; /* groups by: "core" "cache" "package"; NULL: cores, or neighbours */
	uint32_t groups;
	struct interfere_group group[INTERFERE_GROUPS];
};

/*
 * Judge one of `pairs` pairs: fill in `ratio`, the median with the aggressor over that alone, and
 * `bound`, the limit of chance: that it gives more in any of the pairs is less likely than 1 %.
 * Both are parts per million. Returns false if a turn has no median.
 */
bool interfere_judge(const struct interfere_turns *alone, const struct interfere_turns *with,
		     uint32_t pairs, struct record_interfere *found);

/* Sort `count` numbers in place; returns the median: of an even number, the lower one. */
uint64_t interfere_median(uint64_t *v, size_t count);
