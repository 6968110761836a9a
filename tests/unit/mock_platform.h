/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A platform for core/run/run.c and what is under it: cores are threads, the clock is a
 * number. It moves by a tick with each look, so that waiting for a thread that
 * this machine has not let run yet never looks long; a test that wants time to
 * pass moves it on.
 */
#pragma once

#include "core/gaps/hist.h"
#include "core/gaps/platform.h"
#include "core/run/run.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A test may have other numbers of these two. */
#ifndef MOCK_CPUS
#define MOCK_CPUS 8
#endif
#ifndef MOCK_GAPS
#define MOCK_GAPS 4096 /* per ring */
#endif
#define MOCK_HZ    UINT64_C(1000000000) /* a tick is a nanosecond */
#define MOCK_BEGIN UINT64_C(5000000000) /* TSC at the begin of the run */
#define MOCK_LOOKS 64                   /* at the clock, before another thread may run */
#define MOCK_REST  20                   /* microseconds, at most: only to leave the processor */

static struct {
	struct platform platform;
	struct cpu cpu[MOCK_CPUS];
	struct gap slot[MOCK_CPUS][MOCK_GAPS];
	_Atomic uint64_t clock;
	uint64_t step;  /* ticks of the clock per look at it */
	uint64_t delay; /* additional delay until cores other than the boot core see it */
	/* How far each core's TSC is ahead of the boot core's. */
	uint64_t skew[MOCK_CPUS];
	volatile uint64_t nmi[MOCK_CPUS], mce[MOCK_CPUS];

	pthread_t thread[MOCK_CPUS];
	void (*member)(struct cpu *cpu, void *arg);
	void *arg;
	unsigned prepared;          /* by how many cores */
	struct cpu *_Atomic asleep; /* a core that no longer ends its rest: it sleeps */
	_Atomic bool sleeps;
	/* Hooks of a test. NULL: nothing happens. */
	void (*on_relax)(void); /* for the boot core: only its waits have a bound */
	void (*on_window)(struct cpu *cpu, struct platform_window *plan);
	bool (*on_stop)(void);
} mock;

static _Thread_local uint64_t mock_skew;
static _Thread_local unsigned mock_looks;
static _Thread_local struct cpu *mock_self; /* NULL on the boot core */

static inline uint64_t mock_now(void)
{
	uint64_t step = mock.step + (mock_self ? mock.delay : 0);
	uint64_t now = atomic_fetch_add(&mock.clock, step) + step;

	/* A caller that looks so often may wait for a thread without a processor. */
	if (++mock_looks % MOCK_LOOKS == 0)
		sched_yield();
	return now + mock_skew;
}

static inline void mock_relax(void)
{
	sched_yield();
	if (mock.on_relax && !mock_self)
		mock.on_relax();
}

static inline void mock_idle(const struct cpu *self)
{
	(void)self;
	usleep(MOCK_REST);
	while (mock_self && mock_self == atomic_load(&mock.asleep)) {
		atomic_store(&mock.sleeps, true);
		usleep(MOCK_REST);
	}
}

static inline void *mock_thread(void *arg)
{
	struct cpu *cpu = arg;

	mock_skew = mock.skew[cpu->position];
	mock_self = cpu;
	mock.member(cpu, mock.arg);
	return NULL;
}

static inline bool mock_start(struct platform *p, void (*member)(struct cpu *, void *), void *arg)
{
	mock.member = member;
	mock.arg = arg;
	for (uint32_t i = 1; i < p->cpus; i++) {
		if (atomic_load(&p->cpu[i].state) == CPU_ABSENT)
			continue;
		if (pthread_create(&mock.thread[i], NULL, mock_thread, &p->cpu[i]))
			abort();
	}
	return true;
}

static inline void mock_finish(struct platform *p)
{
	for (uint32_t i = 1; i < p->cpus; i++)
		if (mock.thread[i])
			pthread_join(mock.thread[i], NULL);
	memset(mock.thread, 0, sizeof(mock.thread));
}

static inline void mock_prepare(struct cpu *cpu)
{
	(void)cpu;
	__atomic_fetch_add(&mock.prepared, 1, __ATOMIC_RELAXED);
}

/* Move the clock to `tick`, unless it is later already. */
static inline void mock_pass(uint64_t tick)
{
	uint64_t now = atomic_load(&mock.clock);

	while (now < tick)
		if (atomic_compare_exchange_weak(&mock.clock, &now, tick))
			break;
}

/* The cause from the counts alone. */
static inline enum cause mock_cause(const struct gap_evidence *e)
{
	return attribution_counted(NULL, e);
}

/* A gap in the current window, kept as a core keeps it. `start` is by the boot core's TSC. */
static inline void mock_gap(struct cpu *cpu, struct platform_window *plan, uint64_t start,
			    uint64_t ticks, const struct gap_evidence *evidence)
{
	struct gap gap = { .start = start + mock_skew, .ticks = ticks, .evidence = *evidence };
	enum cause cause = mock_cause(evidence);

	gap.cause = (uint8_t)cause;
	cpu->window.gaps++;
	cpu->window.noise += ticks;
	cpu->window.smi += evidence->smi;
	cpu->window.nmi += evidence->nmi;
	cpu->window.cause_gaps[cause]++;
	cpu->window.cause_ticks[cause] += ticks;
	if (ticks > cpu->window.cause_max[cause])
		cpu->window.cause_max[cause] = ticks;
	if (ticks > cpu->window.max)
		cpu->window.max = ticks;
	cpu->hist.count[hist_bucket(ticks)]++;
	if (ticks > cpu->worst.ticks)
		cpu->worst = gap;
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
	mock.clock = MOCK_BEGIN;
	mock.step = 1;
	mock_skew = 0;
	for (uint32_t i = 0; i < cpus; i++) {
		struct cpu *cpu = &mock.cpu[i];

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

/* A run of one stage, from its begin record to its end record. */
static inline void mock_run(struct run *r)
{
	run_prepare(r);
	mock_stage(r);
}
