/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of each record type, besides its fields: a struct in the type's own folder,
 * core/kinds/<type>/. A new type costs that folder and its block in record_table.h.
 */
#pragma once

#include "record_field.h"

struct lines; /* core/lib/lines.h */

/* What its text depends on besides the record. */
struct record_context {
	uint64_t hz;      /* of the TSC; 0: not known */
	uint64_t windows; /* of the stage; 0: not known */
	bool no_smi;      /* record_no_smi() of the run */
};

/* NULL: nothing of it is there. */
struct record_kind {
	/* For people, by the probe and by `noisefloor show` alike; head: above several of them. */
	const char *head;
	void (*text)(struct lines *out, const void *record, const struct record_context *of);
	bool printed; /* people read the text of each that is reported */
};

const struct record_kind *record_kind_of(enum record_type type);

#define RECORD(id, name, about) extern const struct record_kind name##_record_kind;
#include "record_table.h"
