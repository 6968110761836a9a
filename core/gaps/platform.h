/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run stands on: the firmware (MP Services), the bare machine, or
 * Linux. The run knows nothing else about it.
 */
#pragma once

#include "clockwatch.h"
#include "cpu.h"
#include "topology.h"

#include <stdbool.h>
#include <stdint.h>

/* What every core needs to know of a window. */
struct platform_window {
	/*
	 * Called when all else is ready: returns when every core is, and start and
	 * end are set, each core's own too. NULL: they are set already.
	 */
	void (*gather)(struct cpu *cpu, void *ctx);
	void *gather_ctx;
	uint64_t start; /* first tick, in the boot core's TSC */
	_Atomic uint64_t
		end;     /* last tick, in the boot core's TSC; 0: a core has ended the window */
	struct cpu *cpu; /* cpus of them: a core that ends the window clears each one's end */
	uint32_t cpus;
	uint64_t threshold;  /* shortest gap, ticks */
	uint64_t stop;       /* a gap this long ends the window; UINT64_MAX: never */
	uint64_t stop_total; /* noise in one core's window that ends it; UINT64_MAX: never */
};

struct record_stage; /* core/records/record.h */
struct work_room;    /* of the mode that does fixed work */
struct survey_room;  /* of the one that reads the machine */
struct service_room; /* of the one that calls services */

struct platform {
	struct cpu *cpu; /* cpus of them, the boot core first */
	uint32_t cpus;
	bool whole; /* they are all cores of the machine: none was left out by `cpus` */
	struct topology *topology; /* of each core, by its position; NULL: not known */
	uint64_t hz;               /* ticks per second */
	uint64_t begin_tsc;        /* the zero of all times in ns */
	bool hypervisor;           /* cores may be descheduled: leave more time to gather */
	/* Interrupts come while it measures, as under an OS: they are part of what is measured. */
	bool unmasked;

	uint64_t (*now)(void);
	void (*relax)(void);
	/*
	 * Rest until something happens, and end another core's rest. A core rests
	 * between rounds, never while others measure. idle gets the calling core. wake may
	 * be NULL: idle returns by itself.
	 */
	void (*idle)(const struct cpu *self);
	void (*wake)(const struct cpu *cpu);

	/*
	 * Run member(cpu, arg) on every core but the calling one, at once; it
	 * returns when asked to leave. False when no core could be started that way.
	 */
	bool (*start)(struct platform *p, void (*member)(struct cpu *, void *), void *arg);
	/* Wait, bounded, for all members to have returned. */
	void (*finish)(struct platform *p);
	/*
	 * Called again and again while the calling core waits for the others to be
	 * ready: its counters' steps so far came before the window.
	 */
	void (*before_window)(struct cpu *cpu);
	/* Learn what the calling core can do: evidence, sample interval, cost of the slow path. */
	void (*prepare)(struct cpu *cpu);
	/* Be away for so many ticks while sampling; true when that was found to be a gap. */
	bool (*delay)(struct cpu *cpu, uint64_t ticks);
	/* Clocks beside the TSC, read between windows. False: this reading failed. */
	struct clockwatch_clock clock[CLOCKWATCH_MAX];
	unsigned clocks;
	bool (*read_clock)(struct platform *p, unsigned n, struct clockwatch_reading *reading);
	/* Between stages: fill throttled and mce_banks of the calling core; NULL: nothing has logs.
	 */
	void (*logs)(struct cpu *cpu);
	/* Put back what that armed, on each core that leaves; NULL: nothing. */
	void (*release)(struct cpu *cpu);
	/* Send one NMI to a core, the calling one too. NULL where the platform cannot. */
	void (*send_nmi)(const struct cpu *cpu);
	/* Gather, then sample one window on the calling core. */
	void (*window)(struct cpu *cpu, struct platform_window *plan);
	/* Does a person or a supervisor want the run to end? Asked between windows. */
	bool (*stop_requested)(struct platform *p);
	const char *stopped_by; /* who wanted it; NULL: "a key on the serial port" */
	/* On the boot core, before the stage's first window and after each: what else the machine
	 * has to do. NULL: nothing. */
	void (*between)(struct platform *p);
	/*
	 * On the boot core, right before and after each window, while the others rest:
	 * read counters of all cores that a core cannot read itself. After it their
	 * steps are put into each core's window. NULL: there are none.
	 */
	void (*count)(struct platform *p, bool after);
	/*
	 * Take the steps that lead into the stage, and describe in *stage, whose name is set,
	 * the state of the platform; its strings live until the next call. On the boot core, while
	 * the others rest; NULL: no step, and nothing known.
	 */
	void (*enter)(struct platform *p, struct record_stage *stage);
	struct work_room *work;        /* NULL: the mode does none */
	struct survey_room *survey;    /* NULL: the mode makes none */
	struct service_room *services; /* NULL: the mode calls none */
	void *ctx;
};
