/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict: what was measured against the limits that were set. */
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
	char remark[VERDICT_REASON_MAX]; /* of a pass: what it lacks; "": nothing */
};

/* "none" "pass" "fail" "incomplete" "error". */
const char *verdict_name(enum verdict v);

/* The verdict of that name; VERDICT_ERROR where there is none. */
enum verdict verdict_of(const char *name);

/* Exit code: 0 none or pass, 1 fail, 2 error, 3 incomplete. */
unsigned verdict_exit_code(enum verdict v);

void verdict_reason(struct verdict_reasons *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add the reason; the verdict becomes incomplete, unless it is fail. */
void verdict_cut_short(struct verdict_reasons *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What the limits look at, of one core. */
struct verdict_core {
	uint32_t index;
	struct maybe value[LIMITS]; /* in the units of the limits; never rounded down */
};

/* The same out of a core's record. Noise is not known for more than three years of exposure. */
void verdict_core_of(const struct record_cpu *cpu, struct verdict_core *core);

/* What the limits look at, out of a core's stage sums; hz is the rate of its ticks. */
void verdict_core_of_cpu(const struct cpu *cpu, uint64_t hz, struct verdict_core *core);

/* The n-th core, from 0; false past the last. */
typedef bool verdict_core_at(const void *ctx, uint32_t n, struct verdict_core *core);

/*
 * Judge cores by the limits of a configuration (core/config/limit_rows.h): a value over its limit
 * fails, and one that is not known makes the verdict incomplete. Nothing happens where no limit is
 * set.
 */
void verdict_judge_cores(struct verdict_reasons *r, const struct config *c, verdict_core_at *at,
			 const void *ctx);

/* True if a value of the core exceeds a limit that is set. */
bool verdict_core_exceeds(const struct config *c, const struct verdict_core *core);

/* Judge one core alone. */
void verdict_judge_core(struct verdict_reasons *r, const struct config *c,
			const struct record_cpu *cpu);

/* noise in ppm of the exposure, rounded up; not known without exposure. */
struct maybe verdict_noise_ppm(uint64_t noise, uint64_t exposure);

/*
 * Judge the cores' stage sums, as verdict_judge_cores() does: a core that was asked for
 * and not measured makes the verdict incomplete, too, where a limit is set.
 */
void verdict_judge(struct verdict_reasons *r, const struct config *c, const struct platform *p);

/* The worst in a run's pause records about its clock, each way, ns at the least; 0: none. */
struct verdict_clock_faults {
	uint64_t hidden_ns; /* the TSC stood still, or was set back */
	uint64_t ahead_ns;  /* it ran ahead of another clock */
};

void verdict_clock_faults_add(struct verdict_clock_faults *f, const struct record_pause *pause);

/*
 * After that: a hidden pause, which no core could measure, fails where it is longer
 * than `max`; with any other limit it is not known. A TSC that ran ahead leaves nothing
 * out, but no length is right: limits that depend on the clock are not known to be met.
 */
void verdict_clock(struct verdict_reasons *r, const struct config *c,
		   const struct verdict_clock_faults *f);

/*
 * After all that: a pass that sampled for less time, ns, than the source of its preset requires has
 * a remark, where the mode keeps gaps. It stays a pass, and any other verdict has none. The
 * requirement is the preset's, whichever keys override its limits.
 */
void verdict_remark(struct verdict_reasons *r, const struct config *c, uint64_t sampled_ns);
