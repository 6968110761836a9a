/* SPDX-License-Identifier: BSD-2-Clause */
/* The field tables of all record types. */
#include "record_field.h"

#include "core/lib/arith.h"
#include "core/lib/mem.h"

static const char *const type_names[RECORD_TYPES] = {
	[RECORD_BEGIN] = "begin",     [RECORD_STAGE] = "stage",
	[RECORD_WINDOW] = "window",   [RECORD_GAP] = "gap",
	[RECORD_EVENT] = "event",     [RECORD_CPU] = "cpu",
	[RECORD_SOURCE] = "source",   [RECORD_PAUSE] = "pause",
	[RECORD_LOG] = "log",         [RECORD_END] = "end",
	[RECORD_STRETCH] = "stretch", [RECORD_INTERFERE] = "interfere",
	[RECORD_SUMMARY] = "summary",
};

/* clang-format off */
#define ROW(stored, member, text, is_key, of_role, of_total, of_unit, head, any, other, ...) \
	{ .name = text,                            \
	  .label = head,                           \
	  .series = other,                         \
	  .offset = offsetof(struct THIS, member), \
	  .kind = FIELD_##stored,                  \
	  .role = FIELD_ROLE_##of_role,            \
	  .total = FIELD_TOTAL_##of_total,         \
	  .unit = FIELD_UNIT_##of_unit,            \
	  .key = is_key,                           \
	  .if_any = any },
#define OPEN(text)        { .name = #text, .kind = FIELD_OPEN },
#define CLOSE             { .kind = FIELD_CLOSE },
#define RECORD(type, ...) static const struct record_field type##_fields[] = {
#define END               { .kind = FIELD_END } };
/* clang-format on */
#include "record_rows.h"

#define FITS(table) (sizeof(table) / sizeof((table)[0]) <= RECORD_FIELDS_MAX)
_Static_assert(FITS(begin_fields) && FITS(cpu_fields) && FITS(summary_fields),
	       "room for every row in tables of rows");

static const struct record_field *const fields_of[RECORD_TYPES] = {
	[RECORD_BEGIN] = begin_fields,     [RECORD_STAGE] = stage_fields,
	[RECORD_WINDOW] = window_fields,   [RECORD_GAP] = gap_fields,
	[RECORD_EVENT] = event_fields,     [RECORD_CPU] = cpu_fields,
	[RECORD_SOURCE] = source_fields,   [RECORD_PAUSE] = pause_fields,
	[RECORD_LOG] = log_fields,         [RECORD_END] = end_fields,
	[RECORD_STRETCH] = stretch_fields, [RECORD_INTERFERE] = interfere_fields,
	[RECORD_SUMMARY] = summary_fields,
};

const char *record_type_name(enum record_type type)
{
	return type_names[type];
}

const struct record_field *record_fields(enum record_type type)
{
	return fields_of[type];
}

const char *record_field_series(const struct record_field *f)
{
	return f->series ? f->series : f->name;
}

bool record_field_on_smi(const struct record_field *f)
{
	return f->name && (*f->name == 's' || *f->name == 'n') && !memcmp(f->name + 1, "mi", 2);
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

static size_t add_columns(const struct record_field **column, const struct record_field *f,
			  bool no_smi, bool if_any)
{
	size_t count = 0;

	for (; f->kind != FIELD_END; f++) {
		if (f->label && f->if_any == if_any && !(no_smi && record_field_on_smi(f)))
			column[count++] = f;
	}
	return count;
}

size_t record_columns(enum record_type type, bool no_smi,
		      const struct record_field *column[RECORD_FIELDS_MAX])
{
	size_t count = add_columns(column, record_fields(type), no_smi, false);

	return count + add_columns(column + count, record_fields(type), no_smi, true);
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
