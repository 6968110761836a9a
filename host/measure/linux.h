/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the loop of `noisefloor measure` in a process of Linux. */
#pragma once

#include "arch/arch.h"
#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/gaps/tsc_rate.h"
#include "core/lib/text.h"
#include "core/modes/services/service_room.h"
#include "core/records/record.h"
#include "core/report/report.h"
#include "core/run/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- Files ---- */

#define SYSTEM_PATH_MAX 512

/* Open to read: a descriptor, or -1 with errno. */
int system_open(const char *root, const char *name);

/*
 * The file's text, NUL-terminated and without line ends at its end; what does not
 * fit into `cap` bytes is an error. 0, or an errno.
 */
int system_read(const char *root, const char *name, char *text, size_t cap);

/* ---- Clock ---- */

#define LINUX_CLOCK_ROUNDS 2

/* Properties of the clock. */
struct linux_clock_facts {
	bool invariant;  /* CPUID 80000007h, EDX bit 8 */
	bool hypervisor; /* a hypervisor may provide the rate where the processor does not */
	struct tsc_rate_source cpuid[ARCH_CLOCK_SOURCES]; /* `cpuids` of them: 15h, 16h */
	unsigned cpuids;
	uint64_t raw_hz[LINUX_CLOCK_ROUNDS]; /* against CLOCK_MONOTONIC_RAW, one after another */
};

struct linux_clock {
	struct tsc_rate rate; /* by "cpuid15" "monotonic-raw" */
	bool invariant;
};

/* Read and measure these facts, which takes some 100 ms. */
void linux_clock_look(struct linux_clock_facts *facts);

/*
 * Choose as the probe does: CPUID's rate where the measured one confirms it.
 * False when the TSC is no clock to measure by; `why` is then what was found and what is
 * required.
 */
bool linux_clock_judge(const struct linux_clock_facts *facts, struct linux_clock *clock,
		       struct text *why);

/* ---- Configuration ---- */

/*
 * Defaults, then each argument "key=value"; `services` implies the mode that calls them. False,
 * with each mistake on standard error.
 */
bool linux_options_read(struct config *c, char **args, int count);

/*
 * Check against the machine: `allowed` are the cores this process may use, all below
 * `found`. In c->cpus are then those to measure. False, with the reasons on standard error.
 */
bool linux_options_check(struct config *c, const struct cpulist *allowed, uint32_t found);

/*
 * For threads by SCHED_FIFO, which real-time throttling lets run for 950 ms of each second
 * (sched_rt_runtime_us, its default): shorten the window to at most 90 % of that, and return how
 * long to rest before each but the first, ns, so that windows take 88 % of the time. One window for
 * the whole duration (`quiet`) stays what it is.
 */
uint64_t linux_options_rest(struct config *c);

/* ---- Machine ---- */

#define LINUX_DMI_STRINGS 7

/* The strings of a `begin` record. */
struct linux_machine {
	char dmi[LINUX_DMI_STRINGS][120];
	char os[200];       /* "Linux 6.1.0-18-rt-amd64 #1 SMP PREEMPT_RT ..." */
	char apic_ids[400]; /* measured cores */
	struct arch_identity identity;
};

/*
 * Read the machine into the record, whose strings are then in `m`, and the cores' apic_id. `root`:
 * where /sys and /proc are ("": the machine's own).
 */
void linux_machine_describe(struct linux_machine *m, struct record_begin *b, struct platform *p,
			    const char *root);

/* ---- Counters ---- */

/* Counts of one core since its start. */
struct linux_counts {
#define COUNTED(id, name, ...) struct maybe name; /* 32 bits, wraps */
#include "core/cause/counted_rows.h"
};

struct linux_counters {
	char root[256];
	struct platform *platform;
	char *text; /* contents of /proc/interrupts, up to `cap` bytes */
	size_t cap;
	struct linux_core_counts {
		int msr; /* an open file; -1: none */
		struct linux_counts last;
		uint64_t before[EVIDENCE_COUNTED]; /* steps before the current window */
	} * core;
};

/*
 * Open what is there under `root` ("": the machine's own), and note in each core's
 * `blind` what is not. False: no memory.
 */
bool linux_counters_open(struct linux_counters *c, struct platform *p, const char *root);
void linux_counters_close(struct linux_counters *c);

/* The function platform.count. It does not allocate. */
void linux_counters_step(struct linux_counters *c, bool after);

/* The SMIs that the core at a position has counted now, modulo 2^32; 0 where that is not known. */
uint32_t linux_counters_smi(const struct linux_counters *c, uint32_t position);

