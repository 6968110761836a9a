/* SPDX-License-Identifier: BSD-2-Clause */
/* The field tables of all record types. */
#include "record_field.h"

#include "core/lib/arith.h"
#include "record_kind.h"

static const struct record_kind *const kinds[RECORD_TYPES] = {
#define RECORD_TYPE(id, name) [RECORD_##id] = &name##_record_kind,
#include "record_types.h"
};

const struct record_kind *record_kind_of(enum record_type type)
{
	return kinds[type];
}

const char *record_type_name(enum record_type type)
{
	return kinds[type]->name;
}

const struct record_field *record_fields(enum record_type type)
{
	return kinds[type]->fields;
}

const char *record_field_series(const struct record_field *f)
{
	return f->series ? f->series : f->name;
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
		if (f->label && f->if_any == if_any && !(no_smi && f->on_smi))
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
