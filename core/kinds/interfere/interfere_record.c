/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `interfere`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

/* "cpu 1 beside cpu 0: 1.350000 times (dram; chance: up to 1.021000)" */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_interfere *r = record;
	struct text *t = &out->out;

	(void)of;
	text_add(t, "cpu %u beside %s%scpu %u: ", (unsigned)r->victim, r->group ? r->group : "",
		 r->group ? " of " : "", (unsigned)r->aggressor);
	text_fixed(t, r->ratio, 6, 0);
	text_add(t, " times (%s; chance: up to ", r->kernel);
	text_fixed(t, r->bound, 6, 0);
	text_char(t, ')');
	lines_end(out);
}

const struct record_kind interfere_record_kind = { .text = put_text };
