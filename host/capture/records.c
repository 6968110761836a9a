/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON to structs: one row per kind of field, walked in step with the writer's tables. */
#include "records.h"

#include "core/cause/cause.h"
#include "core/records/record_field.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool records_type(const char *name, size_t bytes, enum record_type *type)
{
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		const char *known = record_type_name((enum record_type)i);

		if (strlen(known) == bytes && memcmp(known, name, bytes) == 0) {
			*type = (enum record_type)i;
			return true;
		}
	}
	return false;
}

/* Integers of this many digits may be past what jansson holds. */
#define BIG_DIGITS 19

static size_t count_digits(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return (size_t)(at - from);
}

/* The text behind a string that starts at `at`. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
	}
	return at < end ? at + 1 : end;
}

/* A copy of `text` with each long positive integer in quotes. `out` holds twice the bytes. */
static size_t quote_big(const char *text, size_t bytes, char *out)
{
	const char *at = text, *end = text + bytes;
	char *to = out;

	while (at < end) {
		size_t digits = count_digits(at, end);
		bool big = digits >= BIG_DIGITS && at > text && memchr(":,[", at[-1], 3);
		size_t run = digits;

		if (*at == '"')
			run = (size_t)(skip_string(at, end) - at);
		else if (!run)
			run = 1;
		if (big)
			*to++ = '"';
		memcpy(to, at, run);
		to += run;
		at += run;
		if (big)
			*to++ = '"';
	}
	return (size_t)(to - out);
}

static json_t *parse_big(const char *text, size_t bytes, json_error_t *error)
{
	char *quoted = malloc(bytes * 2);
	json_t *object = NULL;

	if (quoted)
		object = json_loadb(quoted, quote_big(text, bytes, quoted), 0, error);
	free(quoted);
	return object;
}

json_t *records_parse(const char *text, size_t bytes, struct text *why)
{
	json_error_t error;
	json_t *object = json_loadb(text, bytes, 0, &error);

	if (!object && json_error_code(&error) == json_error_numeric_overflow)
		object = parse_big(text, bytes, &error);
	if (!object) {
		text_add(why, "it is not JSON: %s, at byte %d", error.text, error.position);
	} else if (!json_is_object(object)) {
		text_add(why, "it is not a JSON object");
		json_decref(object);
		object = NULL;
	}
	return object;
}

bool records_join(json_t *whole, json_t *part)
{
	const char *key;
	json_t *value;

	json_object_foreach(part, key, value)
	{
		json_t *old = json_object_get(whole, key);
		bool joined;

		if (json_is_object(old) && json_is_object(value))
			joined = records_join(old, value);
		else if (json_is_array(old) && json_is_array(value))
			joined = json_array_extend(old, value) == 0;
		else if (!old)
			joined = json_object_set(whole, key, value) == 0;
		else
			joined = json_equal(old, value);
		if (!joined)
			return false;
	}
	return true;
}

/* Whole numbers as JSON has them: integers, or digits that were too many. */
static bool get_u64(const json_t *value, uint64_t *out)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*out = (uint64_t)json_integer_value(value);
		return true;
	}
	if (!json_is_string(value))
		return false;

	const char *digits = json_string_value(value);
	size_t bytes = json_string_length(value);

	if (bytes < BIG_DIGITS || count_digits(digits, digits + bytes) != bytes)
		return false;
	errno = 0;
	*out = strtoull(digits, NULL, 10);
	return errno == 0;
}

static bool decode_u64(const json_t *value, void *member)
{
	return get_u64(value, member);
}

static bool decode_i64(const json_t *value, void *member)
{
	uint64_t magnitude = 0;

	if (!json_is_integer(value) && (!get_u64(value, &magnitude) || magnitude > INT64_MAX))
		return false;
	*(int64_t *)member = json_is_integer(value) ? json_integer_value(value)
						    : (int64_t)magnitude;
	return true;
}

static bool decode_u32(const json_t *value, void *member)
{
	uint64_t wide;

	if (!get_u64(value, &wide) || wide > UINT32_MAX)
		return false;
	*(uint32_t *)member = (uint32_t)wide;
	return true;
}

static bool decode_bool(const json_t *value, void *member)
{
	*(bool *)member = json_is_true(value);
	return json_is_boolean(value);
}

static bool is_absent(const json_t *value)
{
	return !value || json_is_null(value);
}

static bool decode_string(const json_t *value, void *member)
{
	*(const char **)member = json_string_value(value);
	return is_absent(value) || json_is_string(value);
}

static bool decode_maybe(const json_t *value, void *member)
{
	struct maybe *m = member;

	if (is_absent(value))
		return true;
	m->known = get_u64(value, &m->value);
	return m->known;
}

#define HEX64_DIGITS 16

static bool decode_hex64(const json_t *value, void *member)
{
	const char *digits = json_string_value(value);

	if (!digits || strlen(digits) != HEX64_DIGITS ||
	    strspn(digits, "0123456789abcdef") != HEX64_DIGITS)
		return false;
	*(uint64_t *)member = strtoull(digits, NULL, 16);
	return true;
}

