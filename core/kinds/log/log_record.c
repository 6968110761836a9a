/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `log`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"
#include "core/report/report.h"

/* Broken behind the level at the earliest, which may be anything in a captured log. */
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

static void report(struct report *r, const void *record)
{
	report_record_text(r, RECORD_LOG, record);
}

#define RECORD_NAME  log
#define RECORD_ROWS  "core/kinds/log/log_rows.h"
#define RECORD_ABOUT "A message."
#define RECORD_PARTS .text = put_text, .report = report
#include "core/records/record_define.h"
