/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine answers, as rows of labels and numbers. Nothing of it is trusted. */
#pragma once

#include "http.h"

#include <jansson.h>
#include <stddef.h>

#define ENGINE_ANSWER_LABELS 5
#define ENGINE_ANSWER_FIELDS 13
#define ENGINE_ANSWER_WHY    200

/* About as many as one answer may have: a million, and some room. */
#define ENGINE_ANSWER_MACHINES ((size_t)1200000)

/* A measurement. Names end with a NULL. */
struct engine_answer_kind {
	const char *name; /* after "noisefloor_" */
	const char *label[ENGINE_ANSWER_LABELS + 1];
	size_t identifying; /* so many of them: the others may change from point to point */
	const char *field[ENGINE_ANSWER_FIELDS + 1];
};

struct engine_answer_row {
	char *label[ENGINE_ANSWER_LABELS];  /* "": it has none */
	double value[ENGINE_ANSWER_FIELDS]; /* NaN: it has none */
};

/* All zero is empty. */
struct engine_answer {
	struct engine_answer_row *row;
	size_t count;
};

void engine_answer_free(struct engine_answer *a);

/* NULL, with the reason, unless it is JSON of bounded size in memory and reports no error. */
json_t *engine_answer_load(const struct http_answer *http, char why[ENGINE_ANSWER_WHY]);

/* Add the rows of an answer; NULL, or what is wrong with it. */
const char *engine_answer_influx(struct engine_answer *a, const struct engine_answer_kind *kind,
				 const json_t *answer);
/* The same, where the values are those of one field. */
const char *engine_answer_victoria(struct engine_answer *a, const struct engine_answer_kind *kind,
				   size_t field, const json_t *answer);

/* Of all answers to the queries for a measurement, once joined: as many lists as one may have. */
#define ENGINE_ANSWER_ROWS (3 * ENGINE_ANSWER_MACHINES)

/* One row of all that have the same labels. NULL, or what is wrong: there are more than `most`. */
const char *engine_answer_join(struct engine_answer *a, size_t most);
