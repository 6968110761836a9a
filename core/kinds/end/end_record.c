/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `end`. */
#include "core/records/record_kind.h"
#include "core/report/report_restore.h"

static void report(struct report *r, const void *record)
{
	report_end_text(r, record);
}

static void restore(struct report_restored *out, const void *record)
{
	const struct record_end *end = record;
	struct verdict_reasons *r = &out->reasons;
	struct text remark;

	text_init(&remark, r->remark, sizeof(r->remark));
	r->verdict = verdict_of(end->verdict);
	for (unsigned i = 0; i < RECORD_STRINGS && end->reasons[i]; i++)
		verdict_reason(r, "%s", end->reasons[i]);
	if (end->remark)
		text_add(&remark, "%s", end->remark);
}

#define RECORD_NAME  end
#define RECORD_ROWS  "core/kinds/end/end_rows.h"
#define RECORD_ABOUT "The verdict: the last record of a run."
#define RECORD_PARTS .report = report, .restore = restore
#include "core/records/record_define.h"
