/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of work for all cores. */
#include "team.h"

#include "ticks.h"

#include <stdatomic.h>
#include <stddef.h>

/* Under a hypervisor with few processors a core may not run for seconds. */
#define GATHER_SECONDS 30

bool team_member(const struct cpu *cpu)
{
	return atomic_load(&cpu->state) == CPU_READY;
}

static void member(struct cpu *cpu, void *arg)
{
	struct team *team = arg;
	struct platform *p = team->platform;
	uint32_t round = 0;

	for (;;) {
		while (atomic_load(&team->round) == round)
			p->relax();
		round++;
		if (!team->task)
			return;
		team->task(team, cpu, team->arg);
		atomic_store(&cpu->finished, round);
	}
}

void team_start(struct team *team, struct platform *platform)
{
	team->platform = platform;
	atomic_store(&team->round, 0);
	atomic_store(&team->go, 0);
	for (uint32_t i = 0; i < platform->cpus; i++) {
		atomic_store(&platform->cpu[i].gathered, 0);
		atomic_store(&platform->cpu[i].finished, 0);
	}
	platform->start(platform, member, team);
}

/* Wait for every other core to have `round` in its word at `offset`; those that do not are lost. */
static void wait_for(struct team *team, size_t offset, uint64_t ticks)
{
	struct platform *p = team->platform;
	uint32_t round = atomic_load(&team->round);
	uint64_t start = p->now();

	for (uint32_t i = 1; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];
		const _Atomic uint32_t *word =
			(const _Atomic uint32_t *)(const void *)((const char *)cpu + offset);

		while (team_member(cpu) && atomic_load(word) != round) {
			if (p->now() - start > ticks) {
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

void team_do(struct team *team, team_task *task, void *arg, uint64_t longest)
{
	struct platform *p = team->platform;
	uint32_t round = atomic_load(&team->round) + 1;

	team->task = task;
	team->arg = arg;
	atomic_store(&team->round, round);
	task(team, &p->cpu[0], arg);
	wait_for(team, offsetof(struct cpu, finished), longest + GATHER_SECONDS * p->hz);
}

void team_gather(struct team *team, struct cpu *cpu, void (*then)(struct team *, void *),
		 void *arg)
{
	uint32_t round = atomic_load(&team->round);

	if (cpu->index != 0) {
		atomic_store(&cpu->gathered, round);
		while (atomic_load(&team->go) != round)
			team->platform->relax();
		return;
	}
	wait_for(team, offsetof(struct cpu, gathered), GATHER_SECONDS * team->platform->hz);
	if (then)
		then(team, arg);
	atomic_store(&team->go, round);
}

void team_leave(struct team *team)
{
	team->task = NULL;
	atomic_fetch_add(&team->round, 1);
	team->platform->finish(team->platform);
}
