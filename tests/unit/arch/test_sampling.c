/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows on a simulated machine. Reads of the clock and of counters take fixed numbers of ticks,
 * and nothing else takes time. SMIs, NMIs or machine checks come when a test plans them. So each
 * gap is known to the tick: it lies between two successive reads of the clock.
 */
#include "clock_now.h"
#include "evidence_now.h"
#include "arch/x86_64/counters/attribution_smm.h"
#include "loop.h"

#include <stdatomic.h>
#include <stdint.h>

static uint64_t played_clock(void);
static uint32_t played_smi(const void *cpu);
static uint64_t played_loop(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
			    uint64_t *now);
static void played_intervals(uint64_t *interval, uint64_t count);

#define clock_now         played_clock
#define loop_intervals    played_intervals
#define evidence_register played_smi
#define loop_sample       played_loop
#include "arch/calibrate.c"
#include "arch/probe.c"
#include "arch/sampling.c"
#undef clock_now
#undef evidence_register
#undef loop_sample
#undef loop_intervals

#include <stdlib.h>

#include "core/lib/pack32.h"
#include "core/lib/splitmix.h"
#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"

#define READ     7    /* ticks that a read of the clock takes */
#define SMI_READ 20   /* ticks of a read of the SMI counter */
#define EXIT     4000 /* time of a read in a guest whose hypervisor emulates the counter */
#define COUNTERS 40   /* ticks of a read of the counters that measure gaps */
#define STEPS    20   /* ticks for the computation of their steps */
/* Counters that are registers and read for each gap; each takes as long as that of SMIs. */
#define READS_REGISTER               +1
#define READS_HANDLER                +0
#define COUNTED(id, name, from, ...) READS_##from
enum {
	REGISTERS = 0
#include "core/cause/counted_rows.h"
};

#define THRESHOLD 500
#define LEAD      100000
#define SHORT     UINT64_C(600) /* the least ticks of an SMI */
#define LONG      UINT64_C(4000)
#define FEW       20000
#define MANY      1000000
#define ENDLESS   1000000
#define RING      1024
#define LATE      UINT64_C(50000)

static struct {
	uint64_t now, read_before; /* ticks; the second: the last read of the clock */
	uint64_t next;             /* the next SMI; UINT64_MAX: none follows */
	uint64_t random;
	uint64_t end_at; /* when another core ends the window; 0: none does */
	uint64_t smi_read;
	enum cause by; /* CAUSE_SMI, CAUSE_NMI or CAUSE_MCE */
	uint32_t left, smis;
	uint64_t nmis, mces;
	uint64_t in_smm;
	uint64_t counters_read, in_smm_read; /* when the counters that measure were read */
	uint64_t steps_last, in_smm_last;    /* when steps were computed of these */
	bool steady;                         /* all SMIs leave time for the whole slow path */
	bool dense;                          /* few SMIs leave time for a piece of the slow path */
	bool pairs; /* every second SMI comes while the SMI counter is read for the first */
	unsigned batches;
	uint64_t tail;  /* ticks by which an SMI reaches past the window's start; 0: none does */
	uint64_t pause; /* ticks from each SMI to the next; 0: drawn */
} machine;

/* The true gaps: one for each pair of successive clock reads with SMIs between them. */
static struct truth {
	uint64_t start, ticks;
} * truth;
static size_t truths, truths_max;
static uint64_t true_ticks;

static struct cpu cpu;
static struct platform_window plan;
static struct gap *slots;
static union gap_detail *details;
static bool unmasked;

bool arch_interrupts_masked(void)
{
	return !unmasked;
}

static uint64_t draw(uint64_t below)
{
	return splitmix_next(&machine.random) % below;
}

/* Plan the next SMI. Half of them come before the slow path is over. */
static void plan_next(void)
{
	uint64_t pause = draw(2) && !machine.steady ? draw(200) : 200 + draw(5000);

	if (machine.dense)
		pause = draw(3 * READ);
	if (machine.pairs)
		pause = (truths + 1) % 2 ? LONG : READ + 1;
	if (machine.pause)
		pause = machine.pause;
	machine.next = machine.left ? machine.now + pause : UINT64_MAX;
	if (!machine.left)
		atomic_store(&plan.end, machine.now + LEAD);
}

