/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Platform of a run: the firmware (MP Services), the bare machine, or Linux. The run knows nothing
 * else about it.
 */
#pragma once

#include "clockwatch.h"
#include "cpu.h"
#include "topology.h"

#include <stdbool.h>
#include <stdint.h>

/* Parameters of a window for all cores. */
struct platform_window {
	/*
	 * Called when the core is ready. It returns when all cores are, and the start and end are
	 * set, including each core's own. NULL: they are set already.
	 */
	void (*gather)(struct cpu *cpu, void *ctx);
	void *gather_ctx;
	uint64_t length; /* ticks that gather() lets it have */
	uint64_t start;  /* first tick, in the boot core's TSC */
	_Atomic uint64_t
		end;     /* last tick, in the boot core's TSC; 0: a core has ended the window */
	struct cpu *cpu; /* `cpus` cores; a core that ends the window clears the end of each */
	uint32_t cpus;
	uint64_t threshold;  /* shortest gap, ticks */
	uint64_t stop;       /* a gap this long ends the window; UINT64_MAX: never */
	uint64_t stop_total; /* total noise of one core that ends the window; UINT64_MAX: never */
};

struct record_stage; /* core/records/record.h */
struct work_room;    /* state of modes that do fixed work */
struct survey_room;  /* state of modes that read the machine */
struct service_room; /* state of modes that call services */

struct platform {
	struct cpu *cpu; /* `cpus` cores, the boot core first */
	uint32_t cpus;
	bool whole;                /* no core of the machine was left out by `cpus` */
	struct topology *topology; /* per core, by its position; NULL: not known */
	uint64_t hz;               /* ticks per second */
	uint64_t begin_tsc;        /* the zero of all times in ns */
	bool hypervisor;           /* cores may be descheduled: allow more time to gather */
	/* Interrupts are enabled in windows, as under an OS: they are part of what is measured. */
	bool unmasked;

	uint64_t (*now)(void);
	void (*relax)(void);
	/*
	 * idle() rests the calling core until something happens; wake() ends the rest of another
	 * core. Cores rest between rounds, never while others measure. wake may be NULL if idle()
	 * returns by itself.
	 */
	void (*idle)(const struct cpu *self);
	void (*wake)(const struct cpu *cpu);

	/*
	 * Run member(cpu, arg) on all other cores at the same time, until each is asked to leave.
	 * Returns false if no core could be started.
	 */
	bool (*start)(struct platform *p, void (*member)(struct cpu *, void *), void *arg);
	/* Wait until all members have returned, but not for ever. */
	void (*finish)(struct platform *p);
	/*
	 * Called repeatedly while the calling core waits for the others: discard what its counters
	 * have counted so far, which is before the window.
	 */
	void (*before_window)(struct cpu *cpu);
	/*
	 * Detect and calibrate the calling core: evidence, sample interval, cost of the slow path.
	 */
	void (*prepare)(struct cpu *cpu);
	/* Interrupt sampling for `ticks`. Returns true if that was recorded as a gap. */
	bool (*delay)(struct cpu *cpu, uint64_t ticks);
	/* Clocks other than the TSC, read between windows. Returns false if this reading failed. */
	struct clockwatch_clock clock[CLOCKWATCH_MAX];
	unsigned clocks;
	bool (*read_clock)(struct platform *p, unsigned n, struct clockwatch_reading *reading);
	/* Between stages: fill throttled and mce_banks of the calling core; NULL: no logs. */
	void (*logs)(struct cpu *cpu);
	/* Undo prepare() on a core that leaves; NULL: nothing to undo. */
	void (*release)(struct cpu *cpu);
	/* Send an NMI to a core, possibly the calling one. NULL: the platform cannot. */
	void (*send_nmi)(const struct cpu *cpu);
	/* Gather, then sample one window on the calling core. */
	void (*window)(struct cpu *cpu, struct platform_window *plan);
	/* Returns true if the user or a supervisor wants the run to end. Called between windows. */
	bool (*stop_requested)(struct platform *p);
	const char *stopped_by; /* source of the stop request; NULL: "a key on the serial port" */
	/*
	 * On the boot core, before the stage's first window and after each: does the platform's
	 * other work. NULL: there is none.
	 */
	void (*between)(struct platform *p);
	/*
	 * On the boot core, right before and after each window, while the others rest: read
	 * counters that cores cannot read themselves. Their steps are added to each core's window
	 * after it. NULL: there are none.
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
