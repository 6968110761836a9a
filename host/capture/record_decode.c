/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One walk over the text, along the field table. The search for a field starts behind the last one
 * that was found, since the writer keeps that order. It accepts what jansson accepts.
 */
#include "record_decode.h"

#include "json_scan.h"
#include "line.h"

#include "host/lib/memory.h"

#include "core/cause/cause.h"
#include "core/records/record_field.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	size_t bytes; /* size of the struct */
	struct json_name name;
} types[RECORD_TYPES] = {
#define RECORD(id, name, about) { sizeof(struct record_##name), { #name, sizeof(#name) - 1 } },
#include "core/records/record_table.h"
};

size_t record_decode_bytes(enum record_type type)
{
	return types[type].bytes;
}

bool record_decode_type(const char *name, size_t bytes, enum record_type *type)
{
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		const struct json_name *known = &types[i].name;

		if (known->bytes == bytes && memcmp(known->at, name, bytes) == 0) {
			*type = (enum record_type)i;
			return true;
		}
	}
	return false;
}

/* The row behind `f`, and behind the object that `f` opens. */
static const struct record_field *skip_row(const struct record_field *f)
{
	unsigned depth = 0;

	do {
		depth += f->kind == FIELD_OPEN;
		depth -= f->kind == FIELD_CLOSE;
		f++;
	} while (depth);
	return f;
}

/* ---- Kinds of fields ---- */

static bool take_u64(struct json_scan *s, void *member)
{
	return json_scan_u64(s, member);
}

static bool take_i64(struct json_scan *s, void *member)
{
	return json_scan_i64(s, member);
}

static bool take_u32(struct json_scan *s, void *member)
{
	uint64_t wide;

	if (!take_u64(s, &wide) || wide > UINT32_MAX)
		return false;
	*(uint32_t *)member = (uint32_t)wide;
	return true;
}

static bool take_bool(struct json_scan *s, void *member)
{
	*(bool *)member = json_scan_word(s, "true");
	return *(bool *)member || json_scan_word(s, "false");
}

static bool take_text(struct json_scan *s, void *member)
{
	return json_scan_string(s, member);
}

static bool take_maybe(struct json_scan *s, void *member)
{
	struct maybe *m = member;

	m->known = take_u64(s, &m->value);
	return m->known;
}

static bool take_pair(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct record_pairs *pairs = ctx;
	uint64_t(*at)[2] = memory_grow((void *)(uintptr_t)pairs->at, pairs->count, sizeof(*at));
	uint64_t *pair = at[pairs->count++];
	bool taken = json_scan_byte(s, '[');

	(void)name;
	pairs->at = (const uint64_t(*)[2])at;
	for (unsigned i = 0; i < 2 && taken; i++) {
		json_scan_space(s);
		taken = take_u64(s, &pair[i]);
		json_scan_space(s);
		taken = taken && json_scan_byte(s, i ? ']' : ',');
	}
	return taken;
}

static bool take_string(struct json_scan *s, const struct json_name *name, void *ctx)
{
	const char **strings = ctx;
	size_t n = 0;

	(void)name;
	while (n < RECORD_STRINGS && strings[n])
		n++;
	return n < RECORD_STRINGS && json_scan_string(s, &strings[n]);
}

/* Gaps and ns of one cause, and which of them are present. */
struct sum {
	struct cause_sum sum;
	bool gaps, ns;
};

static bool take_sum_member(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct sum *sum = ctx;

	if (json_name_is(name, "gaps"))
		return sum->gaps = take_u64(s, &sum->sum.gaps);
	if (json_name_is(name, "ns"))
		return sum->ns = take_u64(s, &sum->sum.ns);
	return json_scan_skip(s);
}

static bool take_cause(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct cause_sum *sums = ctx;

	for (unsigned i = 0; i < CAUSES; i++) {
		struct sum sum = { .gaps = false };

		if (!json_name_is(name, cause_name((enum cause)i)))
			continue;
		if (!json_scan_each(s, '{', take_sum_member, &sum) || !sum.gaps || !sum.ns)
			return false;
		if (sums[i].gaps || sums[i].ns)
			return memcmp(&sums[i], &sum.sum, sizeof(sum.sum)) == 0;
		sums[i] = sum.sum;
		return true;
	}
	return json_scan_skip(s);
}

static bool take_timer(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct period_timer *timers = ctx;
	size_t n = 0;

	while (n < RECORD_TIMERS && timers[n].name && !json_name_is(name, timers[n].name))
		n++;
	if (n == RECORD_TIMERS)
		return false;
	timers[n].name = json_name_keep(s, name);
	return take_u64(s, &timers[n].period_ns);
}

static bool take_total(struct json_scan *s, const struct json_name *name, void *ctx)
{
	uint64_t *totals = ctx, total;
	enum record_type type;

	if (!record_decode_type(name->at, name->bytes, &type))
		return json_scan_skip(s);
	if (!take_u64(s, &total) || (totals[type] && totals[type] != total))
		return false;
	totals[type] = total;
	return true;
}

static bool take_member(struct json_scan *s, const struct json_name *name, void *ctx);