static void interrupt(void)
{
	uint64_t ticks = SHORT + draw(LONG);

	if (machine.tail && machine.now < plan.start)
		ticks = plan.start + machine.tail - machine.now;
	if (!truths || truth[truths - 1].start + truth[truths - 1].ticks <= machine.read_before) {
		assert_true(truths < truths_max);
		truth[truths++] = (struct truth){ .start = machine.next };
	}
	truth[truths - 1].ticks += ticks;
	true_ticks += ticks;
	machine.now += ticks;
	machine.in_smm += machine.by == CAUSE_SMI ? ticks : 0;
	machine.smis += machine.by == CAUSE_SMI;
	machine.nmis += machine.by == CAUSE_NMI;
	machine.mces += machine.by == CAUSE_MCE;
	machine.left--;
	plan_next();
}

static void pass(uint64_t ticks)
{
	while (machine.next - machine.now <= ticks) {
		ticks -= machine.next - machine.now;
		machine.now = machine.next;
		interrupt();
	}
	machine.now += ticks;
	if (machine.end_at && machine.now >= machine.end_at)
		atomic_store(&plan.end, 0);
}

static uint64_t played_clock(void)
{
	pass(READ);
	machine.read_before = machine.now;
	return machine.now;
}

static uint32_t played_smi(const void *unused)
{
	uint32_t smis;

	(void)unused;
	pass(machine.smi_read / 2);
	smis = machine.smis;
	pass(machine.smi_read / 2);
	return smis;
}

static uint64_t played_loop(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
			    uint64_t *now)
{
	for (;;) {
		uint64_t until = machine.next < atomic_load(end) ? machine.next : atomic_load(end);

		if (machine.end_at && machine.end_at < until)
			until = machine.end_at;
		/* Skip reads between which nothing happens. */
		if (until > machine.now + 2 * READ) {
			machine.now += (until - machine.now) / READ * READ - READ;
			machine.read_before = before = machine.now;
		}
		*now = played_clock();
		if (*now - before >= threshold || *now >= atomic_load(end))
			return before;
		before = *now;
	}
}

static void played_intervals(uint64_t *interval, uint64_t count)
{
	machine.batches++;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t before = machine.now;

		interval[i] = played_clock() - before;
	}
}

/* Read a counter that stands still in SMM. */
static void read_played(struct cpu *c)
{
	(void)c;
	pass(COUNTERS / 2);
	machine.counters_read = machine.now;
	machine.in_smm_read = machine.in_smm;
	pass(COUNTERS / 2);
}

static void make_played(struct cpu *c, struct gap_steps *steps)
{
	(void)c;
	pass(STEPS);
	*steps = (struct gap_steps){ .span = pack32(machine.counters_read - machine.steps_last),
				     .count = {
					     pack32(machine.in_smm_read - machine.in_smm_last) } };
	machine.steps_last = machine.counters_read;
	machine.in_smm_last = machine.in_smm_read;
}

static void weigh_played(struct cpu *c, const struct gap_steps *steps,
			 const struct gap_evidence *counts, struct evidence *e)
{
	static const struct evidence_context bare = { .rules = &attribution_smm, .freeze = true };

	(void)c;
	e->context = &bare;
	e->have = EVIDENCE(MPERF) | EVIDENCE(REFERENCE) | EVIDENCE(SMI);
	e->slack = 2 * READ;
	e->span = pack32_unpack(steps->span);
	e->step[EVIDENCE_MPERF] = e->span;
	e->step[EVIDENCE_REFERENCE] = e->span - pack32_unpack(steps->count[0]);
	e->step[EVIDENCE_SMI] = counts->smi;
}

