/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the table of evidence, and the functions its columns name. */
#pragma once

#include "counters.h"

#include <stdbool.h>
#include <stdint.h>

/* Reader of a row, and the time of the reading. */
enum counter_reader {
	READ_CLOCK,     /* first and together: its step is compared with the clock's */
	READ_COUNT,     /* at every gap; its step is signed */
	READ_LOG,       /* when there is time */
	READ_ELSEWHERE, /* by evidence.h, at every gap; or not at all */
};

/* Proof that a row is real, once armed. */
enum counter_proof {
	PROOF_RUNS, /* counts all the time */
	PROOF_RATE, /* counts all the time, at the clock's rate: counters_learn() */
	PROOF_SEEN, /* believed by its reader once it is not 0, or was proved otherwise */
	PROOF_NONE, /* CPUID and arming's readback suffice */
};

struct counter_row;

/* Functions shared by the rows of one make. */
struct counter_ops {
	enum counter_state (*detect)(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot);
	/* NULL: nothing to arm, to restore or to clear. */
	bool (*arm)(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
	void (*restore)(struct counters *c, const struct counter_slot *slot);
	void (*clear)(struct counters *c, const struct counter_slot *slot);
	/* NULL: the register slot->msr. */
	bool (*read)(const struct counters *c, const struct counter_slot *slot, uint64_t *now);
	/* Logs: the bits that are new since slot->last. */
	uint64_t (*step)(const struct counters *c, const struct counter_slot *slot, uint64_t now);
	/*
	 * Converts the difference of two readings; NULL: it is in ticks, cycles or instructions
	 * already.
	 */
	uint64_t (*weigh)(const struct counters *c, uint64_t step);
};

struct counter_row {
	const char *name;
	enum evidence_kind kind; /* EVIDENCE_KINDS: none of its own */
	enum counter_reader reader;
	enum counter_proof proof;
	const struct counter_ops *ops;
	uint32_t param; /* register, event or number, for the functions */
};

extern const struct counter_ops
	counter_fixed_ops; /* Intel's fixed-function counters; param: number */
extern const struct counter_ops counter_freeze_ops;  /* their freezing in SMM */
extern const struct counter_ops counter_amd_ops;     /* AMD's core counters; param: event */
extern const struct counter_ops counter_thermal_ops; /* param: register */
extern const struct counter_ops counter_banks_ops;   /* machine-check banks */
extern const struct counter_ops counter_steal_ops;   /* KVM's steal clock */

#define LEAF_EXTENDED      7u
#define EBX_TSC_ADJUST     (1u << 1)
#define LEAF_THERMAL       6u
#define ECX_APERFMPERF     (1u << 0)
#define MSR_PACKAGE_STATUS 0x1b1u /* IA32_PACKAGE_THERM_STATUS */

/* Shared by the rows' files. */
bool counter_bare(const struct counters *c);
bool counter_vendor(const struct counters *c, const char *vendor);
/* True if the slot's register changes within as many reads as a running counter needs. */
bool counter_moves(const struct counters *c, const struct counter_slot *slot);
/* Replace the bits of `mask` in a register. False if writing faults or has no effect. */
bool counter_update(const struct counters *c, uint32_t msr, uint64_t mask, uint64_t bits);
