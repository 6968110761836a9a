/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of mode=stretch in the test's capture: two cores, one kernel, two phases, all by hand. */
#pragma once

#include "tests/unit/command.h"

#define STRETCH_RUN_UUID "6f9619ff-8b86-d011-b42d-00c04fc964ff"

/* Values that tests change. A tick is a nanosecond. */
struct stretch_run {
	const char *config, *verdict, *reason;
	uint64_t best;   /* core 0's; core 1 has 10 us less */
	uint64_t over;   /* ticks of the best above the minimum; 0: that is not known */
	uint64_t slow;   /* ppm above the best, of 980 quanta of 1000; 20 take twice the best */
	uint64_t p999;   /* core 1's in the phase `all`; all others have 300000 */
	uint64_t bound;  /* core 1's beside core 0, with a ratio of 1.2 */
	uint64_t quanta; /* 1000 are in the histogram */
	unsigned cores;
};

static const struct stretch_run a_stretch_run = {
	.config = "mode=stretch kernel=l2 max_stretch=1.500000",
	.verdict = "fail",
	.reason = "max_stretch: p99.9 of stretch 1.600000 on cpu 1 exceeds the limit of 1.500000",
	.best = 50000,
	.slow = 10240,
	.p999 = 600000,
	.bound = 1100000,
	.quanta = 1000,
	.cores = 2,
};

static inline void stretch_run_send(const struct stretch_run *run)
{
	static const char *const phases[] = { "alone", "all" };
	const uint64_t hist[][2] = { { run->slow, 980 }, { 983040, 20 } };
	const struct record_begin begin = { .version = "9.8",
					    .machine = { .vendor = "Acme",
							 .uuid = STRETCH_RUN_UUID },
					    .clock = { .hz = 1000000000 },
					    .config = run->config };
	const struct record_end end = { .verdict = run->verdict, .reasons = { run->reason } };

	record_send(&capture.link, RECORD_BEGIN, &begin);
	for (unsigned n = 0; n < 2 * run->cores; n++) {
		const uint32_t cpu = n % run->cores;
		const bool worst = n > run->cores && cpu == 1;
		const struct record_stretch r = {
			.stage = "bare",
			.kernel = "l2",
			.phase = phases[n / run->cores],
			.cpu = cpu,
			.quanta = run->quanta,
			.work = 8192,
			.best = run->best - 10000 * cpu,
			.min = { run->best - 10000 * cpu - run->over, run->over != 0 },
			.p50 = run->slow,
			.p90 = run->slow,
			.p99 = 1000000,
			.p999 = worst ? run->p999 : 300000,
			.max = 1000000,
			.mean = 30000,
			.gaps = { 1000000, true },
			.rest = { 1030000, true },
			.hist = { hist, 2 },
		};

		record_send(&capture.link, RECORD_STRETCH, &r);
	}
	for (uint32_t cpu = 0; cpu < run->cores; cpu++) {
		const struct record_interfere r = {
			.stage = "bare",
			.kernel = "l2",
			.victim = cpu,
			.aggressor = run->cores - 1 - cpu,
			.ratio = cpu ? 1200000 : 1010000,
			.bound = cpu ? run->bound : 1020000,
		};

		record_send(&capture.link, RECORD_INTERFERE, &r);
	}
	record_send(&capture.link, RECORD_END, &end);
}
