/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of each record type for people: a struct in the type's own folder, core/kinds/<type>/, or,
 * if the type has no text, an empty one in record_field.c. A new type costs that and its block in
 * record_table.h.
 */
#pragma once

#include "record_field.h"

struct lines; /* core/lib/lines.h */

/* Context that the text depends on besides the record. */
struct record_context {
	uint64_t hz;      /* TSC rate; 0: not known */
	uint64_t windows; /* windows of the stage; 0: not known */
	bool no_smi;      /* record_no_smi() of the run */
};

/* head, text: NULL if there is none. */
struct record_kind {
	/*
	 * Text for people, by the probe and by `noisefloor show` alike; head: printed above several
	 * of them.
	 */
	const char *head;
	void (*text)(struct lines *out, const void *record, const struct record_context *of);
	bool printed; /* people read the text of each that is reported */
};

const struct record_kind *record_kind_of(enum record_type type);

#define RECORD(id, name, about) extern const struct record_kind name##_record_kind;
#include "record_table.h"
