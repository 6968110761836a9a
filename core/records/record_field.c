/* SPDX-License-Identifier: BSD-2-Clause */
/* The field tables of all record types. */
#include "record_field.h"

#include "core/lib/arith.h"
#include "record_kind.h"

#include <stddef.h>

/* clang-format off */
#define ROW(stored, member, text, ...)        \
	{ .name = text,                       \
	  .bytes = sizeof(text) - 1,          \
	  .offset = offsetof(of_type, member), \
	  .kind = FIELD_##stored,             \
	  __VA_ARGS__ },

#define RECORD(id, name, about)                       \
	static const struct record_field *name##_fields(void) \
	{                                             \
		typedef struct record_##name of_type; \
		static const struct record_field rows[] = {
#define RECORD_END(name)                                                     \
			{ .kind = FIELD_END } };                                     \
		_Static_assert(sizeof(rows) / sizeof(rows[0]) <= RECORD_FIELDS_MAX, \
			       "room for every row in tables of rows");              \
		return rows;                                                         \
	}
#define FIELD(kind, member, help, ...)          ROW(kind, member, #member, __VA_ARGS__)
#define NAMED(kind, member, name, help, ...)    ROW(kind, member, name, __VA_ARGS__)
#define INNER(kind, outer, member, help, ...)   ROW(kind, outer.member, #member, __VA_ARGS__)
#define OPEN(member)                            \
	{ .name = #member, .bytes = sizeof(#member) - 1, .kind = FIELD_OPEN },
#define CLOSE(member)                           { .kind = FIELD_CLOSE },

#define ROLE(of)  .role = FIELD_ROLE_##of
#define TOTAL(of) .total = FIELD_TOTAL_##of
#define UNIT(of)  .unit = FIELD_UNIT_##of
#include "record_table.h"
/* clang-format on */

static const struct {
	const char *name;
	const struct record_field *(*fields)(void);
	const struct record_kind *kind;
} types[RECORD_TYPES] = {
#define RECORD(id, name, about) [RECORD_##id] = { #name, name##_fields, &name##_record_kind },
#include "record_table.h"
};

/* Types without text: either they are not printed, or report.c prints them in another form. */
const struct record_kind gap_record_kind, cpu_record_kind, end_record_kind, summary_record_kind,
	survey_record_kind;

const struct record_kind *record_kind_of(enum record_type type)
{
	return types[type].kind;
}

const char *record_type_name(enum record_type type)
{
	return types[type].name;
}

const struct record_field *record_fields(enum record_type type)
{
	return types[type].fields();
}

struct maybe record_field_number(const struct record_field *f, const void *record)
{
	const void *value = (const char *)record + f->offset;

	switch (f->kind) {
	case FIELD_U64:
		return (struct maybe){ *(const uint64_t *)value, true };
	case FIELD_U32:
		return (struct maybe){ *(const uint32_t *)value, true };
	case FIELD_BOOL:
		return (struct maybe){ *(const bool *)value, true };
	case FIELD_MAYBE:
		return *(const struct maybe *)value;
	default:
		return (struct maybe){ 0, false };
	}
}

const char *record_field_string(const struct record_field *f, const void *record)
{
	return *(const char *const *)(const void *)((const char *)record + f->offset);
}

/* ---- Totals ---- */

static void add_causes(struct cause_sum *to, const struct cause_sum *from)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		to[c].gaps = arith_sum(to[c].gaps, from[c].gaps);
		to[c].ns = arith_sum(to[c].ns, from[c].ns);
	}
}

static void add_field(const struct record_field *f, void *to, const void *from)
{
	uint64_t *sum = to;
	struct maybe *maybe = to;

	if (f->total == FIELD_TOTAL_MAX)
		*sum = arith_max(*sum, *(const uint64_t *)from);
	else if (f->kind == FIELD_U64)
		*sum = arith_sum(*sum, *(const uint64_t *)from);
	else if (f->kind == FIELD_MAYBE)
		*maybe = value_sum(*maybe, *(const struct maybe *)from);
	else if (f->kind == FIELD_CAUSES)
		add_causes(to, from);
}

void record_total_start(enum record_type type, void *total)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->total && f->kind == FIELD_MAYBE)
			((struct maybe *)(void *)((char *)total + f->offset))->known = true;
	}
}

void record_total_add(enum record_type type, void *total, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->total)
			add_field(f, (char *)total + f->offset, (const char *)record + f->offset);
	}
}