/*
 * JSON form of each kind of field: a value, or the elements of an array or an object; whether a
 * record may lack it, or have null; whether parts are merged.
 */
static const struct {
	bool (*take)(struct json_scan *s, void *member);
	json_scan_take *each;
	char bracket;
	const char *wanted;
	bool absent, merged;
} kinds[FIELD_CLOSE + 1] = {
	[FIELD_U64] = { take_u64, .wanted = "a whole number below 2^64" },
	[FIELD_I64] = { take_i64, .wanted = "a whole number" },
	[FIELD_U32] = { take_u32, .wanted = "a whole number below 2^32" },
	[FIELD_BOOL] = { take_bool, .wanted = "true or false" },
	[FIELD_STRING] = { take_text, .wanted = "a string or null", .absent = true },
	[FIELD_MAYBE] = { take_maybe, .wanted = "a whole number below 2^64, or null",
			  .absent = true },
	[FIELD_PAIRS] = { NULL, take_pair, '[', "an array of pairs of whole numbers",
			  .merged = true },
	[FIELD_STRINGS] = { NULL, take_string, '[', "an array of at most 16 strings",
			    .merged = true },
	[FIELD_CAUSES] = { NULL, take_cause, '{', "an object of {gaps, ns} by cause",
			   .merged = true },
	[FIELD_TIMERS] = { NULL, take_timer, '{', "an object of at most 4 whole numbers by name",
			   .absent = true, .merged = true },
	[FIELD_TOTALS] = { NULL, take_total, '{', "an object of whole numbers by type",
			   .merged = true },
	[FIELD_OPEN] = { NULL, take_member, '{', "an object", .merged = true },
};

/* Take a value of this kind. */
static bool take_kind(struct json_scan *s, enum record_field_kind kind, void *to)
{
	if (kinds[kind].absent && json_scan_word(s, "null"))
		return true;
	if (kinds[kind].each)
		return json_scan_each(s, kinds[kind].bracket, kinds[kind].each, to);
	return kinds[kind].take(s, to);
}

_Static_assert(RECORD_STRINGS == 16, "the text of FIELD_STRINGS above has 16");
_Static_assert(RECORD_TIMERS == 4, "the text of FIELD_TIMERS above has 4");

/* ---- Fields ---- */

/* Rows of one object, up to the closing one. The search starts after the row found last. */
struct rows {
	const struct record_field *first, *at;
	struct record_decode *d;
	struct text *why;
};

/* Report why the value at `s` could not be taken. */
static __attribute__((noinline)) bool wrong_value(const struct rows *rows,
						  const struct record_field *f, struct json_scan s)
{
	const struct json_scan before = s;

	if (!rows->why->len && json_scan_skip(&s))
		text_add(rows->why, "field \"%s\" is not %s (found: %s)", f->name,
			 kinds[f->kind].wanted, json_scan_kind(&before));
	return false;
}

_Static_assert(RECORD_FIELDS_MAX <= 64, "rows have a bit each");

static uint64_t row_of(const struct record_decode *d, const struct record_field *f)
{
	return UINT64_C(1) << (f - d->fields);
}

/* The field has a value already. Only keys recur, once in each line, and must be equal. */
static bool take_again(struct json_scan *s, const struct rows *rows, const struct record_field *f)
{
	union record again;

	memset(&again, 0, sizeof(again));
	if (f->key && take_kind(s, f->kind, (char *)&again + f->offset) &&
	    record_decode_same(f, &again, &rows->d->record))
		return true;
	text_add(rows->why, "field \"%s\" occurs twice%s", f->name,
		 f->key ? ", with different values" : "");
	return false;
}

static bool take_value(struct json_scan *s, const struct rows *rows, const struct record_field *f)
{
	struct record_decode *d = rows->d;
	void *member = (char *)&d->record + f->offset;
	struct rows inner = { f + 1, f + 1, d, rows->why };
	const struct json_scan before = *s;
	bool taken;

	if (d->rows & row_of(d, f) && !kinds[f->kind].merged)
		return take_again(s, rows, f);
	d->has_pairs |= f->kind == FIELD_PAIRS;
	if (f->kind == FIELD_U64) /* most are */
		taken = take_u64(s, member);
	else
		taken = take_kind(s, f->kind, f->kind == FIELD_OPEN ? &inner : member);
	d->rows |= row_of(d, f);
	return taken || wrong_value(rows, f, before);
}

/* Take a member of an object. Most are the next row. */
static bool take_member(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct rows *rows = ctx;
	const struct record_field *f = rows->at;

	do {
		if (f->kind == FIELD_END || f->kind == FIELD_CLOSE) {
			f = rows->first;
			continue;
		}
		if (json_name_is(name, f->name)) {
			rows->at = skip_row(f);
			return take_value(s, rows, f);
		}
		f = skip_row(f);
	} while (f != rows->at);
	return json_scan_skip(s);
}

