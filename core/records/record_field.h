/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of each record type, one row each: a field is added by adding a
 * row. Kinds that can be absent (FIELD_STRING, FIELD_MAYBE) may be added within
 * a format version; the others a reader wants to find in every record.
 */
#ifndef CORE_RECORD_FIELD_H
#define CORE_RECORD_FIELD_H

#include "record.h"

#include <stdbool.h>
#include <stdint.h>

enum field_kind {
	FIELD_END = 0, /* closes a table */
	FIELD_U64,     /* uint64_t */
	FIELD_I64,     /* int64_t */
	FIELD_U32,     /* uint32_t */
	FIELD_BOOL,    /* bool */
	FIELD_STRING,  /* const char *, NULL is null */
	FIELD_MAYBE,   /* struct maybe */
	FIELD_PAIRS,   /* struct record_pairs */
	FIELD_STRINGS, /* const char *[RECORD_STRINGS], up to the first NULL: ["a", ...] */
	FIELD_CAUSES, /* struct cause_sum[CAUSES]: {"smi":{"gaps":1,"ns":2}}, empty ones left out */
	FIELD_TIMERS, /* struct period_timer[RECORD_TIMERS]: {"name":period_ns, ...}; may be absent
		       */
	FIELD_TOTALS, /* uint64_t[RECORD_TYPES]: {"begin":1, ...} */
	FIELD_OPEN,   /* what follows, up to FIELD_CLOSE, is an object of this name */
	FIELD_CLOSE,
};

struct record_field {
	const char *name;
	enum field_kind kind;
	bool key; /* repeated in each part of a record that is cut into lines */
	uint16_t offset;
};

/* The fields of a type, closed by a row of kind FIELD_END. */
const struct record_field *record_fields(enum record_type type);

#endif
