/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slow path on a machine whose time is played: a read of the clock or of a counter takes so
 * many ticks, nothing else takes any, and SMIs come when the test has them come. So each gap is
 * known to the tick: one for each two reads of the clock with SMIs between them.
 */
#include "clock_now.h"
#include "evidence_now.h"
#include "loop.h"

#include <stdatomic.h>
#include <stdint.h>

static uint64_t played_clock(void);
static uint32_t played_smi(const void *cpu);
static uint64_t played_loop(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
			    uint64_t *now);

#define clock_now        played_clock
#define evidence_smi_now played_smi
#define loop_sample      played_loop
#include "arch/calibrate.c"
#include "arch/probe.c"
#include "arch/sampling.c"
#undef clock_now
#undef evidence_smi_now
#undef loop_sample

#include <stdlib.h>

#include "core/lib/pack32.h"
#include "core/lib/splitmix.h"
#include "tests/unit/common/test.h"

#define READ      7  /* ticks that a read of the clock takes */
#define SMI_READ  20 /* and one of the SMI counter */
#define COUNTERS  40 /* and one of the counters that measure */
#define STEPS     20 /* and the making of their steps */
#define THRESHOLD 500
#define LEAD      100000
#define SHORT     UINT64_C(600) /* an SMI */
#define LONG      UINT64_C(4000)
#define FEW       20000
#define MANY      1000000
#define RING      1024

static struct {
	uint64_t now, read_before; /* the last read of the clock */
	uint64_t next;             /* SMI; UINT64_MAX: none comes any more */
	uint64_t random;
	uint32_t left, smis;
	uint64_t in_smm;
	uint64_t counters_read, in_smm_read; /* when the counters that measure were read */
	uint64_t steps_last, in_smm_last;    /* when steps were made of that */
	bool steady;                         /* SMIs leave time for the whole of the slow path */
	bool dense;                          /* hardly any leaves time for a piece of it */
	uint64_t tail;  /* ticks by which an SMI reaches past the window's start; 0: none does */
	uint64_t pause; /* ticks from each SMI to the next; 0: drawn */
} machine;

/* What happened: an entry for each two reads of the clock with SMIs between them. */
static struct truth {
	uint64_t start, ticks;
} * truth;
static size_t truths, truths_max;
static uint64_t true_ticks;

static struct cpu cpu;
static struct platform_window plan;
static struct gap *slots;
static union gap_detail *details;
static uint64_t zero;

bool arch_interrupts_masked(void)
{
	return true;
}

static uint64_t draw(uint64_t below)
{
	return splitmix_next(&machine.random) % below;
}

/* Half of them come so soon that the slow path is not at its end. */
static void plan_next(void)
{
	uint64_t pause = draw(2) && !machine.steady ? draw(200) : 200 + draw(5000);

	if (machine.dense)
		pause = draw(3 * READ);
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
	machine.in_smm += ticks;
	machine.smis++;
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
	pass(SMI_READ / 2);
	smis = machine.smis;
	pass(SMI_READ / 2);
	return smis;
}

static uint64_t played_loop(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
			    uint64_t *now)
{
	for (;;) {
		uint64_t until = machine.next < atomic_load(end) ? machine.next : atomic_load(end);

		/* Reads in which nothing happens. */
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

/* A counter that stands still in SMM, where that has more than nothing to do with it. */
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
	static const struct evidence_context bare = { .freeze = true };

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
	cpu.nmi_count = cpu.mce_count = &zero;
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

static void sample_storm(uint32_t smis)
{
	plan_window(smis);
	if (smis)
		machine.next = plan.start + LEAD;
	probe_before_window(&cpu);
	probe_window(&cpu, &plan);
	assert_int_equal(cpu.queue_full != 0, machine.dense);
	assert_int_equal(machine.left, 0);
	assert_int_equal(cpu.window.smi, smis);
}

static void clean(void)
{
	free(truth);
	free(slots);
	free(details);
}

/* All that happened was found, and nothing else; each length is off by two reads at most. */
static void check_sums(void)
{
	const struct cpu_sums *w = &cpu.window;

	assert_int_equal(w->gaps, truths);
	assert_int_equal(cpu.ring.used + cpu.ring.dropped, truths);
	assert_int_equal(hist_total(&cpu.hist), truths);
	assert_in_range(w->noise, true_ticks, true_ticks + 2 * READ * truths);
	assert_int_equal(w->cause_gaps[CAUSE_SMI], truths);
	assert_int_equal(w->cause_ticks[CAUSE_SMI], w->noise);
	assert_int_equal(cpu.worst.ticks, w->max);
	assert_int_equal(cpu.worst.cause, CAUSE_SMI);
	/* What is no gap was sampled, or is the slow path's. */
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
	uint64_t off = longest_piece() / 2 + 1, smis = 0;

	for (size_t i = 0; i < cpu.ring.used; i++) {
		assert_in_range(slots[i].start, truth[i].start - off, truth[i].start + off);
		assert_in_range(slots[i].ticks, truth[i].ticks, truth[i].ticks + 2 * READ);
		assert_int_equal(slots[i].cause, CAUSE_SMI);
		assert_true(slots[i].evidence.smi > 0);
		smis += slots[i].evidence.smi;
	}
	if (!cpu.ring.dropped)
		assert_int_equal(smis, machine.smis);
}

TEST(test_nothing_happens)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		lay(0, RING, measures);
		sample_storm(0);
		assert_int_equal(cpu.window.gaps, 0);
		assert_int_equal(cpu.window.noise, 0);
		assert_true(cpu.window.slow < LEAD / 100);
		clean();
	}
}

/* Each gap of a storm is in the ring, wherever on the slow path it came, and knows its cause. */
TEST(test_each_gap)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		lay(FEW, FEW, measures);
		sample_storm(FEW);
		assert_true(truths < FEW && truths > FEW / 2);
		check_sums();
		check_ring();
		clean();
	}
}

/* Far more than the ring has room for: what is dropped is counted, and in all sums. */
TEST(test_past_the_ring)
{
	for (unsigned measures = 0; measures < 2; measures++) {
		lay(MANY, RING, measures);
		sample_storm(MANY);
		assert_int_equal(cpu.ring.used, RING);
		assert_true(cpu.ring.dropped > MANY / 2);
		check_sums();
		check_ring();
		clean();
	}
}

/* More gaps than the queue has places: some are part of others, each is recorded once. */
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
		clean();
	}
}

/* Of gaps that come alone the parts are known, in the ring and past it. */
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
	clean();
}

/* The gap of an SMI of `ticks` that begins `pause` behind another, as the last of the ring. */
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

/* An SMI ends behind the window's start, so soon that it is no gap there or hardly one. */
TEST(test_astride_the_start)
{
	for (uint64_t tail = 1; tail < THRESHOLD + 2 * SMI_READ; tail += READ) {
		for (uint64_t pause = 1; pause < 5 * (SMI_READ + READ); pause++) {
			lay(2, 2, false);
			machine.tail = tail;
			machine.pause = pause;
			plan_window(2);
			machine.next = plan.start - SHORT;
			probe_before_window(&cpu);
			probe_window(&cpu, &plan);
			assert_int_equal(machine.left, 0);
			check_second(plan.start + tail + pause, true_ticks - SHORT - tail, pause);
			clean();
		}
	}
}
