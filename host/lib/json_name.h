/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of captures and file systems as JSON values. */
#pragma once

#include "range.h"

#include <jansson.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* Linux file names are bytes, and so are truncated names; JSON's strings are not. */
static inline json_t *json_name(const char *bytes)
{
	json_t *name = json_string(bytes);

	return name ? name : json_string("(not UTF-8)");
}

/* A sid as in records: 16 hex digits. */
static inline json_t *json_sid(uint64_t sid)
{
	return json_sprintf("%016" PRIx64, sid);
}

/* An array: while `more`, what the expression `item` is, for each number `i` from 0. */
#define JSON_ARRAY(i, more, item)                           \
	({                                                  \
		json_t *list_ = json_array();               \
                                                            \
		for (size_t i = 0; more; i++)               \
			json_array_append_new(list_, item); \
		list_;                                      \
	})

/* Print to standard output, safely for a terminal. */
void json_dump(const json_t *document, size_t flags);

/*
 * A subcommand's document and a newline; it is freed. Its first member is "schema": its name and
 * version, "compare/1". The version rises when a member is removed or changes its type or meaning,
 * not when one is added.
 */
void json_print(const char *schema, json_t *document, size_t flags);

/* Numbers of captures may be too large for jansson. */
static inline json_t *json_number(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static inline json_t *json_maybe(struct maybe m)
{
	return m.known ? json_number(m.value) : json_null();
}

/*
 * {"low":,"value":,"high":}: value is null where only the bounds are known, high is null where
 * there is none; null for what is not known at all, or has neither bounds nor a value.
 */
static inline json_t *json_range(struct range r)
{
	if (!range_is_bounded(r) && !r.value.known)
		return json_null();
	return json_pack("{s:o,s:o,s:o}", "low", json_number(r.low), "value", json_maybe(r.value),
			 "high", r.high == RANGE_OPEN ? json_null() : json_number(r.high));
}
