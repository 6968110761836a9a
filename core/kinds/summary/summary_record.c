/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `summary`. */
#include "core/records/record_kind.h"
#include "core/report/report_restore.h"

static void restore(struct report_restored *out, const void *record)
{
	out->report.summary.record = *(const struct record_summary *)record;
}

#define RECORD_NAME summary
#define RECORD_ROWS "core/kinds/summary/summary_rows.h"
#define RECORD_ABOUT                                                                 \
	"The run in one record, right before `end`; the code on the screen has the " \
	"same."
#define RECORD_PARTS .restore = restore
#include "core/records/record_define.h"
