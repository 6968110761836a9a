/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of work for all cores. */
#include "team.h"

#include <stdatomic.h>

/* Time that a round may take beyond its work: many cores may share few real ones. */
#define PATIENCE_SECONDS         10
#define PATIENCE_SECONDS_PER_CPU 1

static uint64_t patience(const struct platform *p)
{
	return (PATIENCE_SECONDS + (uint64_t)PATIENCE_SECONDS_PER_CPU * p->cpus) * p->hz;
}

bool team_member(const struct cpu *cpu)
{
	return atomic_load(&cpu->state) == CPU_READY;
}

static void member(struct cpu *cpu, void *arg)
{
	struct team *team = arg;
	struct platform *p = team->platform;
	uint32_t round = 0, latest;

	for (;;) {
		while ((latest = atomic_load(&cpu->called)) == round)
			p->idle(cpu);
		round = latest;
		if (!team->task)
			break;
		/* The core was given up meanwhile, and is no longer waited for. */
		if (!team_member(cpu))
			continue;
		team->task(team, cpu, team->arg);
		atomic_store(&cpu->finished, round);
	}
	if (p->release)
		p->release(cpu);
}

void team_start(struct team *team, struct platform *platform)
{
	team->platform = platform;
	atomic_store(&team->round, 0);
	atomic_store(&team->go, 0);
	for (uint32_t i = 0; i < platform->cpus; i++) {
		atomic_store(&platform->cpu[i].called, 0);
		atomic_store(&platform->cpu[i].gathered, 0);
		atomic_store(&platform->cpu[i].finished, 0);
	}
	platform->start(platform, member, team);
}

/* Wait until the other cores of the round are ready for it, or have finished it. */
static void wait_for(struct team *team, bool finished, uint64_t ticks)
{
	struct platform *p = team->platform;
	uint32_t round = atomic_load(&team->round);
	uint64_t start = p->now();

	for (uint32_t i = 1; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];
		const _Atomic uint32_t *word = finished ? &cpu->finished : &cpu->gathered;

		if (team_member(cpu) && atomic_load(&cpu->called) != round)
			continue;
		while (team_member(cpu) && atomic_load(word) != round) {
			if (p->now() - start > ticks) {
				cpu->late = true;
				atomic_store(&cpu->state, CPU_FAULTED);
				break;
			}
			p->relax();
		}
		if (!team_member(cpu) && cpu->measured) {
			cpu->measured = false;
			if (team->lost)
				team->lost(team->lost_ctx, cpu);
		}
	}
}

static void team_call(struct team *team, struct cpu *cpu, uint32_t round)
{
	struct platform *p = team->platform;

	atomic_store(&cpu->called, round);
	if (p->wake && team_member(cpu))
		p->wake(cpu);
}

void team_do_some(struct team *team, team_choice *needs, team_task *task, void *arg,
		  uint64_t longest)
{
	struct platform *p = team->platform;
	uint32_t round = atomic_load(&team->round) + 1;

	/* No core still works on the last task: each is done with it, or no member any more. */
	team->task = task;
	team->arg = arg;
	atomic_store(&team->longest, longest);
	atomic_store(&team->round, round);
	for (uint32_t i = 1; i < p->cpus; i++)
		if (team_member(&p->cpu[i]) && (!needs || needs(&p->cpu[i], arg)))
			team_call(team, &p->cpu[i], round);
	task(team, &p->cpu[0], arg);
	wait_for(team, true, longest + patience(p));
}

void team_do(struct team *team, team_task *task, void *arg, uint64_t longest)
{
	team_do_some(team, NULL, task, arg, longest);
}

void team_gather(struct team *team, struct cpu *cpu, void (*then)(struct team *, void *), void *arg)
{
	uint32_t round = atomic_load(&team->round);
	bool on;

	if (cpu->position != 0) {
		atomic_store(&cpu->gathered, round);
		do {
			team->platform->relax();
			on = atomic_load(&team->go) == round;
			team->platform->before_window(cpu);
		} while (!on);
		return;
	}
	wait_for(team, false, patience(team->platform));
	if (then)
		then(team, arg);
	atomic_store(&team->go, round);
}

void team_leave(struct team *team)
{
	struct platform *p = team->platform;

	team->task = NULL;
	for (uint32_t i = 1; i < p->cpus; i++)
		team_call(team, &p->cpu[i], atomic_load(&team->round) + 1);
	if (p->release)
		p->release(&p->cpu[0]);
	p->finish(p);
}
