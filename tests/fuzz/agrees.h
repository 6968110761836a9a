/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of records against a JSON parser that knows nothing of it: jansson's reading of
 * a line, field by field. What one accepts the other accepts, with the same values.
 */
#pragma once

#include "core/cause/cause.h"
#include "core/records/record_field.h"

#include "host/capture/line.h"
#include "host/capture/record_decode.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum agreement {
	AGREES_NO_LINE, /* not whole, or of no known type */
	AGREES_OPEN,    /* a part, a name twice, a zero, or past what jansson holds */
	AGREES_REFUSED, /* by both */
	AGREES_TAKEN,   /* by both, to the same values */
	AGREES_NOT,
};

/*
 * Each returns true if the value is of its kind and, if `member` is not NULL, is the same as what
 * was decoded. The value is NULL if the field is missing.
 */
typedef bool agrees_field(const json_t *value, const void *member);

static inline bool agrees_u64(const json_t *value, const void *member)
{
	return json_is_integer(value) && json_integer_value(value) >= 0 &&
	       (!member || *(const uint64_t *)member == (uint64_t)json_integer_value(value));
}

static inline bool agrees_i64(const json_t *value, const void *member)
{
	return json_is_integer(value) &&
	       (!member || *(const int64_t *)member == json_integer_value(value));
}

static inline bool agrees_u32(const json_t *value, const void *member)
{
	return agrees_u64(value, NULL) && json_integer_value(value) <= UINT32_MAX &&
	       (!member || *(const uint32_t *)member == json_integer_value(value));
}

static inline bool agrees_bool(const json_t *value, const void *member)
{
	return json_is_boolean(value) && (!member || *(const bool *)member == json_is_true(value));
}

static inline bool is_absent(const json_t *value)
{
	return !value || json_is_null(value);
}

static inline bool agrees_string(const json_t *value, const void *member)
{
	const char *string = member ? *(const char *const *)member : NULL;

	if (is_absent(value))
		return !string;
	return json_is_string(value) &&
	       (!member || (string && strcmp(string, json_string_value(value)) == 0));
}

static inline bool agrees_maybe(const json_t *value, const void *member)
{
	const struct maybe *m = member;

	if (is_absent(value))
		return !m || !m->known;
	return agrees_u64(value, m ? &m->value : NULL) && (!m || m->known);
}

static inline bool agrees_pairs(const json_t *value, const void *member)
{
	const struct record_pairs *pairs = member;
	size_t i;
	json_t *pair;

	if (!json_is_array(value) || (pairs && pairs->count != json_array_size(value)))
		return false;
	json_array_foreach(value, i, pair)
	{
		const uint64_t *own = pairs ? pairs->at[i] : NULL;

		if (!json_is_array(pair) || json_array_size(pair) != 2 ||
		    !agrees_u64(json_array_get(pair, 0), own) ||
		    !agrees_u64(json_array_get(pair, 1), own ? own + 1 : NULL))
			return false;
	}
	return true;
}

static inline bool agrees_strings(const json_t *value, const void *member)
{
	const char *const *strings = member;
	size_t count = json_array_size(value);

	if (!json_is_array(value) || count > RECORD_STRINGS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *string = json_array_get(value, i);

		if (!json_is_string(string) || !agrees_string(string, strings ? strings + i : NULL))
			return false;
	}
	return !strings || count == RECORD_STRINGS || !strings[count];
}

static inline bool agrees_causes(const json_t *value, const void *member)
{
	const struct cause_sum *sums = member;

	for (unsigned i = 0; i < CAUSES; i++) {
		const json_t *sum = json_object_get(value, cause_name((enum cause)i));

		if (!sum && sums && (sums[i].gaps || sums[i].ns))
			return false;
		if (sum &&
		    (!agrees_u64(json_object_get(sum, "gaps"), sums ? &sums[i].gaps : NULL) ||
		     !agrees_u64(json_object_get(sum, "ns"), sums ? &sums[i].ns : NULL)))
			return false;
	}
	return json_is_object(value);
}