/*
 * Find core `cpu`'s counts in the text of /proc/interrupts. Not known: a core that
 * has no column, a row that is not there or too short.
 */
void linux_counters_parse(const char *text, uint32_t cpu, struct linux_counts *counts);

/* ---- Guard ---- */

enum linux_guard_state {
	LINUX_GUARD_IDLE,
	LINUX_GUARD_CALLING,
	LINUX_GUARD_INTERRUPTED,
	LINUX_GUARD_GIVEN_UP, /* for good */
};

struct linux_guard {
	uint64_t limit_ns;
	/* Called on a thread of the timer's, while the guarded one waits in the kernel. */
	void (*give_up)(void *ctx);
	void *ctx;

	pthread_t guarded;
	timer_t timer;
	_Atomic unsigned state;    /* enum linux_guard_state */
	_Atomic uint64_t began_ns; /* start of the call */
};

/* Guard the calling thread. False, with errno: it cannot be guarded; nothing is left open. */
bool linux_guard_open(struct linux_guard *g, uint64_t limit_ns, void (*give_up)(void *ctx),
		      void *ctx);
void linux_guard_close(struct linux_guard *g);

/* Right before and after a call. linux_guard_end() returns whether it had to be interrupted. */
void linux_guard_begin(struct linux_guard *g);
bool linux_guard_end(struct linux_guard *g);

/* ---- Services ---- */

/* Seconds until a call is interrupted; after twice as many it is given up. Tests set fewer. */
#define LINUX_SERVICES_CALL_S 5
extern unsigned linux_services_call_s;

#define LINUX_SERVICES_RUN_S 3600 /* limit on all calls together */

#define LINUX_SERVICES_VALUE (64u << 10) /* bytes of the largest variable that is read */

struct linux_services {
	char root[256];
	struct service_room *room;
	struct linux_guard guard;
	int fd; /* the open service's */
	uint64_t port;
	const char *service; /* the last that was called; NULL: none was */
	char why[300];
	uint64_t began_ns;
	uint8_t value[LINUX_SERVICES_VALUE + sizeof(uint32_t)];
};

/*
 * Fill the room's functions, and guard the calling thread, which will call. `give_up`: a call did
 * not return at all, that of s->service; what is left is to report it and to end the process.
 * False, with errno: not possible.
 */
bool linux_services_open(struct linux_services *s, const char *root, struct service_room *room,
			 void (*give_up)(void *ctx), void *ctx);
void linux_services_close(struct linux_services *s);

/* The reason if all of the allowance has been used up; else NULL. */
const char *linux_services_over(const struct linux_services *s);

/* ---- Platform ---- */

struct linux_thread {
	struct cpu *cpu;
	pthread_t id;
	bool started;
	int not_pinned;     /* errno; 0: it is bound to its core */
	int not_fifo;       /* errno; 0: it runs by SCHED_FIFO */
	_Atomic bool moved; /* was on another core at a window's end */
};

struct linux_platform {
	struct platform platform; /* its ctx is this */
	struct report *report;
	struct run *run; /* the current one, which linux_platform_hurry() ends; NULL: none */
	struct linux_counters counters;
	struct linux_services *services; /* caller of services, in modes that do; NULL: none */
	uint64_t rest_ns;                /* before each window but the first */
	bool begun;                      /* the first window is over */
	struct linux_thread *thread;     /* one per core; the first is the calling thread */
	uint64_t (*intervals)[1024];     /* CALIBRATE_INTERVALS per core */
	void *room[7];                   /* all blocks of memory, `rooms` of them */
	unsigned rooms;
	volatile uint64_t none; /* NMIs and machine checks, which no handler of ours counts */
	int not_locked;         /* errno; 0: all memory stays where it is */

	_Atomic bool go; /* members may begin */
	void (*member)(struct cpu *cpu, void *arg);
	void *arg;
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
 * it should be is in lp->thread and lp->not_locked.
 */
const char *linux_platform_open(struct linux_platform *lp, struct config *config, uint64_t hz,
				const char *root, struct report *report);

/* Called after the run. A thread that was on another core than its own makes the run incomplete. */
void linux_platform_check(const struct linux_platform *lp, struct verdict_reasons *reasons);

/*
 * All memory is free, the report's too. The calling thread stays bound to its core, with SCHED_FIFO
 * and locked memory: a process measures once, and ends.
 */
void linux_platform_close(struct linux_platform *lp);

/* End the current window, if any. In a signal handler, too. */
void linux_platform_hurry(void);
