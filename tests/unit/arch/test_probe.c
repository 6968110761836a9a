/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe as it is, on the processor at hand, in a process of Linux: signals
 * take the place of SMIs and NMIs, and what Linux itself does to the process
 * comes on top. So all that is asserted of a gap is what must hold whatever else
 * happened; nothing is asserted about how long anything takes.
 */
#define _GNU_SOURCE /* REG_RIP */
#include "arch/arch.h"
#include "arch/calibrate.h"
#include "arch/probe.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "tests/unit/common/test.h"

#define RING      65536
#define THRESHOLD UINT64_C(20000)
#define BURN      UINT64_C(400000) /* ticks that a signal takes */
#define EVERY_US  1500
#define LENGTH    UINT64_C(40000000)
#define LATE      UINT64_C(10000000)
#define AHEAD     UINT64_C(2000000) /* from planning a window to its start */
#define SIGNALS   1000
#define SOME      30
#define NEXT      UINT64_C(10000) /* ticks: far more than the slow path takes */
#define NEVER     UINT64_MAX
#define EXIT      UINT64_C(400000) /* ticks that a read of a counter takes in a slow guest */
#define TRIES     20

static struct cpu cpu;
static struct gap slots[RING];
static union gap_detail details[RING];
static uint64_t scratch[CALIBRATE_INTERVALS];
static volatile uint64_t nmi, mce;
static struct platform_window plan;
static bool masked;

bool arch_interrupts_masked(void)
{
	return masked;
}

static int start(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	nmi = mce = 0;
	masked = true;
	cpu.nmi_count = &nmi;
	cpu.mce_count = &mce;
	cpu.ring = (struct gap_ring){ .slot = slots, .capacity = RING };
	calibrate_loop(&cpu, scratch);
	calibrate_slow_path(&cpu);
	return 0;
}

static void lay_plan(uint64_t first, uint64_t length)
{
	plan = (struct platform_window){ .start = first,
					 .end = first + length,
					 .threshold = THRESHOLD,
					 .stop = NEVER,
					 .stop_total = NEVER };
}

/*
 * Signals that take BURN ticks, each counted as an NMI and logged as the truth. The
 * last one that is wanted in the window ends it.
 */
static struct {
	unsigned wanted;
	struct {
		uint64_t begin, end;
	} at[SIGNALS];
	volatile unsigned count;
} truth;

/* After a signal the next exit takes as long once more: the host uses it to run something else. */
static volatile sig_atomic_t owes, owed;

static bool strike_mce; /* with each signal a machine check comes, not an NMI */

static void burn(int signal_number)
{
	uint64_t begin = clock_now();

	(void)signal_number;
	owed = owes;
	if (strike_mce)
		mce++;
	else
		nmi++;
	while (clock_now() - begin < BURN)
		;
	if (truth.count < SIGNALS) {
		truth.at[truth.count].begin = begin;
		truth.at[truth.count].end = clock_now();
		truth.count++;
	}
	if (begin > plan.start && truth.wanted && !--truth.wanted)
		plan.end = 0;
}

