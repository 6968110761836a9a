/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost of the loop's samples and of the slow path's pieces on this core. */
#include "probe.h"

#include "clock_now.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/sort.h"
#include "evidence.h"
#include "loop.h"
#include "sampling.h"

#define CALIBRATIONS    33
#define INTERVAL_ROUNDS 16
#define PASS_TICKS      2000 /* some excursions long */
#define GAP_SAMPLES     8

void calibrate_loop(struct cpu *cpu, uint64_t *scratch)
{
	struct hist *h = &cpu->hist;
	uint64_t step = 0;

	memset(h, 0, sizeof(*h));
	cpu->interval_floor = UINT64_MAX;
	for (unsigned round = 0; round < INTERVAL_ROUNDS; round++) {
		loop_intervals(scratch, CALIBRATE_INTERVALS);
		for (unsigned i = 0; i < CALIBRATE_INTERVALS; i++) {
			h->count[hist_bucket(scratch[i])]++;
			if (!step || scratch[i] % step)
				step = arith_divisor(step, scratch[i]);
		}
		sort_u64(scratch, CALIBRATE_INTERVALS);

		uint64_t p999 = scratch[CALIBRATE_INTERVALS - 1 - CALIBRATE_INTERVALS / 1000];

		if (p999 < cpu->interval_floor)
			cpu->interval_floor = p999;
	}
	cpu->interval_p50 = hist_quantile(h, 5000);
	cpu->interval_p999 = hist_quantile(h, 9990);
	cpu->quantum = (uint32_t)step;
	memset(h, 0, sizeof(*h));
}

uint64_t calibrate_floor(struct cpu *cpu, uint64_t *scratch, uint64_t wanted)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < CALIBRATE_TRIES && least >= wanted; i++) {
		calibrate_loop(cpu, scratch);
		if (cpu->interval_floor + cpu->quantum < least)
			least = cpu->interval_floor + cpu->quantum;
	}
	return least;
}

/*
 * Counters that measure are not read in a span: a caller that reads them before and after has all
 * steps.
 */
bool calibrate_span(struct cpu *cpu, uint64_t ticks, bool through)
{
	uint64_t gap = through ? INT64_MAX : GAP_SAMPLES * (cpu->interval_floor + cpu->quantum);
	struct platform_window plan = { .threshold = gap, .stop = 1, .stop_total = UINT64_MAX };
	struct sampling_excursion x = { 0 };
	struct gap_ring ring = cpu->ring;
	void (*read_counters)(struct cpu *) = cpu->read_counters;

	memset(cpu->cost, 0, sizeof(cpu->cost));
	cpu->ring.capacity = 0;
	cpu->read_counters = NULL;
	sampling_init(&x, cpu, gap);
	plan.start = clock_now();
	plan.end = plan.start + ticks;
	sampling(cpu, &plan, &plan.end, &x);
	cpu->ring = ring;
	cpu->read_counters = read_counters;
	sampling_forget(cpu);
	return !x.stop;
}

/* Time excursions from the loop, one after another; keeps the timings of the last. */
static void calibrate_once(struct cpu *cpu, uint32_t gaps_in, int64_t took[PIECES])
{
	struct platform_window plan = { .threshold = 1,
					.stop = UINT64_MAX,
					.stop_total = UINT64_MAX };
	struct sampling_excursion x = { 0 };

	for (unsigned p = 0; p < PIECES; p++)
		x.limit[p] = gaps_in >> p & 1 ? 1 : INT64_MAX;
	plan.start = clock_now();
	plan.end = plan.start + PASS_TICKS;
	sampling(cpu, &plan, &plan.end, &x);
	memcpy(took, x.took, sizeof(x.took));
}

/*
 * Compute the median of many passes for each piece in `pieces`, while the pieces in gaps_in have
 * gaps.
 */
static void calibrate_pieces(struct cpu *cpu, uint32_t pieces, uint32_t gaps_in,
			     uint64_t cost[PIECES])
{
	uint64_t took[PIECES][CALIBRATIONS];
	int64_t once[PIECES];

	for (unsigned i = 0; i < CALIBRATIONS; i++) {
		calibrate_once(cpu, gaps_in, once);
		for (unsigned p = 0; p < PIECES; p++)
			took[p][i] = (uint64_t)once[p];
	}
	for (unsigned p = 0; p < PIECES; p++) {
		if (!(pieces >> p & 1))
			continue;
		sort_u64(took[p], CALIBRATIONS);
		cost[p] = took[p][CALIBRATIONS / 2];
	}
}

void calibrate_slow_path(struct cpu *cpu)
{
	const uint32_t aside = 1u << PIECE_PUSH, judge = 1u << PIECE_JUDGE;
	struct gap_ring ring = cpu->ring;
	uint64_t cost[PIECES];

	/* With costs of 0, the loop always finds a gap, and so does the slow path. */
	memset(cpu->cost, 0, sizeof(cpu->cost));
	calibrate_pieces(cpu, ~(aside | judge), 1u << PIECE_RESUME, cost);
	calibrate_pieces(cpu, aside, 1u << PIECE_RESUME | 1u << PIECE_ENTRY, cost);
	cpu->ring.capacity = 0;
	calibrate_pieces(cpu, judge, 1u << PIECE_RESUME, cost);
	/* The way back includes one sample of the loop, which is exposure. */
	cost[PIECE_RESUME] -= cost[PIECE_RESUME] < cpu->interval_p50 ? cost[PIECE_RESUME]
								     : cpu->interval_p50;
	memcpy(cpu->cost, cost, sizeof(cpu->cost));
	cpu->ring = ring;
	sampling_forget(cpu);
}
