/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the table of evidence, and the functions its columns name. */
#ifndef ARCH_X86_64_COUNTERS_ROW_H
#define ARCH_X86_64_COUNTERS_ROW_H

#include "counters.h"

#include <stdbool.h>
#include <stdint.h>

/* Who reads a row, and when. */
enum counter_reader {
	READ_ELSEWHERE, /* evidence.h, at every gap; or nobody */
	READ_CLOCK,     /* first and together: its step is held against the clock's */
	READ_COUNT,     /* at every gap */
	READ_LOG,       /* when there is time */
};

/* How a row is seen to be real once armed. */
enum counter_proof {
	PROOF_RUNS, /* counts all the time */
	PROOF_SEEN, /* other than 0 now, or later: until then it is not believed */
	PROOF_NONE, /* CPUID's word and what arming read back are enough */
};

struct counter_row {
	const char *name, *unit, *source;
	enum evidence_kind kind; /* EVIDENCE_KINDS: none of its own */
	enum counter_reader reader;
	enum counter_proof proof;
	bool edge;      /* the step is which bits rose, not how far it counted */
	uint32_t param; /* register, event or number, as the functions want it */
	enum counter_state (*detect)(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot);
	/* The rest may be NULL: nothing to arm, nothing to put back; read: slot->msr. */
	bool (*arm)(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
	bool (*read)(const struct counters *c, const struct counter_slot *slot, uint64_t *now);
	void (*restore)(struct counters *c, const struct counter_slot *slot);
	void (*clear)(struct counters *c, const struct counter_slot *slot);
};

/* Shared by the rows' files. */
bool counter_bare(const struct counters *c);
bool counter_vendor(const struct counters *c, const char *vendor);
/* Replace the bits of `mask` in a register; false when it refuses or does not take them. */
bool counter_update(const struct counters *c, uint32_t msr, uint64_t mask, uint64_t bits);

/* counters_fixed.c: Intel's fixed-function counters. param: number. */
enum counter_state fixed_detect(struct counters *c, const struct counter_row *row,
				struct counter_slot *slot);
bool fixed_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
void fixed_restore(struct counters *c, const struct counter_slot *slot);
enum counter_state freeze_detect(struct counters *c, const struct counter_row *row,
				 struct counter_slot *slot);
bool freeze_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
void freeze_restore(struct counters *c, const struct counter_slot *slot);

/* counters_amd.c: AMD's core performance counters. param: event. */
enum counter_state amd_detect(struct counters *c, const struct counter_row *row,
			      struct counter_slot *slot);
bool amd_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
void amd_restore(struct counters *c, const struct counter_slot *slot);

/* counters_logs.c: what the processor notes down by itself. */
enum counter_state thermal_detect(struct counters *c, const struct counter_row *row,
				  struct counter_slot *slot);
bool thermal_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now);
void thermal_clear(struct counters *c, const struct counter_slot *slot);
enum counter_state banks_detect(struct counters *c, const struct counter_row *row,
				struct counter_slot *slot);
bool banks_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now);

/* counters_steal.c: KVM's steal clock. */
enum counter_state steal_detect(struct counters *c, const struct counter_row *row,
				struct counter_slot *slot);
bool steal_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot);
bool steal_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now);
void steal_restore(struct counters *c, const struct counter_slot *slot);

#endif
