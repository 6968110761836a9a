/* SPDX-License-Identifier: BSD-2-Clause */
/* InfluxDB's tables and VictoriaMetrics' vectors: both are JSON, with numbers or texts of them. */
#include "engine_answer.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_FORM "the answer is not of the form that this query has"

static void free_row(struct engine_answer_row *r)
{
	for (size_t i = 0; i < ENGINE_ANSWER_LABELS; i++)
		free(r->label[i]);
}

void engine_answer_free(struct engine_answer *a)
{
	for (size_t i = 0; i < a->count; i++)
		free_row(&a->row[i]);
	free(a->row);
	*a = (struct engine_answer){ 0 };
}

static struct engine_answer_row *new_row(struct engine_answer *a)
{
	struct engine_answer_row *r;

	a->row = memory_grow(a->row, a->count, sizeof(*a->row));
	r = &a->row[a->count++];
	for (size_t i = 0; i < ENGINE_ANSWER_LABELS; i++)
		r->label[i] = memory_text("");
	for (size_t i = 0; i < ENGINE_ANSWER_FIELDS; i++)
		r->value[i] = NAN;
	return r;
}

/* ---- Errors ---- */

static const json_t *first_result(const json_t *answer)
{
	return json_array_get(json_object_get(answer, "results"), 0);
}

/* InfluxDB reports some errors with status 200. */
static const char *error_of(const json_t *answer)
{
	const json_t *error = json_object_get(answer, "error");

	if (!error)
		error = json_object_get(first_result(answer), "error");
	return error ? json_is_string(error) ? json_string_value(error) : UNKNOWN_FORM : NULL;
}

/*
 * In memory a value takes many times the bytes of its text: about 40, and arrays and objects some
 * hundreds. A machine is up to 3 of these, and 20 values in all.
 */
static bool has_too_many(const struct http_answer *http)
{
	const char *text = http->body, *end = text ? text + http->bytes : NULL;
	size_t lists = 0, values = 0;
	bool in_string = false;

	for (; text < end; text++) {
		in_string ^= *text == '"';
		if (in_string) {
			text += *text == '\\';
			continue;
		}
		lists += *text == '[' || *text == '{';
		values += *text == ',' || *text == ':';
	}
	return lists > ENGINE_ANSWER_ROWS || values > 20 * ENGINE_ANSWER_MACHINES;
}

static json_t *load(const struct http_answer *http)
{
	if (!http->body || has_too_many(http))
		return NULL;
	return json_loadb(http->body, http->bytes, 0, NULL);
}

/* Of an answer that is not JSON: VictoriaMetrics reports so. NULL: none for people. */
static const char *plain_text(const struct http_answer *http)
{
	return http->body && *http->body && !strchr("<{[", *http->body) ? http->body : NULL;
}

json_t *engine_answer_load(const struct http_answer *http, char why[ENGINE_ANSWER_WHY])
{
	json_t *answer = load(http);
	const char *error = answer ? error_of(answer) : NULL;

	if (http->status == 200 && answer && !error)
		return answer;
	if (!http->status)
		snprintf(why, ENGINE_ANSWER_WHY, "%s", http->why);
	else if (http->status >= 300 && http->status < 400)
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d: redirects are not followed",
			 http->status);
	else if (http->status != 200 && (error = error ? error : plain_text(http)))
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d: %.*s", http->status,
			 (int)arith_min(150, strcspn(error, "\r\n")), error);
	else if (http->status != 200)
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d", http->status);
	else
		snprintf(why, ENGINE_ANSWER_WHY, "%.190s",
			 error                ? error
			 : has_too_many(http) ? "the answer has too many values"
					      : "the answer is not JSON");
	text_sanitize(why);
	json_decref(answer);
	return NULL;
}

/* ---- Values ---- */

static bool take_number(double *to, const json_t *value)
{
	const char *text = json_string_value(value);
	char *end = NULL;

	*to = json_is_number(value) ? json_number_value(value) : text ? strtod(text, &end) : NAN;
	return isfinite(*to) && (!text || (*text && !*end));
}

