/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence from a core's registers: one table, one row per kind, which defines how it is found,
 * armed, read and proved (counters_find.c). Existence is no proof: an emulator may return 0 for
 * registers that it lacks. A counter is believed once it was seen to move.
 *
 * All functions work on the calling core. SMI, NMI and #MC counts are read on the slow path of
 * every gap by evidence.h; the rest by counters_read(). counters_steps() converts these readings to
 * steps, counters_weigh() to evidence.
 */
#pragma once

#include "arch/arch.h"
#include "arch/spans.h"
#include "core/cause/attribution.h"
#include "core/gaps/gap.h"
#include "regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER_ROWS_MAX 20
/* Spans from which a rate is learned. */
#define COUNTER_SPANS 8

/* Reader of a row, and the time of the reading. */
enum counter_reader {
	READ_CLOCK,     /* first and together: its step is compared with the clock's */
	READ_COUNT,     /* at every gap; its step is signed */
	READ_STEAL,     /* at every gap, from the area of the steal clock; ns */
	READ_THERMAL,   /* between stages: statuses of throttling, and their logs */
	READ_BANKS,     /* between stages: machine-check banks */
	READ_ELSEWHERE, /* by evidence.h, at every gap; or not at all */
};

/* Proof that a row is real, once armed. */
enum counter_proof {
	PROOF_RUNS,   /* counts all the time */
	PROOF_RATE,   /* counts all the time, at the clock's rate: counters_learn() */
	PROOF_SEEN,   /* believed by its reader once it is not 0, or was proved otherwise */
	PROOF_FILLED, /* the host has filled the area of the steal clock */
	PROOF_NONE,   /* CPUID and arming's readback suffice */
};

enum counter_state {
	COUNTER_ABSENT, /* absent by CPUID, vendor or a guarded read */
	COUNTER_FOUND,
	COUNTER_BUSY,   /* the firmware uses it: left alone */
	COUNTER_ARMED,  /* ours to read */
	COUNTER_SILENT, /* did not accept a written value, or never moved: restored, not used */
};

/*
 * Deviation of a counter from the clock's rate. The TSC is made from the crystal, MPERF and the
 * reference counter from the bus clock, which may be spread: they are up to 1 % apart, always by
 * the same (Linux, turbostat's tsc_tweak; pepc, misc-tsc-amperf.md).
 */
struct counter_rate {
	int32_t seen[COUNTER_SPANS]; /* clock per count less 1, 2^-32, of each span */
	int32_t off;                 /* learned deviation, in the unit of `seen` */
	uint32_t doubt;              /* uncertainty of `off`, 2^-32 */
	uint8_t spans;
};

/* Settings of a counter of events, in the order of arming, which is undone from the last to COUNT.
 */
enum { SETTING_COUNT, SETTING_CONTROL, SETTING_GLOBAL, COUNTER_SETTINGS };

/* Arming gives the bits of `mask` in a register these values. */
struct counter_setting {
	uint32_t msr;
	uint64_t mask, bits;
	uint64_t found; /* the register before */
};

/* One row of the table on one core. */
struct counter_slot {
	uint8_t state;    /* enum counter_state */
	uint8_t settings; /* number of them */
	bool believed;    /* its steps are evidence */
	bool proved;      /* counters of rare events: counted other events when set to them */
	uint32_t msr;     /* number of the register */
	uint64_t mask;    /* the bits that count */
	uint64_t last;    /* logs: the last reading */
	uint64_t step;    /* step last weighed, not scaled to the clock's rate */
	uint64_t proof;   /* bits of the control for events that are not rare; 0: there are none */
	struct counter_setting setting[COUNTER_SETTINGS]; /* in the order of arming */
	struct counter_rate rate;
};

/* A column of struct gap_steps: the data of its row that a reading needs, close together. */
struct counter_column {
	uint64_t mask;
	uint64_t last, now; /* last: the steps' base; now: the last reading */
	uint32_t msr;
	uint8_t row;
};

/*
 * KVM's steal time area: Linux, Documentation/virt/kvm/x86/msr.rst, MSR_KVM_STEAL_TIME. `version`
 * is odd while it is being written.
 */
struct counter_steal_area {
	uint64_t steal_ns;
	uint32_t version;
	uint32_t flags;
	uint8_t preempted;
	uint8_t reserved[47];
} __attribute__((aligned(64)));