static inline bool agrees_timers(const json_t *value, const void *member)
{
	const struct period_timer *timers = member;
	size_t count = json_object_size(value), n = 0;
	const char *name;
	json_t *period;

	if (!is_absent(value) && (!json_is_object(value) || count > RECORD_TIMERS))
		return false;
	json_object_foreach((json_t *)(uintptr_t)value, name, period)
	{
		if (!agrees_u64(period, timers ? &timers[n].period_ns : NULL) ||
		    (timers && strcmp(timers[n].name, name) != 0))
			return false;
		n++;
	}
	return !timers || n == RECORD_TIMERS || !timers[n].name;
}

static inline bool agrees_totals(const json_t *value, const void *member)
{
	const uint64_t *totals = member;

	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		const json_t *total = json_object_get(value, record_type_name((enum record_type)i));

		if (total ? !agrees_u64(total, totals ? totals + i : NULL) : totals && totals[i])
			return false;
	}
	return json_is_object(value);
}

static agrees_field *const agree[] = {
	[FIELD_U64] = agrees_u64,       [FIELD_I64] = agrees_i64,
	[FIELD_U32] = agrees_u32,       [FIELD_BOOL] = agrees_bool,
	[FIELD_STRING] = agrees_string, [FIELD_MAYBE] = agrees_maybe,
	[FIELD_PAIRS] = agrees_pairs,   [FIELD_STRINGS] = agrees_strings,
	[FIELD_CAUSES] = agrees_causes, [FIELD_TIMERS] = agrees_timers,
	[FIELD_TOTALS] = agrees_totals,
};

/* With `record` NULL, only check that each field is of its kind. */
static inline bool agrees_record(json_t *object, enum record_type type, const union record *record)
{
	json_t *around[4] = { object };
	unsigned depth = 0;

	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		json_t *value = f->name ? json_object_get(around[depth], f->name) : NULL;

		if (f->kind == FIELD_CLOSE)
			depth--;
		else if (f->kind == FIELD_OPEN)
			around[++depth] = value;
		if (f->kind == FIELD_OPEN && !json_is_object(value))
			return false;
		if (f->kind < FIELD_OPEN &&
		    !agree[f->kind](value, record ? (const char *)record + f->offset : NULL))
			return false;
	}
	return true;
}

static inline bool is_open(enum json_error_code code)
{
	return code == json_error_numeric_overflow || code == json_error_duplicate_key ||
	       code == json_error_stack_overflow;
}

static inline enum agreement agrees_parsed(json_t *object, enum record_type type,
					   const union record *record)
{
	bool expected = object && agrees_record(object, type, NULL);

	if (!expected)
		return record ? AGREES_NOT : AGREES_REFUSED;
	return record && agrees_record(object, type, record) ? AGREES_TAKEN : AGREES_NOT;
}

/* Compare the two parsers on a line with its checksum. */
static inline enum agreement agrees(const char *text, size_t bytes)
{
	static struct record_decode decode;
	enum record_type type;
	char reason[512];
	struct text why;
	struct line line;
	json_error_t error;
	json_t *object;
	enum agreement agreement = AGREES_OPEN;
	bool taken;

	text_init(&why, reason, sizeof(reason));
	if (line_read(text, bytes, &line, &why) != LINE_OK ||
	    !record_decode_type(line.type, line.type_bytes, &type))
		return AGREES_NO_LINE;
	record_decode_start(&decode, type);
	taken = record_decode_line(&decode, &line, &why) && record_decode_finish(&decode, &why);
	object = json_loadb(line.text, line.whole, JSON_REJECT_DUPLICATES, &error);
	/* jansson passes over some bytes of zero. */
	if (!memchr(line.text, '\0', line.whole) &&
	    (object ? !json_object_get(object, "part") : !is_open(json_error_code(&error))))
		agreement = agrees_parsed(object, type, taken ? &decode.record : NULL);
	json_decref(object);
	return agreement;
}
