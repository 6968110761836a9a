/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trust in the clock: the TSC against other clocks, over the whole run. A gap is
 * only seen by a TSC that goes on. Where it stood still (a stopped virtual
 * machine), or was set back (firmware that hides its time), another clock went
 * on: a hidden pause.
 *
 * Clocks are read between windows. A fine clock (HPET, PM timer) is held against
 * the TSC from one reading to the next. The RTC counts whole seconds: its
 * older readings give a lower and an upper bound of the pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CLOCKWATCH_MAX 4 /* clocks */

/* A clock beside the TSC. */
struct clockwatch_clock {
	const char *name;
	uint64_t hz;
	uint32_t bits; /* width of its counter, 1 to 64 */
};

/* The clock's value, read while the TSC went from `before` to `after`. */
struct clockwatch_reading {
	uint64_t before, after, value;
};

struct clockwatch_pause {
	uint64_t from, until; /* ticks: readings between which it was */
	uint64_t least, most; /* ns: how long; `least` is not 0 */
	bool forward;         /* the TSC was ahead afterwards, not behind */
	const char *clock;    /* that saw it */
};

/* One clock's state. */
struct clockwatch {
	struct clockwatch_clock clock;
	uint64_t hz; /* of the TSC */
	bool started;
	struct clockwatch_reading last;
	/* Clocks of whole seconds: least and most by which they were ahead of the TSC, ns. */
	struct clockwatch_block {
		bool any;
		uint64_t begin; /* tick of the first reading */
		int64_t least, most;
	} block[2]; /* the previous and the current one */
	uint64_t origin_tsc, origin_value;
};

void clockwatch_begin(struct clockwatch *w, const struct clockwatch_clock *clock, uint64_t tsc_hz);

/* Take a reading, later than the last. True when there was a pause since. */
bool clockwatch_read(struct clockwatch *w, const struct clockwatch_reading *r,
		     struct clockwatch_pause *pause);

/* Another clock saw a pause since the last reading: it is not reported again. */
void clockwatch_reported(struct clockwatch *w, const struct clockwatch_pause *pause);
