/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The real loop on a real processor, in a Linux process. Signals take the place of NMIs, and Linux
 * interrupts the process besides. So the tests assert only what holds whatever else happens, and
 * nothing about durations. test_sampling.c has exact tests.
 */
#include "arch/arch.h"
#include "arch/calibrate.h"
#include "arch/probe.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "tests/unit/common/test.h"

#define RING      65536
#define THRESHOLD UINT64_C(20000)
#define BURN      UINT64_C(400000) /* ticks that a signal takes */
#define EVERY_US  1500
#define AHEAD     UINT64_C(2000000) /* ticks from the plan of a window to its start */
#define SOME      30
#define NEXT      UINT64_C(10000) /* ticks: far more than the slow path takes */

static struct cpu cpu;
static struct gap slots[RING];
static uint64_t scratch[CALIBRATE_INTERVALS];
static volatile uint64_t nmi, mce;
static struct platform_window plan;

bool arch_interrupts_masked(void)
{
	return true;
}

static int start(void **state)
{
	(void)state;
	cpu.nmi.count = &nmi;
	cpu.mce.count = &mce;
	cpu.ring = (struct gap_ring){ .slot = slots, .capacity = RING };
	calibrate_loop(&cpu, scratch);
	calibrate_slow_path(&cpu);
	return 0;
}

TEST_F(start, NULL, test_intervals)
{
	assert_true(cpu.quantum > 0);
	assert_true(cpu.interval_p50 > 0);
	assert_true(cpu.interval_p50 <= cpu.interval_p999);
	assert_true(cpu.interval_floor >= cpu.quantum);
	/* Every interval of the last batch is a whole number of the clock's steps. */
	for (unsigned i = 0; i < CALIBRATE_INTERVALS; i++)
		assert_int_equal(scratch[i] % cpu.quantum, 0);
	assert_int_equal(hist_total(&cpu.hist), 0);
}

/* Signals that take BURN ticks, each counted as an NMI; the last in the window ends it. */
static struct {
	uint64_t begin, end;
} truth[SOME];
static volatile unsigned count;

static void burn(int signal_number)
{
	uint64_t begin = clock_now();

	(void)signal_number;
	nmi++;
	while (clock_now() - begin < BURN)
		;
	if (count == SOME || begin < plan.start)
		return;
	truth[count].begin = begin;
	truth[count].end = clock_now();
	if (++count == SOME)
		plan.end = 0;
}

static void send_signals(long every_us)
{
	const struct itimerval timer = { .it_interval = { .tv_usec = every_us },
					 .it_value = { .tv_usec = every_us } };

	signal(SIGALRM, burn);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* Check that gaps are in the window, in time order, without overlaps, and not too short. */
static void assert_ring(void)
{
	uint64_t end = cpu.window_start, sum = 0;

	for (size_t i = 0; i < cpu.ring.used; i++) {
		const struct gap *g = &slots[i];

		assert_true(g->start >= end);
		assert_true(g->ticks >= plan.threshold);
		assert_true(g->ticks <= cpu.window_end - g->start);
		end = g->start + g->ticks;
		sum += g->ticks;
	}
	assert_int_equal(sum, cpu.window.noise);
}

static const struct gap *gap_around(uint64_t begin, uint64_t end)
{
	uint64_t slack = 0;

	for (unsigned p = 0; p < PIECES; p++)
		slack = cpu.cost[p] > slack ? cpu.cost[p] : slack;
	for (size_t i = 0; i < cpu.ring.used; i++)
		if (slots[i].start <= begin + slack &&
		    slots[i].start + slots[i].ticks + slack >= end)
			return &slots[i];
	return NULL;
}

/* True if the gap began so soon after the one before that the loop was not reached between. */
static bool follows(const struct gap *gap)
{
	return gap > slots && gap < &slots[cpu.ring.used] &&
	       gap->start - (gap[-1].start + gap[-1].ticks) <= NEXT;
}

/*
 * True if an NMI was counted for this gap. Linux may also stop the process right before the signal,
 * or right after it, before the counter is read. One reading is then for several gaps that follow
 * each other without the loop in between, and the count is with one of them.
 */
static bool has_nmi(const struct gap *gap)
{
	while (!gap->evidence.nmi && follows(gap))
		gap--;
	while (!gap->evidence.nmi && follows(gap + 1))
		gap++;
	return gap->evidence.nmi && gap->cause == CAUSE_NMI;
}

/* Every signal within the window is in a gap, and the gap knows its cause. */
TEST_F(start, NULL, test_every_signal_is_a_gap)
{
	unsigned inside = 0;

	plan = (struct platform_window){ .start = clock_now() + AHEAD,
					 .end = UINT64_MAX,
					 .threshold = THRESHOLD,
					 .stop = UINT64_MAX,
					 .stop_total = UINT64_MAX };
	send_signals(EVERY_US);
	probe_window_masked(&cpu, &plan);
	send_signals(0);
	assert_ring();
	assert_int_equal(cpu.queue_full, 0);
	for (unsigned i = 0; i < count; i++) {
		const struct gap *gap;

		if (truth[i].begin < cpu.window_start || truth[i].end > cpu.window_end)
			continue;
		gap = gap_around(truth[i].begin, truth[i].end);
		assert_non_null(gap);
		/* A signal across the start may have been counted just before it. */
		if (gap->start == plan.start)
			continue;
		assert_true(has_nmi(gap));
		inside++;
	}
	assert_true(inside > 0);
	assert_int_equal(cpu.window.smi, 0);
}
