/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A row of a record type is a field: its kind, its member in the type's struct, a sentence of help,
 * and what else there is of it by name. core/kinds/<type>/<type>_rows.h is included twice: with the
 * macros of this file, for what the probe needs, and with those of record_rows_doc.h. THIS is the
 * tag of the type's struct.
 *
 * FIELD(kind, member, help, ...)
 * NAMED(kind, member, name, help, ...)    its name is not the member's
 * METRIC(kind, member, family, help, ...) in Prometheus it is noisefloor_<family>
 * OPEN(member) INNER(kind, member, inner, help, ...) CLOSE   an object of fields
 *
 *  *	ROLE(TAG, COUNT, TIME, VALUE): of a series; a field without one is in no series.
 *  *	TOTAL(SUM, MAX): over several records.
 *  *	UNIT(NS, LONG_NS, TICKS, HZ, PPM, DATE)
 *  *	.key, .label, .if_any, .series, .on_smi: struct record_field.
 */
#pragma once

#include "record_field.h"

#include <stddef.h>

/* clang-format off */
#define ROW(stored, member, text, ...) \
	{ .name = text,                            \
	  .offset = offsetof(struct THIS, member), \
	  .kind = FIELD_##stored,                  \
	  __VA_ARGS__ },

#define FIELD(kind, member, help, ...)          ROW(kind, member, #member, __VA_ARGS__)
#define NAMED(kind, member, name, help, ...)    ROW(kind, member, name, __VA_ARGS__)
#define METRIC(kind, member, family, help, ...) ROW(kind, member, #member, __VA_ARGS__)
#define INNER(kind, outer, member, help, ...)   ROW(kind, outer.member, #member, __VA_ARGS__)
#define OPEN(text)                              { .name = #text, .kind = FIELD_OPEN },
#define CLOSE                                   { .kind = FIELD_CLOSE },

#define ROLE(of)  .role = FIELD_ROLE_##of
#define TOTAL(of) .total = FIELD_TOTAL_##of
#define UNIT(of)  .unit = FIELD_UNIT_##of

#define RECORD_ROWS_END { .kind = FIELD_END }
/* clang-format on */

#define RECORD_ROWS_FIT(table)                                                  \
	_Static_assert(sizeof(table) / sizeof((table)[0]) <= RECORD_FIELDS_MAX, \
		       "room for every row in tables of rows")
