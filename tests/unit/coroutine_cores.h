/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores of mock_platform.h as coroutines of one thread, each with a clock of its own: the one
 * that is furthest behind runs next. So the time that many cores take in parallel is counted
 * exactly, on any computer. Loops have to look at the clock, relax or idle: the self-tests of the
 * offsets do not.
 */
#pragma once

#include "tests/unit/common/fiber.h"
#include "tests/unit/mock_platform.h"

#define COROUTINE_STACK (1u << 17)
#define COROUTINE_RELAX 10000 /* ticks: how late a core sees what it waits for */

static struct {
	struct fiber fiber[MOCK_CPUS];
	char *stacks;
	uint64_t clock[MOCK_CPUS];
	uint32_t awake[MOCK_CPUS], count; /* cores that do not rest; the boot core first */
	uint32_t self, left;              /* left: members that have not left */
} coroutine;

static inline void coroutine_be(uint32_t core)
{
	coroutine.self = core;
	mock_self = core ? &mock.cpu[core] : NULL;
	mock_skew = mock.skew[core];
}

/* `over`: the calling core does not go on. */
static inline void coroutine_switch(bool over)
{
	uint32_t from = coroutine.self, to = 0;

	for (uint32_t i = 1; i < coroutine.count; i++)
		if (coroutine.clock[coroutine.awake[i]] < coroutine.clock[to])
			to = coroutine.awake[i];
	if (to == from)
		return;
	coroutine_be(to);
	fiber_switch(&coroutine.fiber[from], &coroutine.fiber[to], over);
}

/* The calling core works for so long. */
static inline void coroutine_pass(uint64_t ticks)
{
	coroutine.clock[coroutine.self] += ticks;
	coroutine_switch(false);
}

static inline uint64_t coroutine_now(void)
{
	return ++coroutine.clock[coroutine.self];
}

static inline void coroutine_relax(void)
{
	coroutine_pass(COROUTINE_RELAX);
}

static inline uint32_t coroutine_find(uint32_t core)
{
	uint32_t i = 0;

	while (i < coroutine.count && coroutine.awake[i] != core)
		i++;
	return i;
}

static inline void coroutine_rest(bool over)
{
	coroutine.awake[coroutine_find(coroutine.self)] = coroutine.awake[--coroutine.count];
	coroutine_switch(over);
}

static inline void coroutine_idle(const struct cpu *self)
{
	(void)self;
	coroutine_rest(false);
}

static inline void coroutine_wake(const struct cpu *cpu)
{
	uint32_t i = cpu->position;

	if (coroutine_find(i) < coroutine.count)
		return;
	coroutine.awake[coroutine.count++] = i;
	if (coroutine.clock[i] < coroutine.clock[coroutine.self])
		coroutine.clock[i] = coroutine.clock[coroutine.self];
}

static inline void coroutine_enter(void)
{
	mock.member(&mock.cpu[coroutine.self], mock.arg);
	coroutine.left--;
	coroutine_rest(true);
}

static inline bool coroutine_start(struct platform *p, void (*member)(struct cpu *, void *),
				   void *arg)
{
	mock.member = member;
	mock.arg = arg;
	coroutine.left = p->cpus - 1;
	coroutine.stacks = calloc(p->cpus, COROUTINE_STACK);
	coroutine.count = p->cpus;
	for (uint32_t i = 1; i < p->cpus; i++)
		fiber_make(&coroutine.fiber[i], coroutine.stacks + i * COROUTINE_STACK,
			   COROUTINE_STACK, coroutine_enter);
	return true;
}

static inline void coroutine_finish(struct platform *p)
{
	(void)p;
	while (coroutine.left)
		coroutine_relax();
	free(coroutine.stacks);
}

/* Set up mock_lay()'s platform, whose skew is set. */
static inline void coroutine_lay(struct platform *p)
{
	memset(&coroutine, 0, sizeof(coroutine));
	coroutine.count = 1;
	for (uint32_t i = 0; i < p->cpus; i++) {
		coroutine.clock[i] = MOCK_BEGIN + mock.skew[i];
		coroutine.awake[i] = i;
	}
	p->now = coroutine_now;
	p->relax = coroutine_relax;
	p->idle = coroutine_idle;
	p->wake = coroutine_wake;
	p->start = coroutine_start;
	p->finish = coroutine_finish;
}

/* A run of one stage, without self-tests. */
static inline void coroutine_run(struct run *r)
{
	struct platform *p = r->platform;

	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].measured = true;
	team_start(&r->team, p);
	mock_stage(r);
}
