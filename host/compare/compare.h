/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares one floor with what an OS saw. Limits are checked against both, which shows whether the
 * OS has to be tuned or the machine is the reason. This also has the forms in which results are
 * printed.
 */
#pragma once

#include "split.h"

#include "host/findings/finding.h"
#include "host/program/options.h"

#include "core/config/limit.h"
#include "core/config/preset.h"
#include "core/report/verdict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The options of `compare`; 0: not given. LIMIT_MAX is that of the longest gap, ns, and
 * LIMIT_MAX_NOISE that of a core's noise, ppm of its exposure, rounded up.
 */
struct compare_limits {
	uint64_t limit[LIMITS];
	const struct preset *preset; /* source of limits if none is given; or NULL */
};

/*
 * Find for each output whether the limits are met. The verdict on all of them: a failure, if there
 * is one, else what is not known; VERDICT_NONE without limits.
 */
enum verdict compare_judge(const struct compare_limits *limits, struct split_result *split,
			   size_t count);

struct compare_results {
	enum form form;
	const struct floor *floor;        /* NULL, for JSON only: there is none */
	const struct split_result *split; /* one for each output of the OS's tools */
	size_t count;
	enum verdict verdict; /* result of compare_judge() */
	json_t *complaints;   /* files that cannot be read or compared; on standard error, too */
};

/* A capture_complain that also appends to a JSON array, `ctx`. */
void compare_complain(void *ctx, const char *file, uint64_t line, const char *text);

/* List the runs in files, with their numbers, as FORM_TEXT or FORM_JSON. Returns the exit code. */
int compare_list(enum form form, int count, char **paths);

void compare_text(const struct compare_results *c);
void compare_json(const struct compare_results *c);
void compare_junit(const struct compare_results *c);
