/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `end`. */
#include "core/records/record_kind.h"
#include "core/report/report.h"

static void report(struct report *r, const void *record)
{
	report_end_text(r, record);
}

const struct record_kind end_record_kind = { .report = report };