struct counters {
	const struct regs *regs;
	const struct arch_identity *id;
	uint64_t hz;
	struct counter_steal_area *area; /* this core's own, identity-mapped */
	struct evidence_context context;
	struct counter_slot slot[COUNTER_ROWS_MAX];
	struct counter_column column[GAP_COLUMNS]; /* registers read at every gap */
	unsigned clocks, columns; /* how many there are; the first `clocks` are clock-like */
	uint32_t fresh; /* mask of the columns that could be read when steps were last made */
	/* The last reading. */
	struct {
		uint32_t fresh;       /* mask of the columns that could be read in it */
		uint64_t clock, took; /* ticks; of the clock-like counters */
	} now;
	uint64_t clock_last, took_last; /* `now`, when steps were last made */
	uint64_t took_min;
	uint32_t doubt;     /* the largest doubt of a believed counter, struct counter_rate */
	bool apart;         /* the spans learned from are not consecutive */
	uint32_t throttled; /* enum evidence_throttle bits seen to rise since this was cleared */
	uint32_t banks;     /* machine-check banks seen to take an error, likewise */
};

/* Kinds of rows that are no evidence of a gap. */
enum { COUNTER_FREEZE = EVIDENCE_KINDS, COUNTER_LOG };

/* ---- The table, and what it finds: counters_find.c ---- */

struct counter_row {
	const char *name;
	unsigned kind; /* enum evidence_kind, or one of the above */
	enum counter_reader reader;
	enum counter_proof proof;
	/* NULL: our own handlers count, on any processor. */
	enum counter_state (*find)(struct counters *c, const struct counter_row *row,
				   struct counter_slot *slot);
	uint32_t param; /* register, event or number, for `find` */
	struct {
		uint32_t leaf;
		uint8_t word; /* 0 to 3: EAX to EDX */
		uint32_t bit;
	} feature; /* the bit of CPUID that shows such a register */
};

extern const struct counter_row counter_rows[];
extern const unsigned counter_rows_count;

/*
 * Find the calling core's counters, and save the values that arming will replace. Call it again
 * after the firmware ran. Registers are read, none is written. `hz` is the clock's rate; area is
 * for the steal clock and may be NULL. *id and *area stay in use.
 */
void counters_detect(struct counters *c, const struct regs *regs, const struct arch_identity *id,
		     uint64_t hz, struct counter_steal_area *area);

/* True if a core with these registers may have counters that measure. */
bool counters_possible(const struct regs *regs, const struct arch_identity *id);

/* ---- Arming, proving, logs: counters_arm.c ---- */

/*
 * Arm the counters that were found, and check that they move. With clear_logs the thermal and
 * power-limit logs are cleared, which cannot be undone.
 */
void counters_arm(struct counters *c, bool clear_logs);

/* Restore every register that counters_arm() wrote, except for cleared logs. */
void counters_restore(struct counters *c);

/* The armed row of a kind on this core; NULL if there is none. */
const struct counter_slot *counters_armed(const struct counters *c, unsigned kind);

/*
 * Names of the rows in a state, as the `begin` record has them; returns how many,
 * at most max.
 */
size_t counters_names(const struct counters *c, enum counter_state state, const char **names,
		      size_t max);

/*
 * Names of the rows that are believed, the only ones that a gap's cause may rest on; as above.
 * known: as in counters_counted().
 */
size_t counters_believed(const struct counters *c, uint32_t known, const char **names, size_t max);

/* Add what the logs have shown since the last call to `throttled` and `banks`. Takes long. */
void counters_logs(struct counters *c);

/* ---- Readings and steps: counters.c ---- */

/*
 * Read the counters that are read at every gap: some ten registers. This is on the slow path, and
 * so is counters_steps().
 */
void counters_read(struct counters *c);

/* Compute the unconverted steps, from the reading of the last call to the last reading. */
void counters_steps(struct counters *c, struct gap_steps *steps);

/*
 * Convert steps to evidence of e->gap ticks, which is set: span, slack, have and the steps of all
 * kinds that counters_read() reads. Uses the learned rates.
 */
void counters_weigh(struct counters *c, const struct gap_steps *steps, struct evidence *e);

/* Read, compute steps and weigh, not on the slow path. */
void counters_step(struct counters *c, struct evidence *e);

/*
 * Add the counts of evidence.h. known: the counts that are believed, cpu_knows(); a register that
 * has counted is believed as well.
 */
void counters_counted(struct counters *c, uint32_t known, const struct gap_evidence *counted,
		      struct evidence *e);

/* Forget what readings have shown so far: the columns have just been armed. */
void counters_begin(struct counters *c);

/*
 * Learn from the last steps, whose span had only sampling in it: the loop's instructions per cycle,
 * and the rates of counters that should keep the clock's rate. Only then are these evidence, and
 * their steps ticks. Call it for up to COUNTER_SPANS spans: one calm span is enough, more are more
 * exact.
 */
void counters_learn(struct counters *c, const struct evidence *e);

/* Learn from spans of sampling that sample(cpu, ...) makes: without a gap, if there are any. */
void counters_learn_from(struct counters *c, struct cpu *cpu, spans_sample *sample);
