/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `end`. */
#include "core/records/record_kind.h"
#include "core/report/report_saved.h"

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

const struct record_kind end_record_kind = { .report = report, .restore = restore };
