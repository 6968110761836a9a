/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hot loop. Nothing else is in this file.
 *
 * One sample is seven instructions: read the TSC into one register (three), take
 * the sample before it from a copy (two), compare with the threshold, branch.
 * Two registers take turns in holding the newest sample, so none is moved
 * between samples. The end of the window is looked at every eighth sample; it is
 * a word in memory, shared by all cores and written by none while they sample,
 * unless a core ends the window for all.
 *
 * The difference is taken over all 64 bits and compared unsigned, so a TSC that
 * steps back leaves the loop like a gap does.
 */
#pragma once

#include <stdint.h>

/* One instruction per line. */
/* clang-format off */

/* Read the clock into `new`, its distance from `old` into rax, and compare that with `limit`. */
#define LOOP_READ(old, new, limit)			\
	"	rdtsc\n"				\
	"	shlq	$32, %%rdx\n"			\
	"	leaq	(%%rax,%%rdx), %[" new "]\n"	\
	"	movq	%[" new "], %%rax\n"		\
	"	subq	%[" old "], %%rax\n"		\
	"	cmpq	%[" limit "], %%rax\n"

#define LOOP_SAMPLE(old, new, out)			\
	LOOP_READ(old, new, "threshold")		\
	"	jae	" out "f\n"

#define LOOP_TWO LOOP_SAMPLE("a", "b", "3") LOOP_SAMPLE("b", "a", "2")

/* All of the loop. */
#define LOOP						\
	"1:\n"						\
	LOOP_TWO LOOP_TWO LOOP_TWO LOOP_TWO		\
	"	cmpq	(%[end]), %[a]\n"		\
	"	jb	1b\n"				\
	"	movq	%[a], %[b]\n"			\
	"	jmp	3f\n"				\
	"2:	xchgq	%[a], %[b]\n" /* the newest sample is in a */ \
	"3:\n"

#define LOOP_INTERVAL(old, new, slot)			\
	LOOP_READ(old, new, "last")			\
	"	movq	%%rax, " slot "*8(%[at])\n"

#define LOOP_EIGHT_INTERVALS						\
	LOOP_INTERVAL("a", "b", "0") LOOP_INTERVAL("b", "a", "1")	\
	LOOP_INTERVAL("a", "b", "2") LOOP_INTERVAL("b", "a", "3")	\
	LOOP_INTERVAL("a", "b", "4") LOOP_INTERVAL("b", "a", "5")	\
	LOOP_INTERVAL("a", "b", "6") LOOP_INTERVAL("b", "a", "7")

/* clang-format on */

/*
 * Sample until two neighbours are `threshold` ticks or more apart, or until a sample reaches *end.
 * `before` is the sample to start from. Store the last sample in *now, and return the one before
 * it: their difference is the gap, or is below `threshold` if the window is over.
 */
static inline uint64_t loop_sample(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
				   uint64_t *now)
{
	uint64_t after;

	__asm__ volatile(LOOP
			 : [a] "+&r"(before), [b] "=&r"(after)
			 : [threshold] "r"(threshold), [end] "r"(end)
			 : "rax", "rdx", "cc", "memory");
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
	uint64_t before, scratch;

	__asm__ volatile("	rdtsc\n"
			 "	shlq	$32, %%rdx\n"
			 "	leaq	(%%rax,%%rdx), %[a]\n"
			 "1:\n" LOOP_EIGHT_INTERVALS "	addq	$64, %[at]\n"
			 "	cmpq	%[last], %[at]\n"
			 "	jb	1b\n"
			 : [a] "=&r"(before), [b] "=&r"(scratch), [at] "+&r"(at)
			 : [last] "r"(last)
			 : "rax", "rdx", "cc", "memory");
}

#undef LOOP_EIGHT_INTERVALS
#undef LOOP_INTERVAL
#undef LOOP
#undef LOOP_TWO
#undef LOOP_SAMPLE
#undef LOOP_READ