static void lay(uint32_t smis, size_t ring, bool measures)
{
	free(truth);
	free(slots);
	free(details);
	memset(&cpu, 0, sizeof(cpu));
	memset(&machine, 0, sizeof(machine));
	truths = 0;
	true_ticks = 0;
	truths_max = smis;
	truth = calloc(smis ? smis : 1, sizeof(*truth));
	slots = calloc(ring ? ring : 1, sizeof(*slots));
	details = calloc(ring ? ring : 1, sizeof(*details));
	assert_true(truth && slots && details);
	machine.next = UINT64_MAX;
	machine.random = smis + ring;
	machine.by = CAUSE_SMI;
	machine.smi_read = SMI_READ;
	unmasked = false;
	cpu.nmi.count = &machine.nmis;
	cpu.mce.count = &machine.mces;
	cpu.interval_p50 = cpu.interval_p999 = cpu.interval_floor = cpu.quantum = READ;
	cpu.smi.readable = cpu.smi.moved = true;
	cpu.ring = (struct gap_ring){ .slot = slots, .capacity = ring };
	if (measures) {
		cpu.ring.detail = details;
		cpu.read_counters = read_played;
		cpu.make_steps = make_played;
		cpu.weigh_steps = weigh_played;
	}
	calibrate_slow_path(&cpu);
}

static void plan_window(uint32_t smis)
{
	plan = (struct platform_window){ .start = machine.now + LEAD,
					 .end = machine.now + 2 * LEAD,
					 .threshold = THRESHOLD,
					 .stop = UINT64_MAX,
					 .stop_total = UINT64_MAX };
	machine.left = smis;
	if (smis)
		atomic_store(&plan.end, UINT64_MAX);
}

static void sample_window(void)
{
	probe_before_window(&cpu);
	probe_window(&cpu, &plan);
}

static void sample_storm(uint32_t smis)
{
	plan_window(smis);
	if (smis)
		machine.next = plan.start + LEAD;
	sample_window();
	assert_int_equal(cpu.queue_full != 0, machine.dense);
	assert_int_equal(machine.left, 0);
	assert_int_equal(cpu.window.smi, machine.smis);
	assert_int_equal(cpu.window.nmi, machine.nmis);
	assert_int_equal(cpu.window.mce, machine.mces);
}

/* All true gaps were found, and no others. Each length is off by at most two reads. */
static void check_sums(void)
{
	const struct cpu_sums *w = &cpu.window;

	assert_int_equal(w->gaps, truths);
	assert_int_equal(cpu.ring.used + cpu.ring.dropped, truths);
	assert_int_equal(hist_total(&cpu.hist), truths);
	assert_in_range(w->noise, true_ticks, true_ticks + 2 * READ * truths);
	assert_int_equal(w->cause_gaps[machine.by], truths);
	assert_int_equal(w->cause_ticks[machine.by], w->noise);
	assert_int_equal(cpu.worst.ticks, w->max);
	assert_int_equal(cpu.worst.cause, machine.by);
	assert_int_equal(w->length, cpu.window_end - cpu.window_start);
	assert_int_equal(cpu.rewinds, 0);
	/* Time outside gaps was sampled, or belongs to the slow path. */
	assert_true(w->length - w->noise - w->slow <= w->length);
}

static uint64_t longest_piece(void)
{
	uint64_t most = 0;

	for (unsigned p = 0; p < PIECES; p++)
		most = cpu.cost[p] > most ? cpu.cost[p] : most;
	return most;
}

static void check_ring(void)
{
	uint64_t off = longest_piece() / 2 + 1, counted = 0;

	for (size_t i = 0; i < cpu.ring.used; i++) {
		const struct gap_evidence *e = &slots[i].evidence;

		assert_in_range(slots[i].start, truth[i].start - off, truth[i].start + off);
		assert_in_range(slots[i].ticks, truth[i].ticks, truth[i].ticks + 2 * READ);
		assert_int_equal(slots[i].cause, machine.by);
		assert_true(e->smi + e->nmi + e->mce > 0);
		counted += e->smi + e->nmi + e->mce;
	}
	if (!cpu.ring.dropped)
		assert_int_equal(counted, machine.smis + machine.nmis + machine.mces);
}

