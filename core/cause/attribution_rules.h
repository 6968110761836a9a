/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of attribution for one kind of processor: how a gap is measured, the decision table,
 * and the proof that each cause needs.
 */
#pragma once

#include "attribution.h"

#include "core/lib/arith.h"

#include <stdbool.h>
#include <stdint.h>

/* The parts of a gap that counters account for: the first step of attribution. */
struct evidence_shares {
	uint64_t stopped, frozen, stolen; /* ticks of the gap */
	uint64_t forced;                  /* part of `stopped` in which MPERF ran: forced idle */
	bool clock_known, frozen_known;
	bool blurred;     /* MPERF was read too unsteadily for a gap of this length */
	bool excess;      /* counters and clock contradict each other */
	bool written;     /* the clock was written */
	bool idle;        /* nothing was retired */
	bool busy;        /* code ran that is not the loop's */
	uint64_t retired; /* instructions in the gap, estimated */
	uint64_t below;   /* ticks at exception level 2 */
	uint32_t facts;   /* further facts, enum attribution_fact */
};

/* A part of at most an eighth is noise; a part of four fifths or more explains the gap. */
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

/* whole - part; 0 if that is not more than the slack. */
static inline uint64_t evidence_lack(uint64_t whole, uint64_t part, uint64_t slack)
{
	return whole > part && whole - part > slack ? whole - part : 0;
}

#define FACT(n) (1u << (EVIDENCE_COUNTED + (n)))

/* Facts. The table's conditions are made of these. */
enum attribution_fact {
#define COUNTED(id, ...) id = 1u << EVIDENCE_##id, /* counted in the gap */
#include "counted_rows.h"
	NO_SMI = FACT(0), /* the SMI counter is believed, and stands still */
	ERROR = FACT(1),  /* an error was counted */
	GUEST = FACT(2),  /* a hypervisor is underneath */
	STEAL_CLOCK = FACT(3),
	STOLEN_MOST = FACT(4),
	STOLEN_PART = FACT(5),
	FROZEN_KNOWN = FACT(6), /* the time is known that SMM-frozen counters stood still */
	FROZEN_MOST = FACT(7),
	FROZEN_SOME = FACT(8),
	FROZEN_NONE = FACT(9),
	CLOCK_KNOWN = FACT(10), /* the time is known that the core's clock stood still */
	STOPPED_MOST = FACT(11),
	STOPPED_PART = FACT(12),
	IDLE = FACT(13),    /* nothing was retired */
	BUSY = FACT(14),    /* code ran that is not the loop's */
	WRITTEN = FACT(15), /* the clock was written */
	EXCESS = FACT(16),  /* counters and clock contradict each other */
	BLURRED = FACT(17), /* read too unsteadily */
	/* Facts about exception levels. Level 3 uses SMM's facts above. */
	LEVEL2_MOST = FACT(18),
	LEVEL2_PART = FACT(19),
	DARK_MOST = FACT(20), /* no cycles were counted, for an unknown reason */
	DARK_PART = FACT(21),
	OUTSIDE = FACT(22), /* more time is missing since the last reading than the gap took */
	NEVER = FACT(23),   /* never holds: for causes that the processor cannot have */
	STALLED = FACT(24), /* a counter of stalls: nothing was issued in most of the gap */
	NOT_STALLED = FACT(25),
};

_Static_assert(EVIDENCE_COUNTED + 26 <= 32, "a bit for each fact");

/* Facts that must hold, and facts of which none may hold. */
struct attribution_proof {
	uint32_t all, none;
};

struct attribution_row {
	uint32_t all, none; /* conditions, enum attribution_fact */
	uint8_t cause;      /* gets the rest of the gap, without the measured parts */
	uint16_t wants;     /* kinds of evidence that might have helped */
	const char *text;
};

struct attribution_rules {
	struct evidence_shares (*measure)(const struct evidence *e);
	/* The first row whose conditions and proof hold decides; the last row has no conditions. */
	const struct attribution_row *row;
	const struct attribution_proof *proof; /* for each cause */
	enum cause error; /* cause of a gap in which only an ERROR was counted */
	struct {
		enum cause cause;
		const char *text;
	} part[ATTRIBUTION_PARTS];
};
