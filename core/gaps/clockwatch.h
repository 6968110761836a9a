/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TSC against other clocks, over the whole run. Gaps are seen only while the TSC runs. If it
 * stood still (a stopped virtual machine) or was set back (firmware that hides its time), another
 * clock went on meanwhile: that is a hidden pause.
 *
 * Clocks are read between windows. A fine clock (HPET, PM timer) is compared with the TSC from one
 * reading to the next. The RTC counts whole seconds: its readings are collected in blocks of a
 * minute, and a new reading is compared with all of the last two blocks, which gives a lower and an
 * upper bound of the pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CLOCKWATCH_MAX 4 /* clocks */

/* A clock other than the TSC. */
struct clockwatch_clock {
	const char *name;
	uint64_t hz;
	uint32_t bits; /* width of its counter, 1 to 64 */
};

/* A clock's value, read while the TSC went from `before` to `after`. */
struct clockwatch_reading {
	uint64_t before, after, value;
};

struct clockwatch_pause {
	uint64_t from, until; /* ticks: the readings before and after it */
	uint64_t least, most; /* ns: bounds of its length; `least` is not 0 */
	bool forward;         /* the TSC ran ahead of the clock, instead of behind */
	const char *clock;    /* name of the clock that saw it */
};

/* One clock's state. */
struct clockwatch {
	struct clockwatch_clock clock;
	uint64_t hz; /* TSC rate */
	bool started;
	struct clockwatch_reading last;
	/* Bounds of how far the clock was ahead of the TSC since `origin`, ns. */
	struct clockwatch_block {
		bool any;
		uint64_t begin; /* tick of the first reading */
		int64_t least, most;
	} block[2]; /* the previous and the current one */
	uint64_t origin_tsc, origin_value;
};

void clockwatch_begin(struct clockwatch *w, const struct clockwatch_clock *clock, uint64_t tsc_hz);

/*
 * Add a reading, which must be later than the last. Returns true if there was a pause since then.
 */
bool clockwatch_read(struct clockwatch *w, const struct clockwatch_reading *r,
		     struct clockwatch_pause *pause);

/* Another clock has shown a pause since the last reading: do not report it again. */
void clockwatch_reported(struct clockwatch *w, const struct clockwatch_pause *pause);
