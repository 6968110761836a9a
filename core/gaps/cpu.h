/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one core measures. During a window only its own core writes here;
 * between windows only the boot core reads. All lengths are in TSC ticks.
 */
#pragma once

#include "core/cause/cause.h"
#include "gap.h"
#include "hist.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The slow path is timed in pieces, each short enough to know when a gap inside it
 * began. The order matters: a gap found in a piece up to PIECE_SMI came before its
 * forerunner's SMIs were read.
 */
enum cpu_piece {
	PIECE_ENTRY,  /* out of the loop, its gap queued */
	PIECE_PUSH,   /* rare: a further gap queued, found in one of the pieces */
	PIECE_SMI,    /* SMI counter read */
	PIECE_COUNTS, /* NMIs and machine checks counted by the handlers; counters that measure */
	PIECE_STEPS,  /* the steps of these, where there are any */
	PIECE_BACK,   /* to where recording goes on */
	PIECE_SUMS,   /* count, sum, maximum, stop limits */
	PIECE_LENGTH, /* histogram */
	PIECE_STORE,  /* the gap stored */
	PIECE_JUDGE,  /* rare: the gap judged at once, as the ring has no room for it */
	PIECE_RESET,  /* ready for the next excursion */
	PIECE_RESUME, /* back to the first sample of the loop */
	PIECE_START,  /* from the window's first sample to the loop */
	PIECES
};

/* The counter of a row of counted_rows.h: it only rises; its low 32 bits are used, and wrap. */
struct cpu_counter {
	volatile const uint64_t *count; /* written by a handler */
	/* A register, which may not exist on this core. */
	bool readable; /* reading it does not fault, by CPUID and a guarded read */
	bool moved; /* was seen to be other than 0, or proved to count: only then is it believed */
	uint32_t msr;   /* where it is read */
	uint32_t last;  /* the counter when it was last read */
	uint32_t start; /* at the start of the window */
};

/* Sums over one window or one stage. */
struct cpu_sums {
	uint64_t length; /* ticks from first to last sample */
	uint64_t slow;   /* ticks spent recording gaps: not exposure */
	uint64_t gaps;
	uint64_t noise;                                   /* ticks in gaps */
	uint64_t max;                                     /* longest gap, ticks */
#define COUNTED(id, name, ...) uint64_t name, name##_out; /* inside windows, between them */
#include "core/cause/counted_rows.h"
	uint64_t cause_gaps[CAUSES];
	uint64_t cause_ticks[CAUSES];
};

#define CPU_LINE 64u /* bytes of a cache line */

enum cpu_state {
	CPU_ABSENT,   /* has not answered */
	CPU_TOO_LATE, /* had not answered when it was left out, and is kept out if it does */
	CPU_READY,    /* runs, waits for windows */
	CPU_FAULTED,  /* took an exception it could not recover from, and is parked */
};

struct cpu {
	uint32_t index; /* as in `cpus`: from 0, the boot core first, then the MADT's order; an OS's
			   own number */
	uint32_t position;      /* in platform.cpu: cores left out by `cpus` have none */
	uint32_t apic_id;       /* as acpi_cpu has it */
	bool wanted;            /* chosen by `cpus` */
	bool measured;          /* takes part in the windows */
	bool late;              /* CPU_FAULTED, as the boot core has given up waiting for it */
	_Atomic uint32_t state; /* enum cpu_state */
	/* team.h: round that it was called to, for which it is ready, which it has done */
	_Atomic uint32_t called, gathered, finished;
	const char *proved; /* record_cpu.proved */

	/* Set up before measuring. */
	uint64_t cost[PIECES]; /* calibrated ticks of each piece */
	uint64_t interval_p50, interval_p999;
	uint64_t interval_floor; /* p99.9 of the calmest batch: the loop's own */
	uint32_t quantum;        /* greatest common divisor of the intervals seen, ticks */
	int64_t tsc_offset; /* this core's TSC minus the boot core's; 0 when within the bound */
	struct maybe tsc_offset_bound;
	struct maybe
		tsc_adjust; /* IA32_TSC_ADJUST, two's complement, as of the stage's start or end */
#define COUNTED(id, name, ...) struct cpu_counter name;
#include "core/cause/counted_rows.h"
	const struct evidence_context *context; /* of the evidence; NULL: not known */
	/*
	 * Read all other counters, on the slow path; nothing else, as it is long enough. NULL where
	 * the core has no such counters.
	 */
	void (*read_counters)(struct cpu *cpu);
	/* Their steps up to that reading, from the last one of which steps were made. */
	void (*make_steps)(struct cpu *cpu, struct gap_steps *steps);
	/*
	 * What these steps, and what was counted, are as evidence of a gap of e->gap ticks. Calls
	 * are in the order of the readings, but for gaps that the ring has no room for.
	 */
	void (*weigh_steps)(struct cpu *cpu, const struct gap_steps *steps,
			    const struct gap_evidence *counted, struct evidence *e);
	void *counters; /* these functions' own */
	/* Not known on this platform: the counters' steps in one gap, each count. */
	struct {
		bool gaps;
#define COUNTED(id, name, ...) bool name;
#include "core/cause/counted_rows.h"
	} blind;

	/*
	 * The current window. The end is read in the loop, and alone in its line: other words the
	 * core itself or the boot core writes.
	 */
	uint8_t before_end[CPU_LINE];
	_Atomic uint64_t end; /* last tick, in this core's TSC, where that is off the boot core's */
	uint8_t behind_end[CPU_LINE - sizeof(uint64_t)];
	struct cpu_sums window;
	uint64_t window_start, window_end; /* first and last sample */
	uint32_t throttled;  /* enum evidence_throttle bits newly logged, as of the last stage's end
			      */
	uint32_t mce_banks;  /* machine-check banks that newly hold an error, likewise */
	bool unmasked;       /* interrupts were found on at a window's end, in this stage */
	uint64_t rewinds;    /* the TSC was seen to step back, in this stage */
	uint64_t queue_full; /* pieces whose gap did not fit into the queue, in this stage */

	/* The current stage. */
	struct maybe tail; /* of a mode with fixed work: the worst p99.9, ppm: 1000000 is 1 */
	struct maybe call; /* of a mode that calls services: the longest on this core, ns */
	struct cpu_sums stage;
	struct gap worst; /* kept even when the ring is full */
	struct gap_ring ring;
	struct hist hist;
};

/* The counts of a core that are believed, EVIDENCE(). */
static inline uint32_t cpu_knows(const struct cpu *cpu)
{
	uint32_t known = 0;

#define KNOWS_REGISTER(name)         cpu->name.moved
#define KNOWS_HANDLER(name)          !cpu->blind.name
#define COUNTED(id, name, from, ...) known |= KNOWS_##from(name) ? EVIDENCE(id) : 0;
#include "core/cause/counted_rows.h"
#undef KNOWS_REGISTER
#undef KNOWS_HANDLER
	return known;
}