TEST(test_nothing_happens)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		lay(0, RING, measures);
		sample_storm(0);
		assert_int_equal(cpu.window.gaps, 0);
		assert_int_equal(cpu.window.noise, 0);
		assert_true(cpu.window.slow < LEAD / 100);
	}
}

/* Each gap of a storm is in the ring with its cause, wherever on the slow path it came. */
TEST(test_each_gap)
{
	static const enum cause by[] = { CAUSE_SMI, CAUSE_SMI, CAUSE_NMI, CAUSE_MCE };

	for (unsigned n = 0; n < 4; n++) {
		lay(FEW, FEW, n == 1);
		machine.by = by[n];
		/* Several NMIs or machine checks on one slow path all count for its first gap. */
		machine.steady = n >= 2;
		sample_storm(FEW);
		assert_true(machine.steady ? truths == FEW : truths < FEW && truths > FEW / 2);
		check_sums();
		check_ring();
	}
}

/* Far more gaps than the ring holds: dropped gaps are counted, and are in all sums. */
TEST(test_past_the_ring)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		lay(MANY, RING, measures);
		sample_storm(MANY);
		assert_int_equal(cpu.ring.used, RING);
		assert_true(cpu.ring.dropped > MANY / 2);
		check_sums();
		check_ring();
	}
}

/* More gaps than the queue holds: some become part of others, and each is recorded once. */
TEST(test_full_queue)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		uint64_t off, end = 0;

		lay(FEW, FEW, measures);
		off = 2 * (longest_piece() + READ);
		machine.dense = true;
		sample_storm(FEW);
		assert_int_equal(cpu.window.gaps, cpu.ring.used);
		assert_int_equal(hist_total(&cpu.hist), cpu.ring.used);
		assert_true(cpu.window.noise <= true_ticks + 2 * READ * truths);
		for (size_t i = 0; i < cpu.ring.used; i++) {
			assert_true(slots[i].start + off >= end);
			end = slots[i].start + slots[i].ticks;
		}
	}
}

/* The parts of gaps that come alone are known, in the ring and past its end. */
TEST(test_parts)
{
	size_t split = 0;

	lay(FEW, RING, true);
	machine.steady = true;
	sample_storm(FEW);
	check_sums();
	for (size_t i = 0; i < cpu.ring.used; i++) {
		struct attribution why;

		if (slots[i].holds != GAP_WHY)
			continue;
		attribution_recall(&details[i].why, &attribution_smm, &why);
		assert_true(why.part[PART_SMM] >= slots[i].ticks - 4 * READ);
		split++;
	}
	assert_true(split > RING / 2);
}

/* Check that the ring's last gap is the SMI of `ticks` at `second`, `pause` after another SMI. */
static void check_second(uint64_t second, uint64_t ticks, uint64_t pause)
{
	const struct gap *gap = &slots[cpu.ring.used - 1];
	uint64_t off = longest_piece();

	assert_in_range(cpu.ring.used, 1, 2);
	for (size_t i = 0; i < cpu.ring.used; i++)
		assert_int_equal(slots[i].cause, CAUSE_SMI);
	assert_in_range(gap->start, pause > off ? second - off : plan.start, second + off);
	assert_in_range(gap->start + gap->ticks, second + ticks - off, second + ticks + off);
}

/* An SMI ends so soon after the window's start that it is hardly a gap there, if it is one. */
TEST(test_astride_the_start)
{
	for (uint64_t tail = 1; tail < THRESHOLD + 2 * SMI_READ; tail += READ) {
		for (uint64_t pause = 1; pause < 5 * (SMI_READ + READ); pause += rounds(7, 1)) {
			lay(2, 2, false);
			machine.tail = tail;
			machine.pause = pause;
			plan_window(2);
			machine.next = plan.start - SHORT;
			sample_window();
			assert_int_equal(machine.left, 0);
			check_second(plan.start + tail + pause, true_ticks - SHORT - tail, pause);
		}
	}
}

/* ---- Calibration ---- */