static void send_signals(unsigned wanted, long every_us)
{
	struct itimerval timer = { .it_interval = { .tv_usec = every_us },
				   .it_value = { .tv_usec = every_us } };

	truth.wanted = wanted;
	truth.count = 0;
	signal(SIGALRM, burn);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void stop_signals(void)
{
	struct itimerval none = { 0 };

	setitimer(ITIMER_REAL, &none, NULL);
}

/* A window that lasts until so many signals came. */
static void lay_plan_for_signals(unsigned wanted)
{
	lay_plan(clock_now() + AHEAD, 0);
	plan.end = NEVER;
	send_signals(wanted, EVERY_US);
}

static uint64_t most_costly(void)
{
	uint64_t most = 0;

	for (unsigned p = 0; p < PIECES; p++)
		if (cpu.cost[p] > most)
			most = cpu.cost[p];
	return most;
}

/* Gaps lie in the window, in time order, apart from each other, none too short. */
static void assert_ring(void)
{
	uint64_t end = cpu.window_start, sum = 0, max = 0;

	for (size_t i = 0; i < cpu.ring.used; i++) {
		const struct gap *g = &slots[i];

		assert_true(g->start >= end);
		assert_true(g->ticks >= plan.threshold);
		assert_true(g->ticks <= cpu.window_end - g->start);
		end = g->start + g->ticks;
		sum += g->ticks;
		if (g->ticks > max)
			max = g->ticks;
	}
	if (cpu.ring.dropped)
		return;
	assert_int_equal(sum, cpu.window.noise);
	assert_int_equal(max, cpu.window.max);
}

static void assert_sums(void)
{
	const struct cpu_sums *w = &cpu.window;
	uint64_t gaps = 0, ticks = 0;

	for (unsigned i = 0; i < CAUSES; i++) {
		gaps += w->cause_gaps[i];
		ticks += w->cause_ticks[i];
	}
	assert_int_equal(gaps, w->gaps);
	assert_int_equal(ticks, w->noise);
	assert_int_equal(hist_total(&cpu.hist), w->gaps);
	assert_int_equal(cpu.ring.used + cpu.ring.dropped, w->gaps);
	assert_int_equal(cpu.worst.ticks, w->max);
	assert_int_equal(w->length, cpu.window_end - cpu.window_start);
	assert_true(w->slow <= w->length);
	assert_true(w->noise <= w->length - w->slow);
	assert_true(w->max <= w->noise);
	assert_int_equal(cpu.rewinds, 0);
}

static void sample(void)
{
	probe_window_masked(&cpu, &plan);
	assert_sums();
	assert_ring();
}

TEST_F(start, NULL, test_intervals)
{
	assert_true(cpu.quantum > 0);
	assert_true(cpu.interval_p50 > 0);
	assert_true(cpu.interval_p50 <= cpu.interval_p999);
	assert_true(cpu.interval_floor >= cpu.quantum);
	/* The last batch: every interval is a whole number of steps. */
	for (unsigned i = 0; i < CALIBRATE_INTERVALS; i++)
		assert_int_equal(scratch[i] % cpu.quantum, 0);
	assert_int_equal(hist_total(&cpu.hist), 0);
}

/* Calibration leaves nothing behind that could pass for a measurement. */
TEST_F(start, NULL, test_calibration_leaves_no_trace)
{
	static const struct cpu_sums none;

	cpu.ring.used = 3;
	cpu.ring.dropped = 2;
	calibrate_slow_path(&cpu);
	assert_int_equal(cpu.ring.used, 3);
	assert_int_equal(cpu.ring.dropped, 2);
	assert_ptr_equal(cpu.ring.slot, slots);
	assert_memory_equal(&cpu.window, &none, sizeof(none));
	assert_int_equal(cpu.worst.ticks, 0);
	assert_int_equal(hist_total(&cpu.hist), 0);
	assert_int_equal(cpu.queue_full, 0);
	assert_true(cpu.cost[PIECE_SMI] > 0);
}

static void assert_no_trace(void)
{
	static const struct cpu_sums none;

	assert_int_equal(cpu.ring.used, 3);
	assert_int_equal(cpu.ring.dropped, 2);
	assert_int_equal(cpu.ring.capacity, RING);
	assert_memory_equal(&cpu.window, &none, sizeof(none));
	assert_int_equal(cpu.worst.ticks, 0);
	assert_int_equal(hist_total(&cpu.hist), 0);
	assert_int_equal(cpu.queue_full, 0);
}

static void read_never(struct cpu *c)
{
	(void)c;
	fail();
}

/* A span to learn from is ended by a gap, and one that is to go on through it is not. */
TEST_F(start, NULL, test_a_gap_ends_a_span)
{
	unsigned tries = 1000;
	uint64_t begin;

	cpu.ring.used = 3;
	cpu.ring.dropped = 2;
	cpu.read_counters = read_never;
	/* Linux lets it run now and then. */
	while (!calibrate_span(&cpu, LENGTH / 1000, false))
		assert_true(--tries > 0);
	assert_no_trace();
	send_signals(0, EVERY_US);
	assert_false(calibrate_span(&cpu, LENGTH * 1000, false));
	assert_no_trace();
	/* Signals that come while Linux does not let it run are one. */
	do {
		begin = clock_now();
		assert_true(calibrate_span(&cpu, LENGTH, true));
		assert_true(clock_now() - begin >= LENGTH);
		assert_true(--tries > 0);
	} while (truth.count < 3);
	stop_signals();
	assert_no_trace();
	assert_ptr_equal(cpu.read_counters, read_never);
}

TEST_F(start, NULL, test_window_has_its_bounds)
{
	lay_plan(clock_now() + AHEAD, LENGTH);
	sample();
	assert_true(cpu.window_start >= plan.start);
	assert_true(cpu.window_end >= plan.end);
	assert_int_equal(plan.end, plan.start + LENGTH);
	assert_int_equal(cpu.window.nmi, 0);
	assert_int_equal(cpu.window.smi, 0);
	assert_int_equal(cpu.window.cause_gaps[CAUSE_SMI], 0);
	assert_int_equal(cpu.window.cause_gaps[CAUSE_NMI], 0);
	assert_false(cpu.unmasked);
}

/* Each window begins with clean sums; ring and histogram are the stage's. */
TEST_F(start, NULL, test_windows_follow_each_other)
{
	uint64_t gaps = 0;

	send_signals(0, EVERY_US);
	for (unsigned i = 0; i < 3; i++) {
		lay_plan(clock_now() + AHEAD, LENGTH / 2);
		probe_window(&cpu, &plan);
		gaps += cpu.window.gaps;
		assert_int_equal(cpu.window.length, cpu.window_end - cpu.window_start);
	}
	stop_signals();
	assert_int_equal(hist_total(&cpu.hist), gaps);
	assert_int_equal(cpu.ring.used + cpu.ring.dropped, gaps);
}

static const struct gap *gap_around(uint64_t begin, uint64_t end)
{
	uint64_t slack = most_costly();

	for (size_t i = 0; i < cpu.ring.used; i++)
		if (slots[i].start <= begin + slack &&
		    slots[i].start + slots[i].ticks + slack >= end)
			return &slots[i];
	return NULL;
}

/* Did this gap begin right behind the one before, before the loop was reached again? */
static bool follows(const struct gap *gap)
{
	return gap > slots && gap < &slots[cpu.ring.used] &&
	       gap->start - (gap[-1].start + gap[-1].ticks) <= NEXT;
}

/*
 * Was an NMI found with this gap? Linux may well have stopped us right before the signal, and the
 * counter was read once for both: then the step stands with the first of the gaps that follow each
 * other without the loop in between; or right behind, before it was read.
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
	uint64_t counted = 0;
	unsigned inside = 0;

	lay_plan_for_signals(SOME);
	sample();
	stop_signals();
	assert_int_equal(cpu.queue_full, 0);
	for (unsigned i = 0; i < truth.count; i++) {
		const struct gap *gap;

		if (truth.at[i].begin < cpu.window_start || truth.at[i].end > cpu.window_end)
			continue;
		gap = gap_around(truth.at[i].begin, truth.at[i].end);
		assert_non_null(gap);
		/* Held across the start, it may have been counted just before. */
		if (gap->start == plan.start)
			continue;
		assert_true(has_nmi(gap));
		inside++;
	}
	assert_true(inside > 0);
	for (size_t i = 0; i < cpu.ring.used; i++)
		counted += slots[i].evidence.nmi;
	assert_true(counted >= inside);
	assert_true(counted <= cpu.window.nmi);
	assert_int_equal(cpu.window.smi, 0);
}

