/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of fields that can be added. */
#include "record_total.h"

#include "core/lib/arith.h"
#include "record_field.h"

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