/* Take the next row's name, as the writer has it, and its colon. */
static bool take_next_name(struct json_scan *s, const struct record_field *f)
{
	size_t bytes = f->bytes;

	if ((size_t)(s->end - s->at) < bytes + sizeof(",\"\":") || s->at[0] != ',' ||
	    s->at[1] != '"' || memcmp(s->at + 2, f->name, bytes) != 0 || s->at[bytes + 2] != '"' ||
	    s->at[bytes + 3] != ':')
		return false;
	s->at += bytes + sizeof(",\"\":") - 1;
	return true;
}

/* The fields between the line's header and its checksum. */
static bool take_line(struct json_scan *s, struct rows *rows)
{
	struct json_name name;

	s->depth++;
	for (json_scan_space(s); s->at < s->end; json_scan_space(s)) {
		const struct record_field *f = rows->at;

		if (f->bytes && take_next_name(s, f)) {
			rows->at = skip_row(f);
			json_scan_space(s);
			if (!take_value(s, rows, f))
				return false;
			continue;
		}
		if (!json_scan_byte(s, ','))
			return false;
		json_scan_space(s);
		if (!json_scan_name(s, &name) || !take_member(s, &name, rows))
			return false;
	}
	return true;
}

/* ---- Records ---- */

static void record_decode_release(struct record_decode *d)
{
	for (const struct record_field *f = d->fields; d->has_pairs && f->kind != FIELD_END; f++) {
		struct record_pairs *pairs = (void *)((char *)&d->record + f->offset);

		if (f->kind == FIELD_PAIRS)
			free((void *)(uintptr_t)pairs->at);
	}
	memset(&d->record, 0, types[d->type].bytes);
	d->has_pairs = false;
	if (d->older.count)
		record_decode_disown(&d->older, 0);
}

void record_decode_free(struct record_decode *d)
{
	record_decode_release(d);
	free(d->strings);
	d->strings = NULL;
	d->room = 0;
}

void record_decode_start(struct record_decode *d, enum record_type type)
{
	record_decode_release(d);
	d->type = type;
	d->fields = record_fields(type);
	d->rows = 0;
	d->used = 0;
}

/* For the strings of a line; those of earlier lines stay where they are. */
static void make_room(struct record_decode *d, size_t bytes)
{
	if (d->room - d->used >= bytes)
		return;
	if (d->used)
		*MEMORY_ADD(d->older.at, d->older.count) = d->strings;
	else
		free(d->strings);
	d->strings = memory_new(bytes, 1);
	d->room = bytes;
	d->used = 0;
}

bool record_decode_line(struct record_decode *d, const struct line *line, struct text *why)
{
	struct json_scan s = { .at = line->fields, .end = line->text + line->bytes };
	struct rows rows = { d->fields, d->fields, d, why };
	bool taken;

	make_room(d, line->bytes);
	s.strings = d->strings;
	s.used = d->used;
	taken = take_line(&s, &rows);
	d->used = s.used;
	if (!taken && !why->len)
		text_add(why, "it is not JSON, at byte %zu", (size_t)(s.at - line->text));
	return taken;
}

static bool is_missing(const struct record_decode *d, const struct record_field *f)
{
	return f->kind != FIELD_CLOSE && !kinds[f->kind].absent && !(d->rows & row_of(d, f));
}

static bool has_needed(const struct record_decode *d, struct text *why)
{
	for (const struct record_field *f = d->fields; f->kind != FIELD_END; f++) {
		if (!is_missing(d, f))
			continue;
		text_add(why, "field \"%s\" is missing (expected: %s)", f->name,
			 kinds[f->kind].wanted);
		return false;
	}
	return true;
}

bool record_decode_finish(struct record_decode *d, struct text *why)
{
	return has_needed(d, why);
}

bool record_decode_same(const struct record_field *f, const void *a, const void *b)
{
	if (f->kind == FIELD_STRING)
		return text_same(record_field_string(f, a), record_field_string(f, b));
	return record_field_number(f, a).value == record_field_number(f, b).value;
}

/* ---- Copies ---- */

static void *own(struct record_owned *owned, const void *from, size_t bytes)
{
	return *MEMORY_ADD(owned->at, owned->count) = memory_copy(from, bytes, 1);
}

static void own_strings(struct record_owned *owned, const char **string, size_t count, size_t apart)
{
	for (; count--; string += apart)
		if (*string)
			*string = own(owned, *string, strlen(*string) + 1);
}

void record_decode_own(struct record_owned *owned, enum record_type type, union record *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		void *member = (char *)record + f->offset;
		struct record_pairs *pairs = member;
		struct period_timer *timers = member;

		if (f->kind == FIELD_PAIRS && pairs->count)
			pairs->at = own(owned, pairs->at, pairs->count * sizeof(*pairs->at));
		else if (f->kind == FIELD_TIMERS)
			own_strings(owned, &timers->name, RECORD_TIMERS,
				    sizeof(*timers) / sizeof(timers->name));
		else if (f->kind == FIELD_STRING || f->kind == FIELD_STRINGS)
			own_strings(owned, member, f->kind == FIELD_STRING ? 1 : RECORD_STRINGS, 1);
	}
}

void record_decode_disown(struct record_owned *owned, size_t count)
{
	while (owned->count > count)
		free(owned->at[--owned->count]);
	if (count)
		return;
	free(owned->at);
	owned->at = NULL;
}
