/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ground for core/run/run.c and what is under it: cores are threads, the clock is a
 * number. It moves by a tick with each look, so that waiting for a thread that
 * this machine has not let run yet never looks long; a test that wants time to
 * pass moves it on.
 */
#ifndef TESTS_UNIT_GROUND_H
#define TESTS_UNIT_GROUND_H

#include "core/gaps/hist.h"
#include "core/gaps/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUND_CPUS  8
#define GROUND_HZ    UINT64_C(1000000000) /* a tick is a nanosecond */
#define GROUND_BEGIN UINT64_C(5000000000) /* TSC at the begin of the run */
#define GROUND_GAPS  4096                 /* per ring */
#define GROUND_LOOKS 64                   /* at the clock, before another thread may run */
#define GROUND_REST  20                   /* microseconds, at most: only to leave the processor */

static struct {
	struct platform platform;
	struct cpu cpu[GROUND_CPUS];
	struct gap slot[GROUND_CPUS][GROUND_GAPS];
	_Atomic uint64_t clock;
	uint64_t step;  /* of the clock, per look at it */
	uint64_t delay; /* so much more on all cores but the boot core, before they see it */
	/* How far each core's TSC is ahead of the boot core's. */
	uint64_t skew[GROUND_CPUS];
	volatile uint64_t nmi[GROUND_CPUS], mce[GROUND_CPUS];

	pthread_t thread[GROUND_CPUS];
	void (*member)(struct cpu *cpu, void *arg);
	void *arg;
	unsigned prepared;          /* by how many cores */
	struct cpu *_Atomic asleep; /* does not end its rest, once it is at rest: then it sleeps */
	_Atomic bool sleeps;
	/* What a test has to say. NULL: nothing happens. */
	void (*on_relax)(void); /* of the boot core: only its waits have a bound */
	void (*on_window)(struct cpu *cpu, struct window_plan *plan);
	bool (*on_stop)(void);
} ground;

static _Thread_local uint64_t ground_skew;
static _Thread_local unsigned ground_looks;
static _Thread_local struct cpu *ground_self; /* NULL on the boot core */

static inline uint64_t ground_now(void)
{
	uint64_t step = ground.step + (ground_self ? ground.delay : 0);
	uint64_t now = atomic_fetch_add(&ground.clock, step) + step;

	/* Whoever looks that often may be waiting for a thread without a processor. */
	if (++ground_looks % GROUND_LOOKS == 0)
		sched_yield();
	return now + ground_skew;
}

static inline void ground_relax(void)
{
	sched_yield();
	if (ground.on_relax && !ground_self)
		ground.on_relax();
}

static inline void ground_idle(void)
{
	usleep(GROUND_REST);
	while (ground_self && ground_self == atomic_load(&ground.asleep)) {
		atomic_store(&ground.sleeps, true);
		usleep(GROUND_REST);
	}
}

static inline void *ground_thread(void *arg)
{
	struct cpu *cpu = arg;

	ground_skew = ground.skew[cpu->position];
	ground_self = cpu;
	ground.member(cpu, ground.arg);
	return NULL;
}

static inline bool ground_start(struct platform *p, void (*member)(struct cpu *, void *), void *arg)
{
	ground.member = member;
	ground.arg = arg;
	for (uint32_t i = 1; i < p->cpus; i++) {
		if (atomic_load(&p->cpu[i].state) == CPU_ABSENT)
			continue;
		if (pthread_create(&ground.thread[i], NULL, ground_thread, &p->cpu[i]))
			abort();
	}
	return true;
}

static inline void ground_finish(struct platform *p)
{
	for (uint32_t i = 1; i < p->cpus; i++)
		if (ground.thread[i])
			pthread_join(ground.thread[i], NULL);
	memset(ground.thread, 0, sizeof(ground.thread));
}

static inline void ground_prepare(struct cpu *cpu)
{
	(void)cpu;
	__atomic_fetch_add(&ground.prepared, 1, __ATOMIC_RELAXED);
}

/* The clock is at `tick` or later. */
static inline void ground_pass(uint64_t tick)
{
	uint64_t now = atomic_load(&ground.clock);

	while (now < tick)
		if (atomic_compare_exchange_weak(&ground.clock, &now, tick))
			break;
}

/* A gap in the window under way, kept as a core keeps it. `start` is by the boot core's TSC. */
static inline void ground_gap(struct cpu *cpu, struct window_plan *plan, uint64_t start,
			      uint64_t ticks, const struct gap_evidence *evidence)
{
	struct gap gap = { .start = start + ground_skew, .ticks = ticks, .evidence = *evidence };
	enum cause cause = gap_counted_cause(evidence);

	gap.cause = (uint8_t)cause;
	cpu->window.gaps++;
	cpu->window.noise += ticks;
	cpu->window.smi += evidence->smi;
	cpu->window.nmi += evidence->nmi;
	cpu->window.cause_gaps[cause]++;
	cpu->window.cause_ticks[cause] += ticks;
	if (ticks > cpu->window.max)
		cpu->window.max = ticks;
	cpu->hist.count[hist_bucket(ticks)]++;
	if (ticks > cpu->worst.ticks)
		cpu->worst = gap;
	if (cpu->ring.used < cpu->ring.capacity)
		cpu->ring.slot[cpu->ring.used++] = gap;
	else
		cpu->ring.dropped++;
	if (ticks >= plan->stop || cpu->window.noise >= plan->stop_total)
		atomic_store(&plan->end, 0);
}

static inline void ground_before_window(struct cpu *cpu)
{
	cpu->nmi_last = (uint32_t)*cpu->nmi_count;
}

/* A window from its start to its end, or to where a gap ended it. */
static inline void ground_window(struct cpu *cpu, struct window_plan *plan)
{
	uint64_t end;

	memset(&cpu->window, 0, sizeof(cpu->window));
	plan->gather(cpu, plan->gather_ctx);
	end = atomic_load(&plan->end);
	cpu->window_start = plan->start + ground_skew;
	cpu->window_end = end + ground_skew;
	cpu->window.length = end - plan->start;
	if (ground.on_window)
		ground.on_window(cpu, plan);
	ground_pass(end);
}

static inline bool ground_stop(struct platform *p)
{
	(void)p;
	return ground.on_stop && ground.on_stop();
}

/* A ground of `cpus` cores, all wanted and ready. */
static inline struct platform *ground_lay(uint32_t cpus)
{
	memset(&ground, 0, sizeof(ground));
	ground.clock = GROUND_BEGIN;
	ground.step = 1;
	ground_skew = 0;
	for (uint32_t i = 0; i < cpus; i++) {
		struct cpu *cpu = &ground.cpu[i];

		cpu->index = cpu->position = i;
		cpu->apic_id = 2 * i;
		cpu->wanted = true;
		cpu->state = CPU_READY;
		cpu->nmi_count = &ground.nmi[i];
		cpu->mce_count = &ground.mce[i];
		cpu->ring = (struct gap_ring){ .slot = ground.slot[i], .capacity = GROUND_GAPS };
	}
	ground.platform = (struct platform){
		.cpu = ground.cpu,
		.cpus = cpus,
		.hz = GROUND_HZ,
		.begin_tsc = GROUND_BEGIN,
		.now = ground_now,
		.relax = ground_relax,
		.idle = ground_idle,
		.start = ground_start,
		.finish = ground_finish,
		.prepare = ground_prepare,
		.before_window = ground_before_window,
		.window = ground_window,
		.stop_requested = ground_stop,
	};
	return &ground.platform;
}

#endif