static void clear(void)
{
	gap_ring_clear(&cpu.ring);
	memset(&cpu.worst, 0, sizeof(cpu.worst));
	memset(&cpu.hist, 0, sizeof(cpu.hist));
}

/* A window after so many steps. Where Linux held us across its start they may be its first gap's.
 */
static void sample_after(volatile uint64_t *counter, unsigned steps)
{
	unsigned tries = TRIES;

	do {
		assert_true(tries-- > 0);
		clear();
		probe_before_window(&cpu);
		lay_plan(clock_now() + AHEAD, LENGTH);
		*counter += steps;
		sample();
	} while (cpu.ring.used && slots[0].start == plan.start);
}

/* NMIs before the window are outside, not in its first gap. */
TEST_F(start, NULL, test_nmi_before_the_window)
{
	sample_after(&nmi, 7);
	assert_int_equal(cpu.window.nmi, 0);
	assert_int_equal(cpu.window.nmi_out, 7);
}

TEST_F(start, NULL, test_machine_checks_are_counted)
{
	uint64_t before;

	sample_after(&mce, 5);
	assert_int_equal(cpu.window.mce, 0);
	clear();
	before = mce;
	strike_mce = true;
	/* The last one may come after the last sample. */
	lay_plan_for_signals(SOME);
	sample();
	stop_signals();
	strike_mce = false;
	assert_true(cpu.window.mce > 0);
	/* One or the other may have come before it. */
	assert_true(cpu.window.mce <= mce - before);
	assert_true(cpu.window.cause_gaps[CAUSE_MCE] > 0);
	assert_int_equal(cpu.window.cause_gaps[CAUSE_NMI], 0);
}

