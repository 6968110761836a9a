/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cause of a gap: a decision table over evidence alone. It is independent of the processor;
 * arch/ provides the counters' steps across the gap.
 *
 * Steps are counted from one reading of the counters to the next. The sampling
 * loop between two readings never halts, so what a counter lacks against the
 * clock over that span was lost in the gap.
 */
#pragma once

#include "cause.h"
#include "gap_evidence.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of evidence of a gap. The unit is that of the kind's step. */
enum evidence_kind {
#define COUNTED(id, ...) EVIDENCE_##id,
#include "counted_rows.h"
	EVIDENCE_MPERF,        /* ticks of the clock's rate while the core was not halted */
	EVIDENCE_APERF,        /* core cycles while not halted, never frozen */
	EVIDENCE_INSTRUCTIONS, /* instructions retired */
	EVIDENCE_CYCLES,       /* core cycles while not halted */
	EVIDENCE_REFERENCE,    /* ticks of the clock's rate while not halted */
	EVIDENCE_TSC_ADJUST,   /* ticks that were added to the clock; signed */
	EVIDENCE_STEAL,        /* ticks in which the hypervisor ran something else */
	/* With exception levels, CYCLES counts ticks at our own level. There are further kinds: */
	EVIDENCE_CYCLES_LOW, /* ticks at levels up to 2, including a hypervisor's */
	EVIDENCE_CYCLES_ALL, /* ticks at all levels, possibly without level 3 */
	EVIDENCE_STALLS,     /* ticks at our own level in which nothing was issued */
	EVIDENCE_KINDS
};

#define EVIDENCE(kind) (1u << EVIDENCE_##kind)

#define EVIDENCE_COUNTED GAP_EVIDENCE_COUNTS /* number of counted kinds, which come first */

/* Why a processor throttles, as its logs have it: of no gap, as they are read between stages. */
enum evidence_throttle {
	THROTTLE_THERMAL = 1,
	THROTTLE_PROCHOT = 2, /* the pin was asserted externally */
	THROTTLE_CRITICAL = 4,
	THROTTLE_POWER = 8,
	THROTTLE_CURRENT = 16,
	THROTTLE_DOMAIN = 32, /* requested by another domain of the package */
};

enum evidence_hypervisor {
	HYPERVISOR_NONE,
	HYPERVISOR_KVM,
	HYPERVISOR_TCG, /* QEMU's emulator */
	HYPERVISOR_OTHER,
};

struct attribution_rules; /* attribution_rules.h */

/* Properties of a core that hold for all of its gaps. */
struct evidence_context {
	const struct attribution_rules *rules; /* the processor's */
	enum evidence_hypervisor hypervisor;
	bool freeze;        /* instructions, cycles and reference were seen to stand still in SMM;
			       CYCLES_ALL to count at level 3 */
	uint32_t loop_ipc;  /* instructions per core cycle of the sampling loop, 1/65536; 0: not
			       known; with exception levels per tick */
	uint32_t loop_rate; /* core cycles (APERF) per tick of MPERF in the loop, likewise */
	uint32_t armed;     /* EVIDENCE() of what the core measures, if not of each gap */
	bool overcounts;    /* a high count of instructions proves nothing */
	/* With exception levels: */
	bool level3;          /* level 3 exists, above our own */
	uint32_t doubt;       /* uncertainty of the cycles' rate, 2^-30 */
	uint32_t loop_stalls; /* share of the loop's ticks without issue, 1/65536 */
};

struct evidence {
	const struct evidence_context *context;
	uint64_t gap;   /* its length, ticks */
	uint64_t span;  /* ticks from the reading before the gap to the one after; else unused */
	uint64_t slack; /* ticks by which clock and counters may be read apart */
	uint32_t have;  /* EVIDENCE() of each kind that was read and is believed */
	uint64_t step[EVIDENCE_KINDS];
};

/* Parts of a gap that counters can measure. The rules assign a cause to each. */
enum attribution_part {
	PART_SMM, /* SMM or exception level 3 */
	PART_STOPPED,
	PART_STOLEN,
	PART_BELOW, /* exception level 2 */
	ATTRIBUTION_PARTS
};

/*
 * The causes of a gap, and the evidence for them. The gap without its measured parts has cause
 * `rest`; `cause` is that of the largest part and stands for the whole gap.
 */
struct attribution {
	const struct attribution_rules *rules;
	uint64_t part[ATTRIBUTION_PARTS]; /* ticks; their sum is at most the gap */
	int64_t tsc_step;                 /* ticks added to the clock */
	struct gap_evidence counted;
	uint32_t retired;    /* instructions in the gap, estimated; UINT32_MAX: or more */
	uint16_t missing;    /* EVIDENCE() of kinds that would have shown more */
	uint8_t cause, rest; /* enum cause */
	uint8_t row;         /* row of the rules' decision table */
	uint8_t hypervisor;  /* enum evidence_hypervisor */
};

/* An attribution as it is stored with its gap, which has the counts and the cause. */
struct attribution_kept {
	uint32_t part[ATTRIBUTION_PARTS]; /* packed: core/lib/pack32.h */
	uint32_t tsc_step;                /* packed, signed */
	uint32_t retired;
	uint16_t missing;
	uint8_t rest, row, hypervisor;
};

void attribution_keep(const struct attribution *a, struct attribution_kept *kept);

/* The attribution without its counts and its cause. */
void attribution_recall(const struct attribution_kept *kept, const struct attribution_rules *rules,
			struct attribution *a);

void attribution_decide(const struct evidence *e, struct attribution *a);

/*
 * The attribution of one of several gaps that were measured together in `total` ticks: stolen, if
 * the ticks that were not stolen are at most a fifth of `gap`. The steal clock counts only when the
 * core resumes. False: not known.
 */
bool attribution_of_one(const struct attribution *together, uint64_t total, uint64_t gap,
			struct attribution *one);

/*
 * Like attribution_decide(), for a gap of which only the counts are known; for its sentence, later.
 * have: the counts that are believed, EVIDENCE().
 */
void attribution_decide_counts(const struct evidence_context *context, uint32_t have,
			       const struct gap_evidence *counted, uint64_t gap,
			       struct attribution *a);

/* Add the counts to the evidence, as steps; `have` as in attribution_decide_counts(). */
void attribution_add_counts(struct evidence *e, uint32_t have, const struct gap_evidence *counted);

/*
 * The cause if only counts are known: the same as from attribution_decide(), but fast enough for a
 * gap that is judged within the window. context NULL: nothing is known of the core's counters.
 */
enum cause attribution_counted(const struct evidence_context *context,
			       const struct gap_evidence *counted);

/* Add a gap of `gap` ticks to sums by cause; the parts add up to exactly the gap. */
void attribution_add(const struct attribution *a, uint64_t gap, uint64_t ticks[CAUSES]);

/* Append the sentence for a gap of `gap` ticks: "SMI: counter +1, core cycles frozen 97 %".
 */
void attribution_sentence(const struct attribution *a, uint64_t gap, struct text *out);

/* Append the names of enum evidence_throttle bits, with commas. */
void attribution_throttle(uint32_t bits, struct text *out);