static bool decode_pairs(const json_t *value, void *member)
{
	struct record_pairs *pairs = member;
	uint64_t(*at)[2];

	if (!json_is_array(value))
		return false;
	pairs->count = json_array_size(value);
	at = calloc(pairs->count ? pairs->count : 1, sizeof(*at));
	pairs->at = (const uint64_t(*)[2])at;
	if (!at)
		return false;
	for (size_t i = 0; i < pairs->count; i++) {
		const json_t *pair = json_array_get(value, i);

		if (!json_is_array(pair) || json_array_size(pair) != 2 ||
		    !get_u64(json_array_get(pair, 0), &at[i][0]) ||
		    !get_u64(json_array_get(pair, 1), &at[i][1]))
			return false;
	}
	return true;
}

static bool decode_strings(const json_t *value, void *member)
{
	const char **strings = member;

	if (!json_is_array(value) || json_array_size(value) > RECORD_STRINGS)
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		strings[i] = json_string_value(json_array_get(value, i));
		if (!strings[i])
			return false;
	}
	return true;
}

static bool decode_causes(const json_t *value, void *member)
{
	struct cause_sum *sums = member;

	if (!json_is_object(value))
		return false;
	for (unsigned i = 0; i < CAUSES; i++) {
		const json_t *sum = json_object_get(value, cause_name((enum cause)i));

		if (!sum)
			continue;
		if (!get_u64(json_object_get(sum, "gaps"), &sums[i].gaps) ||
		    !get_u64(json_object_get(sum, "ns"), &sums[i].ns))
			return false;
	}
	return true;
}

static bool decode_timers(const json_t *value, void *member)
{
	struct period_timer *timers = member;
	const char *name;
	json_t *period;
	size_t n = 0;

	if (is_absent(value))
		return true;
	if (!json_is_object(value) || json_object_size(value) > RECORD_TIMERS)
		return false;
	json_object_foreach((json_t *)(uintptr_t)value, name, period)
	{
		timers[n].name = name;
		if (!get_u64(period, &timers[n++].period_ns))
			return false;
	}
	return true;
}

static bool decode_totals(const json_t *value, void *member)
{
	uint64_t *totals = member;

	if (!json_is_object(value))
		return false;
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		const json_t *total = json_object_get(value, record_type_name((enum record_type)i));

		if (total && !get_u64(total, &totals[i]))
			return false;
	}
	return true;
}

/* What each kind of field is in JSON; `value` is NULL where the field is missing. */
static const struct {
	bool (*decode)(const json_t *value, void *member);
	const char *wanted;
} kinds[] = {
	[FIELD_U64] = { decode_u64, "a whole number below 2^64" },
	[FIELD_I64] = { decode_i64, "a whole number" },
	[FIELD_U32] = { decode_u32, "a whole number below 2^32" },
	[FIELD_BOOL] = { decode_bool, "true or false" },
	[FIELD_STRING] = { decode_string, "a string or null" },
	[FIELD_MAYBE] = { decode_maybe, "a whole number below 2^64, or null" },
	[FIELD_HEX64] = { decode_hex64, "a string of 16 hexadecimal digits" },
	[FIELD_PAIRS] = { decode_pairs, "an array of pairs of whole numbers" },
	[FIELD_STRINGS] = { decode_strings, "an array of at most 16 strings" },
	[FIELD_CAUSES] = { decode_causes, "an object of {gaps, ns} by cause" },
	[FIELD_TIMERS] = { decode_timers, "an object of at most 4 whole numbers by name" },
	[FIELD_TOTALS] = { decode_totals, "an object of whole numbers by type" },
};

_Static_assert(RECORD_STRINGS == 16, "the text of FIELD_STRINGS above says 16");
_Static_assert(RECORD_TIMERS == 4, "the text of FIELD_TIMERS above says 4");

static const char *const json_names[] = {
	[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
	[JSON_INTEGER] = "a number", [JSON_REAL] = "a real",    [JSON_TRUE] = "true",
	[JSON_FALSE] = "false",      [JSON_NULL] = "null",
};

static void say_why(struct text *why, const char *name, const char *wanted, const json_t *found)
{
	if (found)
		text_add(why, "field \"%s\" is not %s (found: %s)", name, wanted,
			 json_names[json_typeof(found)]);
	else
		text_add(why, "field \"%s\" is missing (wanted: %s)", name, wanted);
}

#define DEPTH_MAX 4 /* objects in objects, as the tables have them */

void records_finish(enum record_type type, union record *record)
{
	struct record_gap *gap = &record->gap;

	if (type != RECORD_GAP)
		return;
	gap->cause_id = CAUSE_UNKNOWN;
	if (gap->cause)
		cause_parse(gap->cause, &gap->cause_id);
}

bool records_decode(json_t *object, enum record_type type, union record *record, struct text *why)
{
	json_t *around[DEPTH_MAX] = { object };
	unsigned depth = 0;

	memset(record, 0, sizeof(*record));
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_CLOSE) {
			depth--;
			continue;
		}

		json_t *value = json_object_get(around[depth], f->name);

		if (f->kind == FIELD_OPEN) {
			if (!json_is_object(value) || depth + 1 == DEPTH_MAX) {
				say_why(why, f->name, "an object", value);
				return false;
			}
			around[++depth] = value;
		} else if (!kinds[f->kind].decode(value, (char *)record + f->offset)) {
			say_why(why, f->name, kinds[f->kind].wanted, value);
			return false;
		}
	}
	records_finish(type, record);
	return true;
}

void records_release(enum record_type type, union record *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		struct record_pairs *pairs = (void *)((char *)record + f->offset);

		if (f->kind != FIELD_PAIRS)
			continue;
		free((void *)(uintptr_t)pairs->at);
		*pairs = (struct record_pairs){ 0 };
	}
}
