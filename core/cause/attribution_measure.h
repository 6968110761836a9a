/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a gap the counters account for: the first step of attribution.
 *
 * The partition of a gap (Intel SDM vol. 3, IA32_MPERF, the fixed-function
 * counters, and FREEZE_WHILE_SMM in IA32_DEBUGCTL):
 *   clock - MPERF      the core was halted or its clock stopped
 *   MPERF - reference  the core was in SMM, which freezes the one, not the other
 *   APERF's lack       the core was forced idle, in which MPERF goes on (SDM vol. 3, "MPERF and
 *                      APERF Counters Under HDC")
 */
#pragma once

#include "attribution.h"

#include "core/lib/arith.h"

#include <stdbool.h>
#include <stdint.h>

struct evidence_shares {
	uint64_t stopped, frozen, stolen; /* ticks of the gap */
	uint64_t forced;                  /* of those stopped, idle that was forced: MPERF ran */
	bool clock_known, frozen_known;
	bool blurred;     /* MPERF was read too unsteadily for a gap of this length */
	bool excess;      /* counters and clock contradict each other */
	bool written;     /* the clock was written */
	bool idle;        /* nothing was retired */
	bool busy;        /* code ran that is not the loop's */
	uint64_t retired; /* instructions in the gap, estimated */
	uint64_t below;   /* ticks at exception level 2 */
	uint32_t facts;   /* further ones, enum attribution_fact of attribution_rules.h */
};

/* A part this small is noise, one of four fifths and more explains the gap. */
static inline bool evidence_is_little(uint64_t part, uint64_t gap)
{
	return part <= gap / 8;
}

static inline bool evidence_is_most(uint64_t part, uint64_t gap)
{
	return part >= gap - gap / 5;
}

static inline bool evidence_has(const struct evidence *e, enum evidence_kind kind)
{
	return e->have >> kind & 1;
}

static inline bool evidence_has_counted(const struct evidence *e, enum evidence_kind kind)
{
	return evidence_has(e, kind) && e->step[kind] != 0;
}

/* What `part` lacks of `whole`; less than the slack is nothing. */
static inline uint64_t evidence_lack(uint64_t whole, uint64_t part, uint64_t slack)
{
	return whole > part && whole - part > slack ? whole - part : 0;
}

struct evidence_shares attribution_measure(const struct evidence *e);
