/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The third platform of a run: threads of a Linux process, one pinned to each core.
 * Interrupts are served as usual, and the scheduler may take a core away: that is what is
 * measured. The leading core is the first of the list.
 */
#pragma once

#include "linux_counters.h"
#include "linux_options.h"
#include "linux_services.h"

#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/report/report.h"
#include "core/run/run.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct linux_thread {
	struct cpu *cpu;
	pthread_t id;
	bool started;
	int not_pinned;     /* errno; 0: it is bound to its core */
	int not_fifo;       /* errno; 0: it runs by SCHED_FIFO */
	_Atomic bool moved; /* it was on another core at a window's end */
};

struct linux_platform {
	struct platform platform; /* its ctx is this */
	struct report *report;
	struct run *run; /* the current one, which linux_platform_hurry() ends; NULL: none */
	struct linux_counters counters;
	struct linux_throttle throttle;
	struct linux_services *services; /* what calls, where the mode does; NULL: none */
	uint64_t rest_ns;                /* before each window but the first */
	bool begun;                      /* that one is behind us */
	struct linux_thread *thread;     /* per core; the first is the calling one */
	uint64_t (*intervals)[1024];     /* CALIBRATE_INTERVALS per core */
	void *memory;                    /* the report's */
	struct gap *slots;
	void *ring;             /* that fixed work reads, larger than all caches; NULL: none */
	void *kept;             /* by a mode of such work */
	void *own;              /* rings of each core alone; NULL: they share them */
	volatile uint64_t none; /* NMIs and machine checks, which no handler of ours counts */
	int not_locked;         /* errno; 0: all memory stays where it is */

	_Atomic bool go; /* members may begin */
	void (*member)(struct cpu *cpu, void *arg);
	void *arg;

	/* How the calling thread was before. */
	struct before *before;
};

/*
 * The cores this process may run on, of those below CPULIST_MAX, and the number of
 * cores Linux may ever have. False, with errno: Linux does not report them.
 */
bool linux_allowed(struct cpulist *allowed, uint32_t *found);

/*
 * Allocate, start a thread on each core of config->cpus, pin them and this one, and lay out
 * the report's memory; where SCHED_FIFO's share is limited, config->window_ns is
 * shortened. `hz` is the TSC's rate, `root` the files' ("": the machine's own).
 * NULL, or what went wrong; linux_platform_close() is due in both cases. What is not as
 * it should be is reported by linux_platform_report().
 */
const char *linux_platform_open(struct linux_platform *lp, struct config *config, uint64_t hz,
				const char *root, struct report *report);

/* What a reader must know: scheduling, throttling, memory; as log records. */
void linux_platform_report(const struct linux_platform *lp, const struct config *config);

/* After the run: a core on which another was measured spoils it. */
void linux_platform_check(const struct linux_platform *lp, struct verdict_reasons *reasons);

/* The calling thread as it was, and all memory free, the report's too. */
void linux_platform_close(struct linux_platform *lp);

/* End the current window, if any. In a signal handler, too. */
void linux_platform_hurry(void);
