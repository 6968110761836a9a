/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's settings against those that others recommend. They are state, not evidence: a
 * setting shows nothing about what was or would be measured. The values come from the parts of a
 * survey.
 */
#pragma once

#include "host/capture/result.h"

#include "core/kinds/survey/survey.h"
#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum readiness_item {
	READINESS_TURBO,
	READINESS_EFFICIENT_TURBO,
	READINESS_SPEEDSTEP,
	READINESS_HWP,
	READINESS_BIAS,
	READINESS_PACKAGE_C,
	READINESS_CORE_C,
	READINESS_C1E,
	READINESS_SMT,
	READINESS_THERMAL,
	READINESS_TSC_ADJUST,
	READINESS_MICROCODE,
	READINESS_PREFETCH,
	READINESS_PROCHOT,
	READINESS_FREEZE,
	READINESS_USB,
	READINESS_LOCKS,
	READINESS_ITEMS
};

enum readiness_profile {
	READINESS_RHEL_RT,
	READINESS_OPENSHIFT_RAN,
	READINESS_INTEL_TCC,
	READINESS_LINUX,
	READINESS_PROFILES
};

enum readiness_judged { READINESS_READY, READINESS_NOT_READY, READINESS_UNKNOWN, READINESS_NOBODY };

/* Values of a core, which struct readiness has by position. */
struct readiness_values {
	struct maybe of[READINESS_ITEMS];
};

struct readiness {
	struct readiness_values *core; /* cores of them */
	uint32_t *number;              /* each core's, as people know it */
	uint32_t cores;
};

const char *readiness_item_name(enum readiness_item item);

/* READINESS_NOBODY: the profile asks nothing. */
enum readiness_judged readiness_judge(const struct readiness *r, enum readiness_profile profile,
				      enum readiness_item item);

/* Add the state of the item, by core where they differ; nothing if no core's is known. */
void readiness_state(const struct readiness *r, enum readiness_item item, struct text *out);

/* The number of a profile's items that are judged so. */
unsigned readiness_count(const struct readiness *r, enum readiness_profile profile,
			 enum readiness_judged judged);

/* The settings of an x86 core, from its readings; a guest's show nothing. */
void readiness_x86(const struct survey_core *c, struct readiness_values *values);

/* The cores that a survey's parts have readings of; none, of an AArch64 machine. Free it. */
void readiness_of_stage(struct readiness *r, const struct result_stage *stage);
void readiness_free(struct readiness *r);

/*
 * Print a row for each item and profile, and a summary of each profile; nothing if there are no
 * cores.
 *
 * SETTING                STATE         PROFILE        JUDGED     ASKS FOR
 * turbo                  off           openshift-ran  not ready  on
 */
void readiness_print(struct text *t, const struct readiness *r);
