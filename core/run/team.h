/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores as a team: the boot core calls a round, all do the same task, the
 * boot core too, and it waits for them. Every wait is bounded; a core that does
 * not come back is reported and left out of all further rounds.
 */
#pragma once

#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct team;

typedef void team_task(struct team *team, struct cpu *cpu, void *arg);
typedef bool team_choice(const struct cpu *cpu, const void *arg);

struct team {
	struct platform *platform;
	/* Called for a core that was lost. */
	void (*lost)(void *ctx, const struct cpu *cpu);
	void *lost_ctx;

	_Atomic uint32_t round;
	_Atomic uint32_t go; /* the round whose gathering is complete */
	/* Ticks that the round may take, before late cores are waited for; it stays after it. */
	_Atomic uint64_t longest;
	/* The order of the round. */
	team_task *task; /* NULL: leave */
	void *arg;
};

/* Bring the members to work. Call once; team_leave() ends it. */
void team_start(struct team *team, struct platform *platform);

/* All cores do the task, the calling one too. `longest` bounds the wait, in ticks. */
void team_do(struct team *team, team_task *task, void *arg, uint64_t longest);

/* The same with the calling core and those that it needs, NULL: all; the others keep resting. */
void team_do_some(struct team *team, team_choice *needs, team_task *task, void *arg,
		  uint64_t longest);

/*
 * Within a task: wait until all cores of the round have reached this point. The boot core
 * (position 0) runs `then`, before the others go on.
 */
void team_gather(struct team *team, struct cpu *cpu, void (*then)(struct team *, void *),
		 void *arg);

void team_leave(struct team *team);

/* Does this core still take part? */
bool team_member(const struct cpu *cpu);