/* The cause by what was counted alone. */
static enum cause counted(const struct gap *gap)
{
	const struct gap_evidence *e = &gap->evidence;

	return attribution_counted(&attribution_smm, e->smi, e->nmi, e->mce);
}

static struct attribution why_of(size_t i)
{
	struct attribution why;

	attribution_recall(&details[i].why, &attribution_smm, &why);
	return why;
}

/*
 * Counters by which three quarters of each gap were SMM, as a freeze shows. Each reading has a
 * number, and what is weighed is of one reading, never twice.
 */
static unsigned readings, weighed[SIGNALS];

static void read_numbered(struct cpu *c)
{
	assert_ptr_equal(c, &cpu);
	readings++;
}

static void make_numbered(struct cpu *c, struct gap_steps *steps)
{
	assert_ptr_equal(c, &cpu);
	*steps = (struct gap_steps){ .span = readings };
}

static void weigh_most(struct cpu *c, const struct gap_steps *steps,
		       const struct gap_evidence *counts, struct evidence *e)
{
	static const struct evidence_context bare = { .freeze = true };

	(void)counts;
	assert_ptr_equal(c, &cpu);
	assert_in_range(steps->span, 1, readings);
	if (plan.start) {
		assert_true(steps->span < SIGNALS);
		weighed[steps->span]++;
	}
	e->context = &bare;
	e->span = e->gap;
	e->have = EVIDENCE(MPERF) | EVIDENCE(REFERENCE) | EVIDENCE(SMI);
	e->step[EVIDENCE_MPERF] = e->gap;
	e->step[EVIDENCE_REFERENCE] = e->gap / 4;
	e->step[EVIDENCE_SMI] = 1;
}

static void lay_counters(void)
{
	cpu.read_counters = read_numbered;
	cpu.make_steps = make_numbered;
	cpu.weigh_steps = weigh_most;
	cpu.ring.detail = details;
	plan.start = 0;
	calibrate_slow_path(&cpu);
	memset(details, 0, sizeof(details));
	memset(weighed, 0, sizeof(weighed));
	readings = 0;
}

/* Where counters measure, a gap's time is split by them; of several that came together it is not.
 */
TEST_F(start, NULL, test_measured)
{
	uint64_t gaps = 0, ticks[CAUSES] = { 0 };

	lay_counters();
	lay_plan_for_signals(SOME);
	sample();
	stop_signals();
	for (size_t i = 0; i < cpu.ring.used; i++) {
		uint64_t length = slots[i].ticks, smm = length - length / 4;

		if (slots[i].holds == GAP_NOTHING) {
			assert_int_equal(slots[i].cause, counted(&slots[i]));
			ticks[slots[i].cause] += length;
			continue;
		}
		gaps++;
		assert_int_equal(slots[i].holds, GAP_WHY);
		assert_int_equal(why_of(i).part[PART_SMM], smm);
		assert_int_equal(slots[i].cause, CAUSE_SMI);
		ticks[CAUSE_SMI] += smm;
		ticks[why_of(i).rest] += length - smm;
	}
	assert_true(gaps > 0);
	for (unsigned n = 0; n < SIGNALS; n++)
		assert_true(weighed[n] <= 1);
	assert_memory_equal(ticks, cpu.window.cause_ticks, sizeof(ticks));
	/* They are read while it waits, so that the first gap's steps are its own. */
	readings = 0;
	probe_before_window(&cpu);
	assert_int_equal(readings, 1);
}

