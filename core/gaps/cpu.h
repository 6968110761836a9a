/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measurements of one core. During a window only its own core writes here; between windows only the
 * boot core reads. All lengths are in TSC ticks.
 */
#pragma once

#include "core/cause/cause.h"
#include "gap.h"
#include "hist.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The slow path is timed in pieces, each short enough to bound the start of a gap inside it. The
 * order matters: at a gap in a piece up to PIECE_SMI, the SMIs of the previous gap have not been
 * read yet (gap.behind).
 */
enum cpu_piece {
	PIECE_ENTRY,  /* leave the loop, queue its gap */
	PIECE_PUSH,   /* rare: queue a gap that was found in a piece */
	PIECE_SMI,    /* read the SMI counter */
	PIECE_COUNTS, /* read the handlers' NMIs and machine checks, and counters that measure */
	PIECE_STEPS,  /* compute the steps of counters that measure, if there are any */
	PIECE_BACK,   /* jump back to the piece after the one that had a gap */
	PIECE_SUMS,   /* count, sum, maximum, stop limits */
	PIECE_LENGTH, /* histogram */
	PIECE_STORE,  /* store the gap */
	PIECE_JUDGE,  /* rare: judge the gap at once, as the ring is full */
	PIECE_RESET,  /* prepare the next excursion */
	PIECE_RESUME, /* back to the first sample of the loop */
	PIECE_START,  /* from the window's first sample to the loop */
	PIECES
};

/* The counter for one row of counted_rows.h. It only rises; the low 32 bits are used, and wrap. */
struct cpu_counter {
	volatile const uint64_t *count; /* handlers' count in memory */
	/* For a register, which may not exist on this core: */
	bool readable; /* CPUID and a guarded read have shown that reading it does not fault */
	bool moved; /* a nonzero value or a proof of counting was seen: only then is it believed */
	uint32_t msr;   /* number of the register */
	uint32_t last;  /* value when it was last read */
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
	CPU_TOO_LATE, /* did not answer in time, and is left out for good */
	CPU_READY,    /* runs, waits for windows */
	CPU_FAULTED,  /* parked after an unrecoverable exception, or given up: see `late` */
};

struct cpu {
	uint32_t index; /* number in `cpus`: from 0, the boot core first, then the MADT's order; an
			   OS's own number */
	uint32_t position;      /* in platform.cpu: cores left out by `cpus` have none */
	uint32_t apic_id;       /* the one of struct acpi_cpu */
	bool wanted;            /* chosen by `cpus` */
	bool measured;          /* takes part in the windows */
	bool late;              /* CPU_FAULTED because the boot core no longer waits for it */
	_Atomic uint32_t state; /* enum cpu_state */
	/* Rounds of team.h: the one it was last called to, is ready for, and has finished. */
	_Atomic uint32_t called, gathered, finished;
	const char *proved; /* record_cpu.proved */

	/* Set up before measuring. */
	uint64_t cost[PIECES]; /* calibrated ticks of each piece */
	uint64_t interval_p50, interval_p999;
	uint64_t interval_floor; /* p99.9 of the calmest batch, which has only the loop itself */
	uint32_t quantum;        /* greatest common divisor of the intervals seen, ticks */
	int64_t tsc_offset; /* this core's TSC minus the boot core's; 0 when within the bound */
	struct maybe tsc_offset_bound;
	struct maybe
		tsc_adjust; /* IA32_TSC_ADJUST, two's complement, as of the stage's start or end */
#define COUNTED(id, name, ...) struct cpu_counter name;
#include "core/cause/counted_rows.h"
	const struct evidence_context *context; /* context of the evidence; NULL: not known */
	/*
	 * Read all other counters, on the slow path; nothing else, as it is long enough. NULL where
	 * the core has no such counters.
	 */
	void (*read_counters)(struct cpu *cpu);
	/* Compute their steps, from the reading of the previous call to the last reading. */
	void (*make_steps)(struct cpu *cpu, struct gap_steps *steps);
	/*
	 * Convert these steps and counts into evidence of a gap of e->gap ticks. Calls are in the
	 * order of the readings, but for gaps that the ring has no room for.
	 */
	void (*weigh_steps)(struct cpu *cpu, const struct gap_steps *steps,
			    const struct gap_evidence *counted, struct evidence *e);
	void *counters; /* private to these functions */
	/*
	 * Facts that this platform cannot know: `gaps`: the counters' steps in a single gap;
	 * another member: that count.
	 */
	struct {
		bool gaps;
#define COUNTED(id, name, ...) bool name;
#include "core/cause/counted_rows.h"
	} blind;

	/*
	 * The current window. `end` has a cache line of its own, because the loop reads it while
	 * other words are written by the core itself or by the boot core.
	 */
	uint8_t before_end[CPU_LINE];
	_Atomic uint64_t end; /* last tick; in this core's TSC if tsc_offset is not 0 */
	uint8_t behind_end[CPU_LINE - sizeof(uint64_t)];
	struct cpu_sums window;
	uint64_t window_start, window_end; /* first and last sample */
	uint32_t throttled;  /* enum evidence_throttle: newly logged as of the last stage's end */
	uint32_t mce_banks;  /* machine-check banks with a new error, likewise */
	bool unmasked;       /* interrupts were enabled at the end of a window of this stage */
	uint64_t rewinds;    /* times that the TSC stepped back in this stage */
	uint64_t queue_full; /* gaps of pieces that found the queue full, in this stage */

	/* The current stage. */
	struct maybe tail; /* modes with fixed work: the worst p99.9, ppm: 1000000 is 1 */
	struct maybe call; /* modes that call services: the longest on this core, ns */
	struct cpu_sums stage;
	struct gap worst; /* kept even when the ring is full */
	struct gap_ring ring;
	struct hist hist;
};

/* The counts of a core that are believed, as EVIDENCE() bits. */
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