static uint64_t scratch[CALIBRATE_INTERVALS];

/* Check that nothing was left that could be taken for a measurement. */
static void check_no_trace(void)
{
	static const struct cpu_sums none;

	assert_int_equal(cpu.ring.used, 3);
	assert_int_equal(cpu.ring.dropped, 2);
	assert_int_equal(cpu.ring.capacity, RING);
	assert_ptr_equal(cpu.ring.slot, slots);
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

TEST(test_calibration_leaves_no_trace)
{
	lay(1, RING, false);
	cpu.ring.used = 3;
	cpu.ring.dropped = 2;
	calibrate_slow_path(&cpu);
	check_no_trace();
	assert_true(cpu.cost[PIECE_SMI] >= SMI_READ);
	calibrate_loop(&cpu, scratch);
	check_no_trace();
	assert_int_equal(cpu.interval_p50, READ);
	assert_int_equal(cpu.interval_floor, READ);
	assert_int_equal(cpu.quantum, READ);
}

/* A gap ends a span for learning, unless the span is to go on through gaps. */
TEST(test_a_gap_ends_a_span)
{
	for (unsigned with = 0; with < 2; with++) {
		for (unsigned through = 0; through < 2; through++) {
			uint64_t begin;

			lay(with, RING, false);
			cpu.ring.used = 3;
			cpu.ring.dropped = 2;
			cpu.read_counters = read_never;
			machine.left = with;
			machine.next = with ? machine.now + LEAD / 2 : UINT64_MAX;
			begin = machine.now;
			assert_int_equal(calibrate_span(&cpu, LEAD, through), through || !with);
			if (through || !with)
				assert_true(machine.now - begin >= LEAD);
			assert_ptr_equal(cpu.read_counters, read_never);
			check_no_trace();
		}
	}
}

/*
 * Time taken by SMIs is not counted as the loop's. If the SMIs never end, the calmest batch counts.
 */
TEST(test_floor)
{
	static const struct {
		uint32_t smis;
		uint64_t wanted;
		unsigned tries; /* at least this many; CALIBRATE_TRIES: exactly */
	} rows[] = {
		{ 0, THRESHOLD, 1 },
		{ 50000, THRESHOLD, 20 },
		{ ENDLESS, THRESHOLD, CALIBRATE_TRIES },
		/* A threshold must be above the floor, not equal to it. */
		{ 0, 2 * READ, CALIBRATE_TRIES },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t floor;
		unsigned tries;

		lay(rows[i].smis, RING, false);
		machine.left = rows[i].smis;
		machine.pause = 10 * READ;
		machine.batches = 0;
		if (rows[i].smis)
			plan_next();
		floor = calibrate_floor(&cpu, scratch, rows[i].wanted);
		tries = machine.batches / INTERVAL_ROUNDS;
		assert_in_range(tries, rows[i].tries, i == 1 ? CALIBRATE_TRIES - 1 : rows[i].tries);
		if (rows[i].smis == ENDLESS)
			assert_true(floor > SHORT);
		else
			assert_in_range(floor, READ + 1, 2 * READ);
	}
}

/* ---- The window's bounds ---- */

TEST(test_bounds)
{
	lay(0, RING, false);
	sample_storm(0);
	assert_in_range(cpu.window_start, plan.start, plan.start + SMI_READ + READ);
	assert_in_range(cpu.window_end, plan.end, plan.end + READ);
}

/* Each window begins with clean sums; ring and histogram cover the whole stage. */
TEST(test_windows_follow_each_other)
{
	uint64_t gaps = 0;

	lay(3 * RING, 3 * RING, false);
	for (unsigned n = 0; n < 3; n++) {
		uint32_t before = machine.smis;

		plan_window(RING);
		machine.next = plan.start + LEAD;
		sample_window();
		gaps += cpu.window.gaps;
		assert_int_equal(cpu.window.smi, machine.smis - before);
	}
	assert_int_equal(gaps, truths);
	assert_int_equal(hist_total(&cpu.hist), gaps);
	assert_int_equal(cpu.ring.used, gaps);
	check_ring();
}

/* Events counted before the window are outside it, not in its first gap. */
TEST(test_steps_before_the_window)
{
	lay(0, RING, false);
	probe_before_window(&cpu);
	plan_window(0);
	machine.nmis += 7;
	machine.smis += 3;
	machine.mces += 5;
	probe_window(&cpu, &plan);
	assert_int_equal(cpu.window.gaps, 0);
	assert_int_equal(cpu.window.nmi, 0);
	assert_int_equal(cpu.window.nmi_out, 7);
	assert_int_equal(cpu.window.smi, 0);
	assert_int_equal(cpu.window.smi_out, 3);
	assert_int_equal(cpu.window.mce, 0);
}

/* If a core is held across the start, or past the end, that is a gap from the start on. */
TEST(test_late_start)
{
	for (unsigned n = 0; n < 4; n++) {
		lay(0, RING, n & 1);
		machine.now += LATE;
		plan_window(0);
		plan.start = machine.now - LATE;
		if (n & 2)
			plan.end = plan.start + LATE / 2;
		sample_window();
		assert_int_equal(cpu.window_start, plan.start);
		assert_int_equal(cpu.window.gaps, 1);
		assert_int_equal(slots[0].start, plan.start);
		assert_in_range(slots[0].ticks, LATE,
				LATE + COUNTERS + STEPS + 3 * REGISTERS * SMI_READ);
		assert_int_equal(slots[0].holds, GAP_NOTHING);
	}
}

/* A read of a counter during which the window starts is no gap: it is the probe's own. */
TEST(test_start_in_a_slow_guest)
{
	for (uint64_t at = 0; at < 2 * EXIT; at += READ) {
		lay(0, RING, false);
		machine.smi_read = EXIT;
		calibrate_slow_path(&cpu);
		plan_window(0);
		plan.start += at;
		sample_window();
		assert_int_equal(cpu.window.gaps, 0);
	}
}

TEST(test_ended_by_another_core)
{
	lay(0, RING, false);
	plan_window(0);
	plan.end = UINT64_MAX;
	machine.end_at = plan.start + LATE;
	sample_window();
	assert_int_equal(cpu.window.gaps, 0);
	assert_in_range(cpu.window_end, machine.end_at, machine.end_at + 2 * READ);
}

/* The gap that reaches a limit is the last one, and ends the window for all cores. */
TEST(test_stop)
{
	for (unsigned total = 0; total < 2; total++) {
		uint64_t sum = 0;

		lay(FEW, FEW, false);
		machine.steady = true;
		plan_window(FEW);
		plan.stop = total ? UINT64_MAX : SHORT + LONG - 10;
		plan.stop_total = total ? 20 * LONG : UINT64_MAX;
		machine.next = plan.start + LEAD;
		sample_window();
		assert_int_equal(plan.end, 0);
		assert_in_range(cpu.ring.used, 1, FEW - 1);
		for (size_t i = 0; i < cpu.ring.used; i++) {
			bool last = i + 1 == cpu.ring.used;

			sum += slots[i].ticks;
			assert_int_equal(
				total ? sum >= plan.stop_total : slots[i].ticks >= plan.stop, last);
		}
	}
}

/* A core whose TSC is ahead of the boot core's measures the same window, by its own clock. */
TEST(test_tsc_ahead)
{
	lay(0, RING, false);
	cpu.tsc_offset = (int64_t)LATE;
	plan_window(0);
	cpu.end = plan.end + LATE;
	sample_window();
	assert_int_equal(cpu.window.gaps, 0);
	assert_in_range(cpu.window_start, plan.start + LATE, plan.start + LATE + SMI_READ + READ);
	assert_in_range(cpu.window_end, cpu.end, cpu.end + READ);
}

/* Each sample is a gap, and so is each piece of its recording. The window ends nevertheless. */
TEST(test_endless_storm_is_ended)
{
	lay(0, RING, false);
	memset(cpu.cost, 0, sizeof(cpu.cost));
	plan_window(0);
	plan.threshold = 1;
	sample_window();
	assert_in_range(cpu.window_end, plan.end, plan.end + LEAD / 10);
	assert_true(cpu.window.noise <= cpu.window.length);
	assert_int_equal(cpu.ring.used + cpu.ring.dropped, cpu.window.gaps);
	assert_int_equal(hist_total(&cpu.hist), cpu.window.gaps);
}

TEST(test_unmasked_is_noticed)
{
	lay(0, RING, false);
	for (unsigned n = 0; n < 3; n++) {
		plan_window(0);
		unmasked = n == 1;
		probe_window_masked(&cpu, &plan);
		/* A single time is enough to spoil a run. */
		assert_int_equal(cpu.unmasked, n > 0);
	}
}

/* ---- Several gaps between two readings ---- */

/*
 * A steal clock by which all time was stolen, or none. One reading is for all gaps since the
 * reading before. The members sum up the requests.
 */
static struct {
	bool steals;
	uint64_t ticks;
	uint32_t nmi;
} clock_of_host;

static void weigh_steal(struct cpu *c, const struct gap_steps *steps,
			const struct gap_evidence *counts, struct evidence *e)
{
	static const struct evidence_context guest = { .rules = &attribution_smm,
						       .hypervisor = HYPERVISOR_KVM };

	(void)c, (void)steps;
	e->context = &guest;
	e->have = EVIDENCE(STEAL) | EVIDENCE(NMI);
	e->span = e->gap;
	e->step[EVIDENCE_STEAL] = clock_of_host.steals ? e->gap : 0;
	clock_of_host.ticks += e->gap;
	clock_of_host.nmi += counts->nmi;
}

/*
 * The host runs something else, and again right after it has come back, so its clock counts for two
 * gaps. All time in gaps is considered exactly once. If nothing was stolen, each gap has the cause
 * that was counted in it, and no more is known.
 */
TEST(test_steal_of_several_gaps)
{
	for (unsigned steals = 0; steals < 2; steals++) {
		unsigned together = 0;

		lay(FEW, FEW, true);
		cpu.weigh_steps = weigh_steal;
		memset(&clock_of_host, 0, sizeof(clock_of_host));
		clock_of_host.steals = steals;
		machine.by = CAUSE_NMI;
		machine.pairs = true;
		sample_storm(FEW);
		assert_int_equal(clock_of_host.ticks, cpu.window.noise);
		assert_int_equal(clock_of_host.nmi, FEW);
		for (size_t i = 0; i < cpu.ring.used; i++) {
			together += slots[i].holds == GAP_NOTHING;
			assert_int_equal(slots[i].cause, steals                  ? CAUSE_STEAL
							 : slots[i].evidence.nmi ? CAUSE_NMI
										 : CAUSE_UNKNOWN);
			assert_true(!steals || slots[i].holds == GAP_WHY);
		}
		assert_int_equal(cpu.window.cause_ticks[CAUSE_STEAL],
				 steals ? cpu.window.noise : 0);
		assert_int_equal(cpu.worst.cause == CAUSE_STEAL, steals);
		assert_true(steals ? !together : together > FEW / 2);
	}
}

/* ---- The self-test's delay ---- */

TEST(test_delay)
{
	static const struct {
		uint64_t smi_read, delay;
		bool blind; /* the slow path's cost is set so high that no delay shows */
		bool found;
	} rows[] = {
		{ SMI_READ, LONG, false, true },
		{ SMI_READ, 0, false, false },
		/* A delay far shorter than a read of a counter. */
		{ EXIT, EXIT / 10, false, true },
		{ SMI_READ, LONG, true, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lay(0, RING, false);
		machine.smi_read = rows[i].smi_read;
		calibrate_slow_path(&cpu);
		cpu.ring.used = 3;
		cpu.ring.dropped = 2;
		if (rows[i].blind)
			cpu.cost[PIECE_RESUME] = INT64_MAX / 2;
		assert_int_equal(probe_delay(&cpu, rows[i].delay), rows[i].found);
		check_no_trace();
	}
}