/* What is measured of a gap that is cut by the window's start is not the gap's. */
TEST_F(start, NULL, test_cut_gap_is_not_measured)
{
	lay_counters();
	lay_plan(clock_now() - LATE, LATE + LENGTH);
	sample();
	assert_int_equal(slots[0].start, plan.start);
	assert_int_equal(slots[0].holds, GAP_NOTHING);
	assert_true(readings > 0);
}

/* A gap that finds no room in the ring is judged at once, by what was measured of it. */
TEST_F(start, NULL, test_measured_without_room)
{
	lay_counters();
	cpu.ring.capacity = 1;
	lay_plan_for_signals(SOME);
	sample();
	stop_signals();
	assert_int_equal(cpu.ring.used, 1);
	assert_true(cpu.ring.dropped > 0);
	assert_true(cpu.window.cause_gaps[CAUSE_SMI] > cpu.ring.used);
}

/* A delay is found, leaves no trace, and one that did not happen is not found. */
TEST_F(start, NULL, test_delay)
{
	static const struct cpu_sums none;

	cpu.ring.used = 3;
	assert_true(probe_delay(&cpu, BURN));
	assert_false(probe_delay(&cpu, 0));
	assert_int_equal(cpu.ring.used, 3);
	assert_ptr_equal(cpu.ring.slot, slots);
	assert_memory_equal(&cpu.window, &none, sizeof(none));
	assert_int_equal(hist_total(&cpu.hist), 0);
	assert_int_equal(cpu.worst.ticks, 0);
}

/* In a guest a read of the SMI counter is an exit: here RDMSR faults, and takes EXIT ticks. */
static void serve_rdmsr(int signal_number, siginfo_t *info, void *context)
{
	static const uint8_t rdmsr[2] = { 0x0f, 0x32 };
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t begin = clock_now();

	(void)signal_number, (void)info;
	if (memcmp((const void *)reg[REG_RIP], rdmsr, sizeof(rdmsr)) != 0)
		abort();
	while (clock_now() - begin < EXIT)
		;
	for (begin = clock_now(); owed && clock_now() - begin < BURN;)
		;
	owed = false;
	reg[REG_RAX] = reg[REG_RDX] = 0;
	reg[REG_RIP] += sizeof(rdmsr);
}

/* cmocka's own handler comes before each test. */
static void enter_slow_guest(void)
{
	struct sigaction serve = { .sa_sigaction = serve_rdmsr, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &serve, NULL);
	cpu.smi.readable = true;
	calibrate_slow_path(&cpu);
}

/*
 * A steal clock by which all was stolen, or nothing: it counts once for all gaps since it was read
 * before. It sees what was asked of it.
 */
static struct {
	bool steals;
	uint64_t ticks;
	uint32_t nmi;
} clock_of_host;

static void weigh_steal(struct cpu *c, const struct gap_steps *steps,
			const struct gap_evidence *counts, struct evidence *e)
{
	static const struct evidence_context guest = { .hypervisor = HYPERVISOR_KVM };

	(void)c, (void)steps;
	e->context = &guest;
	e->have = EVIDENCE(STEAL) | EVIDENCE(NMI);
	e->span = e->gap;
	e->step[EVIDENCE_STEAL] = clock_of_host.steals ? e->gap : 0;
	clock_of_host.ticks += e->gap;
	clock_of_host.nmi += counts->nmi;
}

/* How many of the ring's gaps follow another within the slow path. */
static unsigned followers(void)
{
	unsigned count = 0;

	for (size_t i = 0; i + 1 < cpu.ring.used; i++)
		count += slots[i + 1].start - (slots[i].start + slots[i].ticks) <= NEXT + EXIT;
	return count;
}

/* Two gaps come in each excursion: the signal's, and one in the read of the SMI counter. */
static void sample_pairs(bool steals)
{
	unsigned tries = TRIES;

	clock_of_host.steals = steals;
	enter_slow_guest();
	cpu.read_counters = read_numbered;
	cpu.make_steps = make_numbered;
	cpu.weigh_steps = weigh_steal;
	cpu.ring.detail = details;
	calibrate_slow_path(&cpu);
	/*
	 * What Linux does besides is gaps like others, unless it holds us across the start, or for
	 * so long that most signals are one.
	 */
	do {
		assert_true(tries-- > 0);
		clear();
		memset(details, 0, sizeof(details));
		clock_of_host.ticks = clock_of_host.nmi = 0;
		owes = 1;
		lay_plan_for_signals(SOME);
		sample();
		stop_signals();
		owes = 0;
	} while (slots[0].start == plan.start || followers() < SOME / 2);
}

