/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores as a team: the boot core starts a round, in which all cores including itself do the
 * same task, and then waits for them. Every wait is bounded; a core that does not come back is
 * reported and left out of all further rounds.
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
	/*
	 * Ticks that the round may take, without the further time that late cores get before they
	 * are given up. It keeps its value until the next round.
	 */
	_Atomic uint64_t longest;
	/* The task of the round. */
	team_task *task; /* NULL: leave the team */
	void *arg;
};

/* Start the members. Call this once; team_leave() ends it. */
void team_start(struct team *team, struct platform *platform);

/* Let all cores do the task, the calling one included. `longest` bounds the wait, in ticks. */
void team_do(struct team *team, team_task *task, void *arg, uint64_t longest);

/*
 * team_do() with the calling core and those that `needs` selects, NULL: all; the others keep
 * resting.
 */
void team_do_some(struct team *team, team_choice *needs, team_task *task, void *arg,
		  uint64_t longest);

/*
 * Within a task: wait until all cores of the round have reached this point. The boot core
 * (position 0) runs `then`, before the others go on.
 */
void team_gather(struct team *team, struct cpu *cpu, void (*then)(struct team *, void *),
		 void *arg);

void team_leave(struct team *team);

/* True if this core still takes part. */
bool team_member(const struct cpu *cpu);
