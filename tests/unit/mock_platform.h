/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A platform for core/run/run.c and what is under it. Its cores are coroutines of one thread, each
 * with a clock of its own, and the one that is furthest behind runs next: the time that many cores
 * take in parallel is counted exactly, on any computer. A loop that waits for another core has to
 * look at the clock, relax or idle.
 */
#pragma once

#include "core/gaps/hist.h"
#include "core/gaps/platform.h"
#include "core/run/run.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/fiber.h"

/* A test may have other numbers of these two. */
#ifndef MOCK_CPUS
#define MOCK_CPUS 8
#endif
#ifndef MOCK_GAPS
#define MOCK_GAPS 4096 /* per ring */
#endif
#define MOCK_HZ    UINT64_C(1000000000) /* a tick is a nanosecond */
#define MOCK_BEGIN UINT64_C(5000000000) /* TSC at the begin of the run */
#define MOCK_STEP  10                   /* ticks of a look at the clock */
#define MOCK_RELAX 10000                /* ticks: how late a core sees what it waits for */
#define MOCK_STACK (1u << 17)

static struct {
	struct platform platform;
	struct cpu cpu[MOCK_CPUS];
	struct gap slot[MOCK_CPUS][MOCK_GAPS];
	uint64_t clock[MOCK_CPUS]; /* the boot core's TSC, as far as each core has come */
	uint64_t skew[MOCK_CPUS];  /* how far each core's TSC is ahead of the boot core's */
	uint64_t step, relax;      /* MOCK_STEP, MOCK_RELAX, or what a test has set */
	uint64_t delay;            /* further ticks of a look by cores other than the boot core */
	volatile uint64_t nmi[MOCK_CPUS], mce[MOCK_CPUS];

	struct fiber fiber[MOCK_CPUS];
	char *stacks;
	void (*member)(struct cpu *cpu, void *arg);
	void *arg;
	bool there[MOCK_CPUS];            /* has started, and not left */
	uint32_t awake[MOCK_CPUS], count; /* cores that do not rest; the boot core first */
	uint32_t self;
	uint64_t next;     /* the running core's clock at which another one is behind it */
	unsigned prepared; /* by how many cores */
	/* Hooks of a test. NULL: nothing happens. */
	void (*on_window)(struct cpu *cpu, struct platform_window *plan);
	bool (*on_stop)(void);
} mock;

static uint64_t mock_skew;
static struct cpu *mock_self; /* NULL on the boot core */

/* Let the core that is furthest behind run. `over`: the calling one does not go on. */
static inline void mock_switch(bool over)
{
	uint32_t from = mock.self, to = 0;

	mock.next = UINT64_MAX;
	for (uint32_t i = 1; i < mock.count; i++) {
		uint32_t core = mock.awake[i];

		if (mock.clock[core] < mock.clock[to]) {
			mock.next = mock.clock[to];
			to = core;
		} else if (mock.clock[core] < mock.next) {
			mock.next = mock.clock[core];
		}
	}
	if (to == from)
		return;
	mock.self = to;
	mock_self = to ? &mock.cpu[to] : NULL;
	mock_skew = mock.skew[to];
	fiber_switch(&mock.fiber[from], &mock.fiber[to], over);
}

/* The calling core's clock, without a look at it. */
static inline uint64_t mock_clock(void)
{
	return mock.clock[mock.self];
}

/* The calling core works for so long. */
static inline void mock_work(uint64_t ticks)
{
	mock.clock[mock.self] += ticks;
	if (mock_clock() > mock.next)
		mock_switch(false);
}

/* The calling core works until `tick`, unless that is over. */
static inline void mock_pass(uint64_t tick)
{
	mock_work(tick > mock_clock() ? tick - mock_clock() : 0);
}

static inline uint64_t mock_now(void)
{
	mock_work(mock.step + (mock_self ? mock.delay : 0));
	return mock_clock() + mock_skew;
}

static inline void mock_relax(void)
{
	mock_work(mock.relax);
}

static inline uint32_t mock_find(uint32_t core)
{
	uint32_t i = 0;

	while (i < mock.count && mock.awake[i] != core)
		i++;
	return i;
}

static inline void mock_rest(bool over)
{
	mock.awake[mock_find(mock.self)] = mock.awake[mock.count - 1];
	mock.count--;
	mock_switch(over);
}

static inline void mock_idle(const struct cpu *self)
{
	(void)self;
	mock_rest(false);
}

static inline void mock_wake(const struct cpu *cpu)
{
	uint32_t i = cpu->position;

	if (!mock.there[i] || mock_find(i) < mock.count)
		return;
	mock.awake[mock.count++] = i;
	if (mock.clock[i] < mock_clock())
		mock.clock[i] = mock_clock();
	if (mock.clock[i] < mock.next)
		mock.next = mock.clock[i];
}

/* The calling core ends here. */
static inline void mock_leave(void)
{
	mock.there[mock.self] = false;
	mock_rest(true);
}

static inline void mock_enter(void)
{
	mock.member(mock_self, mock.arg);
	mock_leave();
}

