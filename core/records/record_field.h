/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of each record type, one row each (record_table.h): a field is added by adding a row,
 * and all outputs walk the rows. Kinds that can be absent (FIELD_STRING, FIELD_MAYBE) may be added
 * within a format version; readers expect the others in every record.
 */
#pragma once

#include "record.h"

#include <stdbool.h>
#include <stdint.h>

enum record_field_kind {
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
	FIELD_OPEN,   /* the fields up to FIELD_CLOSE are in an object of this name */
	FIELD_CLOSE,
};

/* The field's role in series; FIELD_ROLE_NONE: it is not part of series. */
enum record_field_role {
	FIELD_ROLE_NONE = 0,
	FIELD_ROLE_TAG,   /* identifies a series */
	FIELD_ROLE_COUNT, /* how many */
	FIELD_ROLE_TIME,  /* how long: Prometheus has seconds */
	FIELD_ROLE_VALUE, /* another number */
};

/* The total of several records. */
enum record_field_total {
	FIELD_TOTAL_NONE = 0,
	FIELD_TOTAL_SUM, /* known if all are */
	FIELD_TOTAL_MAX,
};

enum record_field_unit {
	FIELD_UNIT_NONE = 0,
	FIELD_UNIT_NS,
	FIELD_UNIT_LONG_NS, /* ns; seconds and more, printed without fractions of a us */
	FIELD_UNIT_TICKS,   /* TSC ticks */
	FIELD_UNIT_HZ,
	FIELD_UNIT_PPM,
	FIELD_UNIT_DATE, /* a string in ISO 8601; never equal in two runs */
	FIELD_UNITS
};

struct record_field {
	const char *name;
	const char *label; /* its name in tables; NULL: not in tables */
	uint16_t offset;
	uint8_t bytes;   /* length of the name */
	uint8_t kind;    /* enum record_field_kind */
	uint8_t role;    /* enum record_field_role */
	uint8_t total;   /* enum record_field_total */
	uint8_t unit;    /* enum record_field_unit */
	bool key : 1;    /* repeated in each part of a record that is cut into lines */
	bool if_any : 1; /* tables have it only if it is not 0 */
	bool on_smi : 1; /* on SMIs and NMIs, which not every processor has */
};

#define RECORD_FIELDS_MAX 56 /* rows of a type */

/* The fields of a type, closed by a row of kind FIELD_END. */
const struct record_field *record_fields(enum record_type type);

/* The value of a field of kind U64, U32, BOOL or MAYBE; not known for other kinds. */
struct maybe record_field_number(const struct record_field *f, const void *record);

/* A field of kind STRING. */
const char *record_field_string(const struct record_field *f, const void *record);

/* Turn a record of zeros into the total of none: sums that may be unknown become 0. */
void record_total_start(enum record_type type, void *total);

/* Fields without a total are unchanged. Sums saturate at 2^64 - 1. */
void record_total_add(enum record_type type, void *total, const void *record);
