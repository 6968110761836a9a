/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `log`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

/* The text is broken after the level at the earliest, which may be anything in a captured log. */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_log *log = record;
	unsigned indent;

	(void)of;
	text_add(&out->out, "%s: ", log->level);
	indent = out->out.len < LINES_COLUMNS / 2 ? (unsigned)out->out.len : LINES_CONTINUED;
	text_add(&out->out, "%s", log->text);
	lines_wrap(out, indent);
}

const struct record_kind log_record_kind = { .text = put_text, .printed = true };
