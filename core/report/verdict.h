/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict: the measured values against the limits that are set. A value is what a limit refers
 * to, per core: longest gap, noise and others (limit_rows.h). A reason explains a verdict, a remark
 * what a pass lacks.
 */
#pragma once

#include "core/config/config.h"
#include "core/gaps/cpu.h"
#include "core/gaps/platform.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stdint.h>

enum verdict {
	VERDICT_NONE,
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_INCOMPLETE,
	VERDICT_ERROR,
	VERDICTS
};

#define VERDICT_REASON_MAX 160

struct verdict_reasons {
	enum verdict verdict;
	unsigned count;
	char text[RECORD_STRINGS - 1][VERDICT_REASON_MAX];
	char remark[VERDICT_REASON_MAX]; /* shortcoming of a pass; "": none */
};

/* "none" "pass" "fail" "incomplete" "error". */
const char *verdict_name(enum verdict v);

/* The verdict with this name; VERDICT_ERROR if there is none. */
enum verdict verdict_of(const char *name);

/* Exit code: 0 none or pass, 1 fail, 2 error, 3 incomplete. */
unsigned verdict_exit_code(enum verdict v);

void verdict_reason(struct verdict_reasons *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a reason; the verdict becomes incomplete, unless it is fail. */
void verdict_cut_short(struct verdict_reasons *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One core's values for the limits. */
struct verdict_core {
	uint32_t index;
	struct maybe value[LIMITS]; /* in the limits' units, never rounded down */
};

/* Get the values from a core's record. Noise is unknown for more than three years of exposure. */
void verdict_core_of(const struct record_cpu *cpu, struct verdict_core *core);

/* Fill in the values from a core's stage sums; hz is the rate of its ticks. */
void verdict_core_of_cpu(const struct cpu *cpu, uint64_t hz, struct verdict_core *core);

/* The worst value of several cores for one limit. All zero at first. */
struct verdict_worst {
	uint64_t value;
	uint32_t cpu; /* the core that has it */
	bool unknown; /* at least one core has no value */
};

/* Add one value, or a core's values for all limits. */
void verdict_worst_add(struct verdict_worst *worst, struct maybe value, uint32_t cpu);
void verdict_worst_add_core(struct verdict_worst worst[LIMITS], const struct verdict_core *core);

/*
 * Judge cores by the limits of a configuration (core/config/limit_rows.h). The verdict becomes fail
 * if a value exceeds its limit, and incomplete if a value is unknown. Nothing happens if no limit
 * is set.
 */
void verdict_judge_worst(struct verdict_reasons *r, const struct config *c,
			 const struct verdict_worst worst[LIMITS]);

/* Judge one core alone. */
void verdict_judge_core(struct verdict_reasons *r, const struct config *c,
			const struct verdict_core *core);

/* Noise in ppm of the exposure, rounded up; unknown without exposure. */
struct maybe verdict_noise_ppm(uint64_t noise, uint64_t exposure);

/*
 * Judge the cores' stage sums like verdict_judge_worst(). If a limit is set, a requested core that
 * was not measured makes the verdict incomplete as well.
 */
void verdict_judge(struct verdict_reasons *r, const struct config *c, const struct platform *p);

/* The longest pauses of a run in each direction, ns at least; 0: none. */
struct verdict_clock_faults {
	uint64_t hidden_ns; /* the TSC stood still, or was set back */
	uint64_t ahead_ns;  /* the TSC ran ahead of another clock */
};

void verdict_clock_faults_add(struct verdict_clock_faults *f, const struct record_pause *pause);

/*
 * Judge the clock, after the cores. A hidden pause, which no core could measure, fails if it is
 * longer than `max`; for any other limit its effect is unknown. If the TSC ran ahead, nothing was
 * missed, but no length is right: limits that depend on the clock are then not known to be met.
 */
void verdict_clock(struct verdict_reasons *r, const struct config *c,
		   const struct verdict_clock_faults *f);

/*
 * Add the remark, last of all: to a pass that sampled for less time, ns, than the preset's source
 * requires, if the mode records gaps. The verdict does not change. The requirement is the preset's
 * even if keys override its limits.
 */
void verdict_remark(struct verdict_reasons *r, const struct config *c, uint64_t sampled_ns);
