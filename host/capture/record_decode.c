/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over the text in step with the field table: a field is looked for where the last one
 * was found, as the writer has them in that order. What is accepted is what jansson accepts.
 */
#include "record_decode.h"

#include "host/lib/list.h"
#include "host/lib/memory.h"

#include "core/cause/cause.h"
#include "core/records/record_field.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 2048 /* objects and arrays in each other */
#define HEADER    4    /* fields before the type's own: nf, sid, seq, type */

/* What is left of a line. */
struct cursor {
	const char *at, *end;
	unsigned depth;
	struct record_decode *d;
	struct text *why;
};

/* A field's name without escapes: in place, up to its quote, or copied, up to a zero. */
struct name {
	const char *at;
	size_t bytes;
};

bool record_decode_type(const char *name, size_t bytes, enum record_type *type)
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

/* ---- Text ---- */

static inline bool take_byte(struct cursor *c, char byte)
{
	bool is = c->at < c->end && *c->at == byte;

	c->at += is;
	return is;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t bytes = strlen(word);

	if ((size_t)(c->end - c->at) < bytes || memcmp(c->at, word, bytes) != 0)
		return false;
	c->at += bytes;
	return true;
}

/* Mostly there is none. */
static inline void skip_space(struct cursor *c)
{
	while (c->at < c->end && (uint8_t)*c->at <= ' ' &&
	       (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
		c->at++;
}

/* Printable ASCII that stands for itself in a string. */
static inline bool is_plain(char byte)
{
	return byte >= 0x20 && (uint8_t)byte < 0x80 && byte != '"' && byte != '\\';
}

static bool take_hex4(struct cursor *c, uint32_t *code)
{
	*code = 0;
	for (unsigned i = 0; i < 4; i++, c->at++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = c->at < c->end ? memchr(digits, *c->at, 32) : NULL;

		if (!digit)
			return false;
		*code = *code << 4 | (uint32_t)(digit - digits) % 16;
	}
	return true;
}

static size_t put_utf8(uint32_t code, char *to)
{
	size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(lead[more] | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* Behind a backslash. Returns the bytes put to `to`; 0: no escape. */
static size_t take_escape(struct cursor *c, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = c->at < c->end ? memchr(letters, *c->at, sizeof(letters) - 1) : NULL;
	uint32_t code, low;

	if (letter) {
		c->at++;
		*to = meant[letter - letters];
		return 1;
	}
	if (!take_byte(c, 'u') || !take_hex4(c, &code) || !code || code >> 10 == 0xdc00 >> 10)
		return 0;
	if (code >> 10 == 0xd800 >> 10) {
		if (!take_word(c, "\\u") || !take_hex4(c, &low) || low >> 10 != 0xdc00 >> 10)
			return 0;
		code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
	}
	return put_utf8(code, to);
}

/* A character past ASCII, copied. Returns its bytes; 0: no UTF-8. */
static size_t take_utf8(struct cursor *c, char *to)
{
	uint8_t lead = (uint8_t)*c->at;
	size_t bytes = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
	uint32_t code = bytes ? lead & 0x7fu >> bytes : 0;

	if (!bytes || (size_t)(c->end - c->at) < bytes)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if (((uint8_t)c->at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((uint8_t)c->at[i] & 0x3f);
	}
	if (code > 0x10ffff || code >> 11 == 0xd800 >> 11 || put_utf8(code, to) != bytes)
		return 0;
	c->at += bytes;
	return bytes;
}

/* Its copy is never longer than the text, as quotes make room for the closing zero. */
static bool take_string(struct cursor *c, const char **value)
{
	char *to = c->d->strings + c->d->used;

	*value = to;
	if (!take_byte(c, '"'))
		return false;
	while (c->at < c->end && *c->at != '"') {
		size_t bytes = 1;

		if (is_plain(*c->at))
			*to = *c->at++;
		else if (take_byte(c, '\\'))
			bytes = take_escape(c, to);
		else
			bytes = take_utf8(c, to);
		if (!bytes)
			return false;
		to += bytes;
	}
	*to++ = '\0';
	c->d->used = (size_t)(to - c->d->strings);
	return take_byte(c, '"');
}

/* In place where it has no escape. */
static bool take_name(struct cursor *c, struct name *name)
{
	const char *from = c->at + 1, *at = from;

	if (c->at == c->end || *c->at != '"')
		return false;
	while (at < c->end && is_plain(*at))
		at++;
	if (at < c->end && *at == '"') {
		*name = (struct name){ from, (size_t)(at - from) };
		c->at = at + 1;
		return true;
	}
	if (!take_string(c, &name->at))
		return false;
	name->bytes = strlen(name->at);
	return true;
}

static inline bool is_name(const struct name *name, const char *known)
{
	size_t n = 0;

	while (n < name->bytes && known[n] == name->at[n])
		n++;
	return n == name->bytes && !known[n];
}

/* ---- Values ---- */

/* Takes the value of a member. */
typedef bool take_member(struct cursor *c, const struct name *name, void *ctx);

static bool take_object(struct cursor *c, take_member *member, void *ctx)
{
	bool any = false;

	if (!take_byte(c, '{') || ++c->depth > DEPTH_MAX)
		return false;
	for (skip_space(c); !take_byte(c, '}'); skip_space(c)) {
		struct name name;

		if (any && !take_byte(c, ','))
			return false;
		any = true;
		skip_space(c);
		if (!take_name(c, &name))
			return false;
		skip_space(c);
		if (!take_byte(c, ':'))
			return false;
		skip_space(c);
		if (!member(c, &name, ctx))
			return false;
	}
	c->depth--;
	return true;
}

typedef bool take_element(struct cursor *c, void *ctx);

static bool take_array(struct cursor *c, take_element *element, void *ctx)
{
	bool any = false;

	if (!take_byte(c, '[') || ++c->depth > DEPTH_MAX)
		return false;
	for (skip_space(c); !take_byte(c, ']'); skip_space(c)) {
		if (any && !take_byte(c, ','))
			return false;
		any = true;
		skip_space(c);
		if (!element(c, ctx))
			return false;
	}
	c->depth--;
	return true;
}

static bool skip_digits(struct cursor *c)
{
	const char *from = c->at;

	while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
		c->at++;
	return c->at > from;
}

/* No zeros before a number. */
static bool skip_number(struct cursor *c)
{
	take_byte(c, '-');
	if (!take_byte(c, '0') && !skip_digits(c))
		return false;
	if (take_byte(c, '.') && !skip_digits(c))
		return false;
	if (!take_byte(c, 'e') && !take_byte(c, 'E'))
		return true;
	if (!take_byte(c, '-'))
		take_byte(c, '+');
	return skip_digits(c);
}

static bool skip_value(struct cursor *c, void *ctx);

static bool skip_member(struct cursor *c, const struct name *name, void *ctx)
{
	(void)name;
	return skip_value(c, ctx);
}

/* Nothing is kept of it. */
static bool skip_value(struct cursor *c, void *ctx)
{
	size_t used = c->d->used;
	const char *string;
	bool valid;

	switch (c->at < c->end ? *c->at : '\0') {
	case '"':
		valid = take_string(c, &string);
		c->d->used = used;
		return valid;
	case '{':
		return take_object(c, skip_member, ctx);
	case '[':
		return take_array(c, skip_value, ctx);
	case 't':
		return take_word(c, "true");
	case 'f':
		return take_word(c, "false");
	case 'n':
		return take_word(c, "null");
	default:
		return skip_number(c);
	}
}

/* ---- Kinds of fields ---- */

/* Digits of a whole number. */
static bool take_digits(struct cursor *c, uint64_t *value)
{
	const char *from = c->at;

	*value = 0;
	if (take_byte(c, '0'))
		return true;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
		uint64_t digit = (uint64_t)(*c->at - '0');

		/* Below 2^63 whatever they are, up to 18 of them. */
		if (c->at - from >= 18 && *value > (UINT64_MAX - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return c->at > from;
}

static bool take_integer(struct cursor *c, bool *negative, uint64_t *magnitude)
{
	*negative = take_byte(c, '-');
	return take_digits(c, magnitude) &&
	       !(c->at < c->end && (*c->at == '.' || *c->at == 'e' || *c->at == 'E'));
}

static bool take_u64(struct cursor *c, void *member)
{
	uint64_t *value = member;
	bool negative;

	return take_integer(c, &negative, value) && (!negative || !*value);
}

static bool take_i64(struct cursor *c, void *member)
{
	uint64_t magnitude;
	bool negative;

	if (!take_integer(c, &negative, &magnitude) ||
	    magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	*(int64_t *)member = (int64_t)(negative ? 0 - magnitude : magnitude);
	return true;
}

static bool take_u32(struct cursor *c, void *member)
{
	uint64_t wide;

	if (!take_u64(c, &wide) || wide > UINT32_MAX)
		return false;
	*(uint32_t *)member = (uint32_t)wide;
	return true;
}

static bool take_bool(struct cursor *c, void *member)
{
	*(bool *)member = take_word(c, "true");
	return *(bool *)member || take_word(c, "false");
}

static bool take_text(struct cursor *c, void *member)
{
	return take_word(c, "null") || take_string(c, member);
}

static bool take_maybe(struct cursor *c, void *member)
{
	struct maybe *m = member;

	if (take_word(c, "null"))
		return true;
	m->known = take_u64(c, &m->value);
	return m->known;
}

static bool take_pair(struct cursor *c, void *member)
{
	struct record_pairs *pairs = member;
	uint64_t(*at)[2] = (void *)(uintptr_t)pairs->at;

	at = list_grow(at, pairs->count, sizeof(*at));
	pairs->at = (const uint64_t(*)[2])at;
	at += pairs->count++;
	if (!take_byte(c, '['))
		return false;
	skip_space(c);
	if (!take_u64(c, &(*at)[0]))
		return false;
	skip_space(c);
	if (!take_byte(c, ','))
		return false;
	skip_space(c);
	if (!take_u64(c, &(*at)[1]))
		return false;
	skip_space(c);
	return take_byte(c, ']');
}

static bool take_pairs(struct cursor *c, void *member)
{
	return take_array(c, take_pair, member);
}

static bool add_string(struct cursor *c, void *member)
{
	const char **strings = member;
	size_t n = 0;

	while (n < RECORD_STRINGS && strings[n])
		n++;
	return n < RECORD_STRINGS && take_string(c, &strings[n]);
}

static bool take_strings(struct cursor *c, void *member)
{
	return take_array(c, add_string, member);
}

/* Gaps and ns of one cause, and which of them are there. */
struct sum {
	struct cause_sum sum;
	bool gaps, ns;
};

static bool take_sum_member(struct cursor *c, const struct name *name, void *ctx)
{
	struct sum *s = ctx;

	if (is_name(name, "gaps"))
		return s->gaps = take_u64(c, &s->sum.gaps);
	if (is_name(name, "ns"))
		return s->ns = take_u64(c, &s->sum.ns);
	return skip_value(c, NULL);
}

static bool take_cause(struct cursor *c, const struct name *name, void *ctx)
{
	struct cause_sum *sums = ctx;

	for (unsigned i = 0; i < CAUSES; i++) {
		struct sum s = { .gaps = false };

		if (!is_name(name, cause_name((enum cause)i)))
			continue;
		if (!take_object(c, take_sum_member, &s) || !s.gaps || !s.ns)
			return false;
		if (sums[i].gaps || sums[i].ns)
			return memcmp(&sums[i], &s.sum, sizeof(s.sum)) == 0;
		sums[i] = s.sum;
		return true;
	}
	return skip_value(c, NULL);
}

static bool take_causes(struct cursor *c, void *member)
{
	return take_object(c, take_cause, member);
}

static bool take_timer(struct cursor *c, const struct name *name, void *ctx)
{
	struct period_timer *timers = ctx;
	char *own = c->d->strings + c->d->used;
	size_t n = 0;

	while (n < RECORD_TIMERS && timers[n].name && !is_name(name, timers[n].name))
		n++;
	if (n == RECORD_TIMERS)
		return false;
	timers[n].name = name->at;
	if (name->at[name->bytes]) {
		memcpy(own, name->at, name->bytes);
		own[name->bytes] = '\0';
		c->d->used += name->bytes + 1;
		timers[n].name = own;
	}
	return take_u64(c, &timers[n].period_ns);
}

static bool take_timers(struct cursor *c, void *member)
{
	return take_word(c, "null") || take_object(c, take_timer, member);
}

static bool take_total(struct cursor *c, const struct name *name, void *ctx)
{
	uint64_t *totals = ctx, total;
	enum record_type type;

	if (!record_decode_type(name->at, name->bytes, &type))
		return skip_value(c, NULL);
	if (!take_u64(c, &total) || (totals[type] && totals[type] != total))
		return false;
	totals[type] = total;
	return true;
}

static bool take_totals(struct cursor *c, void *member)
{
	return take_object(c, take_total, member);
}

/* What each kind of field is in JSON; whether a record may lack it, and parts each have some. */
static const struct {
	bool (*take)(struct cursor *c, void *member);
	const char *wanted;
	bool absent, merged;
} kinds[FIELD_CLOSE + 1] = {
	[FIELD_U64] = { take_u64, "a whole number below 2^64", .absent = false },
	[FIELD_I64] = { take_i64, "a whole number", .absent = false },
	[FIELD_U32] = { take_u32, "a whole number below 2^32", .absent = false },
	[FIELD_BOOL] = { take_bool, "true or false", .absent = false },
	[FIELD_STRING] = { take_text, "a string or null", .absent = true },
	[FIELD_MAYBE] = { take_maybe, "a whole number below 2^64, or null", .absent = true },
	[FIELD_PAIRS] = { take_pairs, "an array of pairs of whole numbers", .merged = true },
	[FIELD_STRINGS] = { take_strings, "an array of at most 16 strings", .merged = true },
	[FIELD_CAUSES] = { take_causes, "an object of {gaps, ns} by cause", .merged = true },
	[FIELD_TIMERS] = { take_timers, "an object of at most 4 whole numbers by name",
			   .absent = true, .merged = true },
	[FIELD_TOTALS] = { take_totals, "an object of whole numbers by type", .merged = true },
	[FIELD_OPEN] = { NULL, "an object", .merged = true },
};

_Static_assert(RECORD_STRINGS == 16, "the text of FIELD_STRINGS above says 16");
_Static_assert(RECORD_TIMERS == 4, "the text of FIELD_TIMERS above says 4");

/* ---- Fields ---- */

/* The first JSON value in the text, by its first byte. */
static const char *value_name(const char *at, const char *end)
{
	switch (*at) {
	case '{':
		return "an object";
	case '[':
		return "an array";
	case '"':
		return "a string";
	case 't':
		return "true";
	case 'f':
		return "false";
	case 'n':
		return "null";
	default:
		while (at < end && memchr("-0123456789", *at, 11))
			at++;
		return at < end && memchr(".eE", *at, 3) ? "a real" : "a number";
	}
}

/* The value that begins at `before` could not be taken. */
static bool wrong_value(struct cursor *c, const struct record_field *f, const struct cursor *before,
			size_t used)
{
	if (c->why->len)
		return false;
	*c = *before;
	c->d->used = used;
	if (skip_value(c, NULL))
		text_add(c->why, "field \"%s\" is not %s (found: %s)", f->name,
			 kinds[f->kind].wanted, value_name(before->at, c->end));
	return false;
}

/* It was in a line before, or twice in this one: it must be the same. */
static bool take_again(struct cursor *c, const struct record_field *f, size_t row)
{
	const char *from = c->at;
	size_t bytes = c->d->value[row].bytes;

	if (!skip_value(c, NULL))
		return false;
	if ((size_t)(c->at - from) == bytes && memcmp(from, c->d->value[row].at, bytes) == 0)
		return true;
	text_add(c->why, "field \"%s\" is there twice, and contradicts itself", f->name);
	return false;
}

/* Rows of one object, up to what closes them. The search begins behind the row found last. */
struct rows {
	const struct record_field *first, *at;
	unsigned header; /* of the line itself: fields to come before those of the table */
};

static bool take_field(struct cursor *c, const struct name *name, void *ctx);

static bool take_value(struct cursor *c, const struct record_field *f)
{
	size_t row = (size_t)(f - record_fields(c->d->type)), used = c->d->used;
	const struct cursor before = *c;
	struct rows inner = { f + 1, f + 1, 0 };
	bool taken;

	if (c->d->value[row].at && !kinds[f->kind].merged)
		return take_again(c, f, row);
	if (f->kind == FIELD_OPEN)
		taken = take_object(c, take_field, &inner);
	else
		taken = kinds[f->kind].take(c, (char *)&c->d->record + f->offset);
	if (!taken)
		return wrong_value(c, f, &before, used);
	c->d->value[row].at = before.at;
	c->d->value[row].bytes = (size_t)(c->at - before.at);
	return true;
}

/* Past a row, and past what it opens. */
static const struct record_field *next_row(const struct record_field *f)
{
	unsigned depth = 0;

	do {
		depth += f->kind == FIELD_OPEN;
		depth -= f->kind == FIELD_CLOSE;
		f++;
	} while (depth);
	return f;
}

static bool take_field(struct cursor *c, const struct name *name, void *ctx)
{
	struct rows *rows = ctx;
	const struct record_field *f = rows->at;

	do {
		if (f->kind == FIELD_END || f->kind == FIELD_CLOSE) {
			f = rows->first;
			continue;
		}
		if (is_name(name, f->name)) {
			rows->at = next_row(f);
			return take_value(c, f);
		}
		f = next_row(f);
	} while (f != rows->at);
	return skip_value(c, NULL);
}

static bool take_line_field(struct cursor *c, const struct name *name, void *ctx)
{
	struct rows *rows = ctx;
	const char *from = c->at;

	if (rows->header) {
		rows->header--;
		return skip_value(c, NULL);
	}
	if (!is_name(name, "part"))
		return take_field(c, name, rows);
	c->d->part.known = take_u64(c, &c->d->part.value);
	c->at = from;
	return skip_value(c, NULL);
}

/* ---- Records ---- */

static void release(struct record_decode *d)
{
	for (const struct record_field *f = record_fields(d->type); f->kind != FIELD_END; f++) {
		struct record_pairs *pairs = (void *)((char *)&d->record + f->offset);

		if (f->kind == FIELD_PAIRS)
			free((void *)(uintptr_t)pairs->at);
	}
	memset(&d->record, 0, sizeof(d->record));
}

void record_decode_free(struct record_decode *d)
{
	release(d);
	free(d->strings);
	d->strings = NULL;
	d->room = 0;
}

void record_decode_start(struct record_decode *d, enum record_type type, size_t bytes)
{
	release(d);
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++)
		d->value[f - record_fields(type)].at = NULL;
	d->type = type;
	d->used = 0;
	if (d->room >= bytes)
		return;
	free(d->strings);
	d->strings = memory_new(bytes, 1);
	d->room = bytes;
}

bool record_decode_line(struct record_decode *d, const char *text, size_t bytes, struct text *why)
{
	struct cursor c = { .at = text, .end = text + bytes, .d = d, .why = why };
	struct rows rows = { record_fields(d->type), record_fields(d->type), HEADER };

	d->part = (struct maybe){ 0, false };
	if (take_object(&c, take_line_field, &rows) && c.at == c.end)
		return true;
	if (!why->len)
		text_add(why, "it is not JSON, at byte %zu", (size_t)(c.at - text));
	return false;
}

static bool is_missing(const struct record_decode *d, const struct record_field *f)
{
	return f->kind != FIELD_CLOSE && !kinds[f->kind].absent &&
	       !d->value[f - record_fields(d->type)].at;
}

bool record_decode_finish(struct record_decode *d, struct text *why)
{
	struct record_gap *gap = &d->record.gap;

	for (const struct record_field *f = record_fields(d->type); f->kind != FIELD_END; f++) {
		if (!is_missing(d, f))
			continue;
		text_add(why, "field \"%s\" is missing (wanted: %s)", f->name,
			 kinds[f->kind].wanted);
		return false;
	}
	if (d->type != RECORD_GAP)
		return true;
	gap->cause_id = CAUSE_UNKNOWN;
	if (gap->cause)
		cause_parse(gap->cause, &gap->cause_id);
	return true;
}

/* ---- Copies ---- */

/* `at` NULL: only counted. */
struct block {
	char *at;
	size_t bytes;
};

static void own_bytes(struct block *b, const void *from, void *pointer, size_t bytes)
{
	if (b->at) {
		char *to = b->at + b->bytes;

		memcpy(to, from, bytes);
		memcpy(pointer, &to, sizeof(to));
	}
	b->bytes += bytes;
}

static void own_string(struct block *b, const char **string)
{
	if (*string)
		own_bytes(b, *string, string, strlen(*string) + 1);
}

static void own_strings(struct block *b, const struct record_field *f, void *member)
{
	struct period_timer *timer = member;
	const char **string = member;

	if (f->kind == FIELD_STRING)
		own_string(b, string);
	for (unsigned i = 0; i < RECORD_STRINGS && f->kind == FIELD_STRINGS; i++)
		own_string(b, &string[i]);
	for (unsigned i = 0; i < RECORD_TIMERS && f->kind == FIELD_TIMERS; i++)
		own_string(b, &timer[i].name);
}

/* Pairs first: a block is aligned for them. */
static void own_fields(struct block *b, enum record_type type, char *record)
{
	const struct record_field *fields = record_fields(type);

	for (const struct record_field *f = fields; f->kind != FIELD_END; f++) {
		struct record_pairs *pairs = (void *)(record + f->offset);

		if (f->kind == FIELD_PAIRS && pairs->count)
			own_bytes(b, pairs->at, &pairs->at, pairs->count * sizeof(*pairs->at));
	}
	for (const struct record_field *f = fields; f->kind != FIELD_END; f++)
		own_strings(b, f, record + f->offset);
}

void *record_decode_own(enum record_type type, union record *record)
{
	struct block b = { NULL, 0 };

	own_fields(&b, type, (char *)record);
	if (!b.bytes)
		return NULL;
	b.at = memory_new(b.bytes, 1);
	b.bytes = 0;
	own_fields(&b, type, (char *)record);
	return b.at;
}
