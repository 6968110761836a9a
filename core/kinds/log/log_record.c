/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `log`. */
#include "core/records/record_kind.h"
#include "core/report/report.h"

static void report(struct report *r, const void *record)
{
	const struct record_log *log = record;

	report_text(r, "%s: %s", log->level, log->text);
}

#define RECORD_NAME  log
#define RECORD_ROWS  "core/kinds/log/log_rows.h"
#define RECORD_ABOUT "A message."
#define RECORD_PARTS .report = report
#include "core/records/record_define.h"
