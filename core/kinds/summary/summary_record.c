/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `summary`. */
#include "core/records/record_kind.h"
#include "core/report/report_saved.h"

static void restore(struct report_restored *out, const void *record)
{
	out->report.summary.record = *(const struct record_summary *)record;
}

const struct record_kind summary_record_kind = { .restore = restore };
