/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the machine is set, against what others ask of one. State, not evidence: what is set here is
 * no statement on what was or would be measured. The values come from the parts of a survey.
 */
#pragma once

#include "host/capture/result_stage.h"

#include "core/kinds/survey/survey.h"
#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum readiness_item {
#define ITEM(id, ...) READINESS_##id,
#include "readiness_items.h"
	READINESS_ITEMS
};

enum readiness_profile {
#define PROFILE(id, ...) READINESS_##id,
#include "readiness_profiles.h"
	READINESS_PROFILES
};

enum readiness_judged { READINESS_READY, READINESS_NOT_READY, READINESS_UNKNOWN, READINESS_NOBODY };

/* Of each core, by position. */
struct readiness_values {
	struct maybe of[READINESS_ITEMS];
};

struct readiness {
	struct readiness_values *core; /* cores of them */
	uint32_t *number;              /* each core's, as people know it */
	uint32_t cores;
};

const char *readiness_item_name(enum readiness_item item);
const char *readiness_profile_name(enum readiness_profile profile);

/* READINESS_NOBODY: the profile asks nothing. */
enum readiness_judged readiness_judge(const struct readiness *r, enum readiness_profile profile,
				      enum readiness_item item);

/* "ready", "not ready", "unknown"; NULL: nobody asks. */
const char *readiness_word(enum readiness_judged judged);

/* The item as it is, and by core where they differ; nothing where no core's is known. */
void readiness_state(const struct readiness *r, enum readiness_item item, struct text *out);

/* What the profile asks for. */
void readiness_wants(enum readiness_profile profile, enum readiness_item item, struct text *out);

/* An item against a profile. profile, judged and wants are NULL where nobody asks. */
struct readiness_row {
	const char *item, *profile;
	const char *state; /* NULL: not known */
	const char *judged, *wants;
};

/* Give each item's rows. Their strings live as long. */
typedef void readiness_take(void *ctx, const struct readiness_row *row);
void readiness_rows(const struct readiness *r, readiness_take *take, void *ctx);

/* Items of a profile that are judged so. */
unsigned readiness_count(const struct readiness *r, enum readiness_profile profile,
			 enum readiness_judged judged);

/* How an x86 core is set, by its readings; a guest's show nothing. */
void readiness_x86(const struct survey_core *c, struct readiness_values *values);

/* The cores that a survey's parts have readings of; none, of an AArch64 machine. Free it. */
void readiness_of_stage(struct readiness *r, const struct result_stage *stage);
void readiness_free(struct readiness *r);

/*
 * Print a row for each item and profile, and what each profile comes to; nothing of no cores.
 *
 * SETTING                STATE         PROFILE        JUDGED     ASKS FOR
 * turbo                  off           openshift-ran  not ready  on
 */
void readiness_print(struct text *t, const struct readiness *r);
void readiness_page(FILE *f, const struct readiness *r);