/*
 * The host runs something else, and as it comes back, once more: what the steal clock has counted
 * is of both, and both were stolen. All time that is a gap's was looked at, none twice.
 */
TEST_F(start, NULL, test_steal_of_several_gaps)
{
	sample_pairs(true);
	assert_int_equal(cpu.queue_full, 0);
	assert_int_equal(clock_of_host.ticks, cpu.window.noise);
	for (size_t i = 0; i < cpu.ring.used; i++) {
		assert_int_equal(slots[i].cause, CAUSE_STEAL);
		assert_int_equal(slots[i].holds, GAP_WHY);
		assert_int_equal(why_of(i).rest, CAUSE_STEAL);
	}
	assert_int_equal(cpu.window.cause_ticks[CAUSE_STEAL], cpu.window.noise);
	assert_int_equal(cpu.worst.cause, CAUSE_STEAL);
}

/* Nothing was: each has the cause that was counted in it, and no more is known. */
TEST_F(start, NULL, test_several_gaps_of_which_nothing_was_stolen)
{
	unsigned together = 0;

	sample_pairs(false);
	for (size_t i = 0; i < cpu.ring.used; i++) {
		assert_int_not_equal(slots[i].cause, CAUSE_STEAL);
		together += slots[i].holds == GAP_NOTHING;
		if (slots[i].holds == GAP_NOTHING)
			assert_int_equal(slots[i].cause, counted(&slots[i]));
	}
	assert_true(together >= SOME / 2);
	assert_int_equal(cpu.window.cause_ticks[CAUSE_STEAL], 0);
	/* What was counted in any of them was shown to who judges them together. */
	assert_true(clock_of_host.nmi >= SOME / 2);
}

/* A delay far shorter than a read of a counter. */
TEST_F(start, NULL, test_delay_in_a_slow_guest)
{
	enter_slow_guest();
	assert_true(probe_delay(&cpu, EXIT / 10));
}

/* What the loop is away for is not seen any more: nothing else is taken for the delay. */
TEST_F(start, NULL, test_delay_that_is_not_detected)
{
	cpu.cost[PIECE_RESUME] = INT64_MAX / 2;
	assert_false(probe_delay(&cpu, BURN));
}

static bool begins_with_a_gap(uint64_t first)
{
	gap_ring_clear(&cpu.ring);
	lay_plan(first, LENGTH / 10);
	probe_window(&cpu, &plan);
	return cpu.ring.used && slots[0].start == plan.start;
}

/* A read that the window's start falls into is the probe's own; Linux may hold it up as well. */
TEST_F(start, NULL, test_start_in_a_slow_guest)
{
	unsigned tries = TRIES;

	enter_slow_guest();
	while (begins_with_a_gap(clock_now() + EXIT / 4))
		assert_true(--tries > 0);
	/* What held the core across it is found all the same. */
	assert_true(begins_with_a_gap(clock_now() - LATE));
	assert_true(slots[0].ticks >= LATE);
}

/* Another core ends the window; without that this one would never end. */
static void *end_it(void *unused)
{
	while (clock_now() < plan.start + AHEAD)
		;
	atomic_store(&plan.end, 0);
	return unused;
}

TEST_F(start, NULL, test_ended_by_another_core)
{
	pthread_t thread;

	lay_plan(clock_now() + AHEAD, 0);
	plan.end = NEVER;
	assert_int_equal(pthread_create(&thread, NULL, end_it, NULL), 0);
	sample();
	pthread_join(thread, NULL);
	assert_int_equal(plan.end, 0);
}

/* It ended the window: only what came while it was recorded is behind it. */
static void assert_last(size_t n)
{
	assert_true(n < cpu.ring.used);
	while (++n < cpu.ring.used)
		assert_true(follows(&slots[n]));
}

