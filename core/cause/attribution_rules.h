/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of attribution for one kind of processor: how a gap is measured, the decision table,
 * and what must never be concluded without proof.
 */
#pragma once

#include "attribution.h"

#include "core/lib/arith.h"

#include <stdbool.h>
#include <stdint.h>

/* How much of a gap the counters account for: the first step of attribution. */
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
	uint32_t facts;   /* further ones, enum attribution_fact */
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

/* Plain facts, which the table's conditions are made of. */
enum attribution_fact {
	SMI = 1 << 0,    /* counted in the gap */
	NO_SMI = 1 << 1, /* the counter is believed, and stands still */
	NMI = 1 << 2,
	MCE = 1 << 3,    /* exception */
	LOGGED = 1 << 4, /* a machine-check bank holds a new error */
	GUEST = 1 << 5,  /* a hypervisor is underneath */
	STEAL_CLOCK = 1 << 6,
	STOLEN_MOST = 1 << 7,
	STOLEN_PART = 1 << 8,
	FROZEN_KNOWN = 1 << 9, /* how long counters that SMM freezes stood still */
	FROZEN_MOST = 1 << 10,
	FROZEN_SOME = 1 << 11,
	FROZEN_NONE = 1 << 12,
	CLOCK_KNOWN = 1 << 13, /* how long the core's clock stood still */
	STOPPED_MOST = 1 << 14,
	STOPPED_PART = 1 << 15,
	IDLE = 1 << 16, /* nothing was retired */
	BUSY = 1 << 17, /* code ran that is not the loop's */
	THROTTLED = 1 << 18,
	WRITTEN = 1 << 19, /* the clock was written */
	EXCESS = 1 << 20,  /* counters and clock contradict each other */
	BLURRED = 1 << 21, /* read too unsteadily */
	ERROR = 1 << 22,   /* MCE or LOGGED */
	/* Of exception levels; SMM's are level 3's there. */
	LEVEL2_MOST = 1 << 23,
	LEVEL2_PART = 1 << 24,
	DARK_MOST = 1 << 25, /* no cycles were counted, and who took them is not known */
	DARK_PART = 1 << 26,
	OUTSIDE = 1 << 27, /* more is missing since the reading before than the gap took */
	NEVER = 1 << 28,   /* of causes that there are not */
	STALLED = 1 << 29, /* nothing was issued in most of the gap, by its own counter */
	NOT_STALLED = 1 << 30,
};

/* What must hold, and must not. */
struct attribution_proof {
	uint32_t all, none;
};

struct attribution_row {
	uint32_t all, none; /* conditions, enum attribution_fact */
	uint8_t cause;      /* takes what the measured parts leave of the gap */
	uint16_t wants;     /* what might have given evidence */
	const char *text;
};

struct attribution_rules {
	struct evidence_shares (*measure)(const struct evidence *e);
	/* The first row whose conditions and whose cause's proof hold; the last has none. */
	const struct attribution_row *row;
	const struct attribution_proof *proof; /* of each cause */
	enum cause error; /* of a gap in which nothing but an EVIDENCE_MCE was counted */
	struct {
		enum cause cause;
		const char *text;
	} part[ATTRIBUTION_PARTS];
};