static size_t find(const char *const *names, const char *name)
{
	size_t i = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static bool take_label(char **to, const json_t *value)
{
	if (!json_is_string(value))
		return false;
	free(*to);
	*to = memory_text(json_string_value(value));
	return true;
}

/* ---- InfluxDB ---- */

static bool take_cell(struct engine_answer_row *r, const struct engine_answer_kind *kind,
		      const json_t *column, const json_t *cell)
{
	const char *name = json_string_value(column);
	size_t label = name ? find(kind->label, name) : 0,
	       field = name ? find(kind->field, name) : 0;

	if (!name || !cell)
		return false;
	if (json_is_null(cell))
		return true;
	if (kind->label[label])
		return take_label(&r->label[label], cell);
	return !kind->field[field] || (json_is_number(cell) && take_number(&r->value[field], cell));
}

static const char *take_series(struct engine_answer *a, const struct engine_answer_kind *kind,
			       const json_t *series)
{
	const json_t *columns = json_object_get(series, "columns"), *row;
	const json_t *rows = json_object_get(series, "values");
	size_t i, n;

	if (json_is_true(json_object_get(series, "partial")))
		return "the answer is partial";
	if (!json_is_array(columns) || !json_is_array(rows))
		return UNKNOWN_FORM;
	json_array_foreach(rows, i, row)
	{
		struct engine_answer_row *r = new_row(a);

		for (n = 0; n < json_array_size(columns); n++) {
			if (!take_cell(r, kind, json_array_get(columns, n), json_array_get(row, n)))
				return UNKNOWN_FORM;
		}
	}
	return NULL;
}

const char *engine_answer_influx(struct engine_answer *a, const struct engine_answer_kind *kind,
				 const json_t *answer)
{
	const json_t *result = first_result(answer), *all = json_object_get(result, "series");
	const json_t *series;
	const char *why = NULL;
	size_t i;

	if (!json_is_object(result) || (all && !json_is_array(all)))
		return UNKNOWN_FORM;
	if (json_is_true(json_object_get(result, "partial")))
		return "the answer is partial";
	json_array_foreach(all, i, series) why = why ? why : take_series(a, kind, series);
	return why;
}

/* ---- VictoriaMetrics ---- */

static bool take_sample(struct engine_answer *a, const struct engine_answer_kind *kind,
			size_t field, const json_t *sample)
{
	const json_t *labels = json_object_get(sample, "metric"), *label;
	struct engine_answer_row *r;

	if (!json_is_object(labels))
		return false;
	r = new_row(a);
	for (size_t i = 0; kind->label[i]; i++) {
		label = json_object_get(labels, kind->label[i]);
		if (label && !take_label(&r->label[i], label))
			return false;
	}
	return take_number(&r->value[field], json_array_get(json_object_get(sample, "value"), 1));
}

const char *engine_answer_victoria(struct engine_answer *a, const struct engine_answer_kind *kind,
				   size_t field, const json_t *answer)
{
	const json_t *data = json_object_get(answer, "data"), *sample;
	const json_t *result = json_object_get(data, "result");
	const char *type = json_string_value(json_object_get(data, "resultType"));
	size_t i;

	if (!type || strcmp(type, "vector") != 0 || !json_is_array(result))
		return UNKNOWN_FORM;
	if (json_is_true(json_object_get(answer, "isPartial")))
		return "the answer is partial";
	json_array_foreach(result, i, sample)
	{
		if (!take_sample(a, kind, field, sample))
			return UNKNOWN_FORM;
	}
	return NULL;
}

/* ---- Rows ---- */

static int by_labels(const void *a, const void *b)
{
	const struct engine_answer_row *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i < ENGINE_ANSWER_LABELS && !order; i++)
		order = strcmp(x->label[i], y->label[i]);
	return order;
}

const char *engine_answer_join(struct engine_answer *a, size_t most)
{
	size_t kept = 0;

	ORDER_SORT(a->row, a->count, by_labels);
	for (size_t i = 0; i < a->count; i++) {
		struct engine_answer_row *last = kept ? &a->row[kept - 1] : NULL;

		if (!last || by_labels(last, &a->row[i]) != 0) {
			a->row[kept++] = a->row[i];
			continue;
		}
		for (size_t f = 0; f < ENGINE_ANSWER_FIELDS; f++) {
			if (!isnan(a->row[i].value[f]))
				last->value[f] = a->row[i].value[f];
		}
		free_row(&a->row[i]);
	}
	a->count = kept;
	return kept > most ? "the answers have too many rows" : NULL;
}