static inline bool mock_start(struct platform *p, void (*member)(struct cpu *, void *), void *arg)
{
	mock.member = member;
	mock.arg = arg;
	mock.stacks = calloc(p->cpus, MOCK_STACK);
	for (uint32_t i = 1; i < p->cpus; i++) {
		if (atomic_load(&p->cpu[i].state) == CPU_ABSENT)
			continue;
		fiber_make(&mock.fiber[i], mock.stacks + i * MOCK_STACK, MOCK_STACK, mock_enter);
		mock.there[i] = true;
		mock_wake(&p->cpu[i]);
	}
	return true;
}

static inline void mock_finish(struct platform *p)
{
	for (uint32_t i = 1; i < p->cpus; i++)
		while (mock.there[i]) {
			mock_wake(&p->cpu[i]);
			mock_relax();
		}
	free(mock.stacks);
}

static inline void mock_prepare(struct cpu *cpu)
{
	(void)cpu;
	mock.prepared++;
}

/* Add a gap to the sums of its core's window. */
static inline void mock_sum(struct cpu *cpu, const struct gap *gap)
{
	cpu->window.gaps++;
	cpu->window.noise += gap->ticks;
	cpu->window.smi += gap->evidence.smi;
	cpu->window.nmi += gap->evidence.nmi;
	cpu->window.cause_gaps[gap->cause]++;
	cpu->window.cause_ticks[gap->cause] += gap->ticks;
	if (gap->ticks > cpu->window.max)
		cpu->window.max = gap->ticks;
	if (gap->ticks > cpu->worst.ticks)
		cpu->worst = *gap;
}

/*
 * A gap in the current window, kept as a core keeps it. `start` is by the boot core's TSC, and the
 * cause from the counts alone.
 */
static inline void mock_gap(struct cpu *cpu, struct platform_window *plan, uint64_t start,
			    uint64_t ticks, const struct gap_evidence *evidence)
{
	struct gap gap = { .start = start + mock_skew, .ticks = ticks, .evidence = *evidence };

	gap.cause = (uint8_t)attribution_counted(NULL, evidence);
	mock_sum(cpu, &gap);
	cpu->hist.count[hist_bucket(ticks)]++;
	if (cpu->ring.used < cpu->ring.capacity)
		cpu->ring.slot[cpu->ring.used++] = gap;
	else
		cpu->ring.dropped++;
	cpu->ring.judged = cpu->ring.used;
	if (ticks >= plan->stop || cpu->window.noise >= plan->stop_total)
		atomic_store(&plan->end, 0);
}

static inline void mock_before_window(struct cpu *cpu)
{
	cpu->nmi.last = (uint32_t)*cpu->nmi.count;
}

/* Measure a window from its start to its end, or to the gap that ended it. */
static inline void mock_window(struct cpu *cpu, struct platform_window *plan)
{
	uint64_t end;

	memset(&cpu->window, 0, sizeof(cpu->window));
	plan->gather(cpu, plan->gather_ctx);
	end = atomic_load(&plan->end);
	cpu->window_start = plan->start + mock_skew;
	cpu->window_end = end + mock_skew;
	cpu->window.length = end - plan->start;
	if (mock.on_window)
		mock.on_window(cpu, plan);
	mock_pass(end);
}

static inline bool mock_stop(struct platform *p)
{
	(void)p;
	return mock.on_stop && mock.on_stop();
}

/* A platform of `cpus` cores, all wanted and ready. */
static inline struct platform *mock_lay(uint32_t cpus)
{
	memset(&mock, 0, sizeof(mock));
	mock.step = MOCK_STEP;
	mock.relax = MOCK_RELAX;
	mock.count = 1;
	mock.next = UINT64_MAX;
	mock_self = NULL;
	mock_skew = 0;
	for (uint32_t i = 0; i < cpus; i++) {
		struct cpu *cpu = &mock.cpu[i];

		mock.clock[i] = MOCK_BEGIN;
		cpu->index = cpu->position = i;
		cpu->apic_id = 2 * i;
		cpu->wanted = true;
		cpu->state = CPU_READY;
		cpu->nmi.count = &mock.nmi[i];
		cpu->mce.count = &mock.mce[i];
		cpu->ring = (struct gap_ring){ .slot = mock.slot[i], .capacity = MOCK_GAPS };
	}
	mock.platform = (struct platform){
		.cpu = mock.cpu,
		.cpus = cpus,
		.hz = MOCK_HZ,
		.begin_tsc = MOCK_BEGIN,
		.now = mock_now,
		.relax = mock_relax,
		.idle = mock_idle,
		.wake = mock_wake,
		.start = mock_start,
		.finish = mock_finish,
		.prepare = mock_prepare,
		.before_window = mock_before_window,
		.window = mock_window,
		.stop_requested = mock_stop,
	};
	return &mock.platform;
}

/* Run one stage, whose team has started, up to its end record. */
static inline void mock_stage(struct run *r)
{
	run_stage(r, "handoff");
	run_finish(r);
	run_judge(r);
	report_end(r->report, &r->reasons);
}

/* A run of one stage, without self-tests. */
static inline void mock_run_untested(struct run *r)
{
	struct platform *p = r->platform;

	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].measured = true;
	team_start(&r->team, p);
	mock_stage(r);
}

/* A run of one stage, from its begin record to its end record. */
static inline void mock_run(struct run *r)
{
	run_prepare(r);
	mock_stage(r);
}