TEST_F(start, NULL, test_stop)
{
	size_t first = 0;

	lay_plan_for_signals(0);
	plan.stop = BURN;
	sample();
	stop_signals();
	assert_int_equal(plan.end, 0);
	assert_true(cpu.window.max >= BURN);
	while (slots[first].ticks < BURN)
		first++;
	assert_last(first);
}

TEST_F(start, NULL, test_stop_total)
{
	uint64_t sum;
	size_t n = 0;

	lay_plan_for_signals(0);
	plan.stop_total = 20 * BURN;
	sample();
	stop_signals();
	assert_int_equal(plan.end, 0);
	assert_true(cpu.window.noise >= 20 * BURN);
	for (sum = slots[0].ticks; sum < 20 * BURN; sum += slots[n].ticks)
		n++;
	assert_last(n);
}

/* What held a core across the start is a gap from the start on, and exposure. */
TEST_F(start, NULL, test_late_start)
{
	uint64_t now = clock_now();

	lay_plan(now - LATE, LATE + LENGTH);
	sample();
	assert_int_equal(cpu.window_start, plan.start);
	assert_true(cpu.ring.used > 0);
	assert_int_equal(slots[0].start, plan.start);
	assert_true(slots[0].ticks >= LATE);
}

/* So late that the window is over. */
TEST_F(start, NULL, test_start_past_the_end)
{
	lay_plan(clock_now() - LATE, LATE / 2);
	sample();
	assert_int_equal(cpu.window_start, plan.start);
	assert_int_equal(slots[0].start, plan.start);
	assert_true(slots[0].ticks >= LATE);
}

TEST_F(start, NULL, test_ring_of_one)
{
	cpu.ring.capacity = 1;
	lay_plan_for_signals(SOME);
	sample();
	stop_signals();
	assert_int_equal(cpu.ring.used, 1);
	assert_true(cpu.ring.dropped > 0);
	assert_true(cpu.worst.ticks >= slots[0].ticks);
}

/* Every sample a gap: sums stay sane, no length comes out of nowhere. */
TEST_F(start, NULL, test_storm)
{
	for (uint64_t threshold = 1; threshold <= 1000; threshold *= 10) {
		gap_ring_clear(&cpu.ring);
		memset(&cpu.hist, 0, sizeof(cpu.hist));
		memset(&cpu.worst, 0, sizeof(cpu.worst));
		lay_plan(clock_now() + AHEAD, LENGTH / 4);
		plan.threshold = threshold;
		probe_window(&cpu, &plan);
		assert_true(cpu.window.max <= cpu.window.length);
		assert_int_equal(hist_total(&cpu.hist), cpu.window.gaps);
		assert_int_equal(cpu.ring.used + cpu.ring.dropped, cpu.window.gaps);
		assert_ring();
	}
}

/* Every piece of recording a gap as well: the window ends all the same. */
TEST_F(start, NULL, test_endless_storm_is_ended)
{
	memset(cpu.cost, 0, sizeof(cpu.cost));
	lay_plan(clock_now() + AHEAD, LENGTH / 10);
	plan.threshold = 1;
	probe_window(&cpu, &plan);
	assert_true(cpu.window_end >= plan.end);
	assert_true(cpu.window.noise <= cpu.window.length);
	assert_ring();
}

TEST_F(start, NULL, test_unmasked_is_noticed)
{
	masked = false;
	lay_plan(clock_now() + AHEAD, LENGTH / 10);
	probe_window_masked(&cpu, &plan);
	assert_true(cpu.unmasked);
	/* Once is enough to spoil a run. */
	masked = true;
	lay_plan(clock_now() + AHEAD, LENGTH / 10);
	probe_window_masked(&cpu, &plan);
	assert_true(cpu.unmasked);
}

/* A core whose TSC is ahead of the boot core's measures the same window, by its own clock. */
TEST_F(start, NULL, test_tsc_ahead)
{
	cpu.tsc_offset = (int64_t)LATE;
	lay_plan(clock_now() + AHEAD - LATE, LENGTH / 8);
	cpu.end = plan.end + LATE;
	sample();
	assert_true(cpu.window_start >= plan.start + LATE);
	assert_true(cpu.window_end >= plan.end + LATE);
}
