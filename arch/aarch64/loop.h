/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hot loop. Nothing else is in this file.
 *
 * One sample is five instructions: ISB, which keeps the reads of the counter in order, the read,
 * its distance from the sample before, compare with the threshold, branch. Two registers take
 * turns in holding the newest sample, so none is moved between samples. The end of the window is
 * looked at every eighth sample; it is a word in memory, shared by all cores and written by none
 * while they sample, unless a core ends the window for all.
 *
 * The difference is taken over all 64 bits and compared unsigned, so a counter that steps back
 * leaves the loop like a gap does.
 */
#pragma once

#include <stdint.h>

/* One instruction per line. */
/* clang-format off */

/* Read the clock into `new`, its distance from `old` into `step`. */
#define LOOP_READ(old, new)				\
	"	isb\n"					\
	"	mrs	%[" new "], cntvct_el0\n"	\
	"	sub	%[step], %[" new "], %[" old "]\n"

#define LOOP_SAMPLE(old, new, out)			\
	LOOP_READ(old, new)				\
	"	cmp	%[step], %[threshold]\n"	\
	"	b.hs	" out "f\n"

#define LOOP_TWO LOOP_SAMPLE("a", "b", "3") LOOP_SAMPLE("b", "a", "2")

/* All of the loop. */
#define LOOP						\
	"1:\n"						\
	LOOP_TWO LOOP_TWO LOOP_TWO LOOP_TWO		\
	"	ldr	%[step], [%[end]]\n"		\
	"	cmp	%[a], %[step]\n"		\
	"	b.lo	1b\n"				\
	"	mov	%[b], %[a]\n"			\
	"	b	3f\n"				\
	"2:	mov	%[step], %[a]\n" /* the newest sample is in a */ \
	"	mov	%[a], %[b]\n"			\
	"	mov	%[b], %[step]\n"		\
	"3:\n"

#define LOOP_INTERVAL(old, new)				\
	LOOP_READ(old, new)				\
	"	cmp	%[step], %[last]\n"		\
	"	str	%[step], [%[at]], #8\n"

#define LOOP_TWO_INTERVALS LOOP_INTERVAL("a", "b") LOOP_INTERVAL("b", "a")

/* clang-format on */

/*
 * Sample until two neighbours are `threshold` ticks or more apart, or until a sample reaches *end.
 * `before` is the sample to start from. Stores the last sample in *now, and returns the one before
 * it: their difference is the gap, or is below `threshold` if the window is over.
 */
static inline uint64_t loop_sample(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
				   uint64_t *now)
{
	uint64_t after, step;

	__asm__ volatile(LOOP
			 : [a] "+&r"(before), [b] "=&r"(after), [step] "=&r"(step)
			 : [threshold] "r"(threshold), [end] "r"(end)
			 : "cc", "memory");
	*now = after;
	return before;
}

/*
 * Sample as the loop does, with a store in place of the branch: fill interval[0..count) with the
 * distances of neighbouring samples. `count` is a multiple of 8, and not 0.
 */
static inline void loop_intervals(uint64_t *interval, uint64_t count)
{
	uint64_t *at = interval;
	uint64_t *last = interval + count;
	uint64_t before, scratch, step;

	__asm__ volatile(
		"	isb\n"
		"	mrs	%[a], cntvct_el0\n"
		"1:\n" LOOP_TWO_INTERVALS LOOP_TWO_INTERVALS LOOP_TWO_INTERVALS LOOP_TWO_INTERVALS
		"	cmp	%[at], %[last]\n"
		"	b.lo	1b\n"
		: [a] "=&r"(before), [b] "=&r"(scratch), [at] "+&r"(at), [step] "=&r"(step)
		: [last] "r"(last)
		: "cc", "memory");
}

#undef LOOP_TWO_INTERVALS
#undef LOOP_INTERVAL
#undef LOOP
#undef LOOP_TWO
#undef LOOP_SAMPLE
#undef LOOP_READ
