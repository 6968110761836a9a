/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk along the field table, in its order, over text that has nothing else in it. */
#include "quick.h"

#include "core/cause/cause.h"
#include "core/records/record_field.h"

#include <string.h>

#define DIGITS_MAX 18 /* below 2^63 whatever they are, as jansson holds it */

/* What is left of the line, and of the room for strings. */
struct scan {
	const char *at, *end;
	char *to, *to_end;
};

/* Inline, as most counts are known where it is called. */
static inline __attribute__((always_inline)) bool take_bytes(struct scan *s, const char *bytes,
							     size_t count)
{
	if ((size_t)(s->end - s->at) < count || memcmp(s->at, bytes, count) != 0)
		return false;
	s->at += count;
	return true;
}

#define TAKE(s, literal) take_bytes(s, literal, sizeof(literal) - 1)

/* A number as JSON writes it: no sign, no zero before it. What follows is not looked at. */
static bool take_u64(struct scan *s, uint64_t *value)
{
	const char *from = s->at;
	uint64_t found = 0;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		found = found * 10 + (uint64_t)(*s->at++ - '0');
	if (s->at == from || s->at - from > DIGITS_MAX || (*from == '0' && s->at - from > 1))
		return false;
	*value = found;
	return true;
}

/* Printable ASCII without escapes, copied. */
static bool take_string(struct scan *s, const char **value)
{
	char *to = s->to;

	if (!TAKE(s, "\""))
		return false;
	while (s->at < s->end && *s->at != '"') {
		if (*s->at < 0x20 || *s->at == 0x7f || *s->at == '\\' || to + 1 >= s->to_end)
			return false;
		*to++ = *s->at++;
	}
	if (to >= s->to_end || !TAKE(s, "\""))
		return false;
	*to++ = '\0';
	*value = s->to;
	s->to = to;
	return true;
}

static bool read_u64(struct scan *s, void *member)
{
	return take_u64(s, member);
}

static bool read_u32(struct scan *s, void *member)
{
	uint64_t wide;

	if (!take_u64(s, &wide) || wide > UINT32_MAX)
		return false;
	*(uint32_t *)member = (uint32_t)wide;
	return true;
}

static bool read_bool(struct scan *s, void *member)
{
	*(bool *)member = TAKE(s, "true");
	return *(bool *)member || TAKE(s, "false");
}

static bool read_string(struct scan *s, void *member)
{
	return TAKE(s, "null") || take_string(s, member);
}

static bool read_maybe(struct scan *s, void *member)
{
	struct maybe *m = member;

	if (TAKE(s, "null"))
		return true;
	m->known = take_u64(s, &m->value);
	return m->known;
}

static bool read_sum(struct scan *s, struct cause_sum *sum)
{
	return TAKE(s, "\":{\"gaps\":") && take_u64(s, &sum->gaps) && TAKE(s, ",\"ns\":") &&
	       take_u64(s, &sum->ns) && TAKE(s, "}");
}

/* Each cause at most once, in their order. */
static bool read_causes(struct scan *s, void *member)
{
	struct cause_sum *sums = member;
	bool any = false;

	if (!TAKE(s, "{"))
		return false;
	for (unsigned c = 0; c < CAUSES; c++) {
		const char *name = cause_name((enum cause)c), *before = s->at;

		if ((any && !TAKE(s, ",")) || !TAKE(s, "\"") ||
		    !take_bytes(s, name, strlen(name)) || s->at == s->end || *s->at != '"') {
			s->at = before;
			continue;
		}
		if (!read_sum(s, &sums[c]))
			return false;
		any = true;
	}
	return TAKE(s, "}");
}

/* Those that are read here; of them `absent` may be missing. */
static const struct {
	bool (*read)(struct scan *s, void *member);
	bool absent;
} kinds[FIELD_CLOSE + 1] = {
	[FIELD_U64] = { read_u64, false },    [FIELD_U32] = { read_u32, false },
	[FIELD_BOOL] = { read_bool, false },  [FIELD_STRING] = { read_string, true },
	[FIELD_MAYBE] = { read_maybe, true }, [FIELD_CAUSES] = { read_causes, false },
};

bool quick_knows(enum record_type type)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (!kinds[f->kind].read)
			return false;
	}
	return true;
}

/* ,"name": */
static bool take_key(struct scan *s, const char *name)
{
	const char *before = s->at;

	if (TAKE(s, ",\"") && take_bytes(s, name, strlen(name)) && TAKE(s, "\":"))
		return true;
	s->at = before;
	return false;
}

/* Those that name the record's subject, or the others. */
static bool read_fields(struct scan *s, enum record_type type, bool key, union record *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (!kinds[f->kind].read)
			return false;
		if (f->key != key)
			continue;
		if (take_key(s, f->name)) {
			if (!kinds[f->kind].read(s, (char *)record + f->offset))
				return false;
		} else if (!kinds[f->kind].absent) {
			return false;
		}
	}
	return true;
}

/* What line_read() took generously, as JSON wants it: no zeros before numbers. */
static bool read_header(struct scan *s)
{
	uint64_t number;

	if (!TAKE(s, LINE_MARK) || !take_u64(s, &number) || !TAKE(s, ",\"sid\":\""))
		return false;
	while (s->at < s->end && *s->at != '"')
		s->at++;
	return TAKE(s, "\",\"seq\":") && take_u64(s, &number) && TAKE(s, ",\"type\":\"");
}

bool quick_decode(const struct line *line, enum record_type type, union record *record,
		  char strings[QUICK_STRINGS])
{
	struct scan s = { line->text, line->text + line->bytes, strings, strings + QUICK_STRINGS };

	memset(record, 0, sizeof(*record));
	if (!read_header(&s) || s.at != line->type)
		return false;
	s.at += line->type_bytes;
	if (!TAKE(&s, "\"") || !read_fields(&s, type, true, record) ||
	    !read_fields(&s, type, false, record) || s.at != s.end)
		return false;
	records_finish(type, record);
	return true;
}
