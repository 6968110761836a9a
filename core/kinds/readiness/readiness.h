/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the machine is set, against what others ask of one. State, not evidence: what is set here is
 * no statement on what was or would be measured.
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stdint.h>

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
	const struct readiness_values *core; /* cores of them */
	const uint32_t *number;              /* each core's, as people know it */
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

/* Give each item's records, with a NULL profile where nobody asks. Their strings live as long. */
typedef void readiness_take(void *ctx, const struct record_readiness *record);
void readiness_records(const struct readiness *r, const char *stage, readiness_take *take,
		       void *ctx);

/* Items of a profile that are judged so. */
unsigned readiness_count(const struct readiness *r, enum readiness_profile profile,
			 enum readiness_judged judged);
