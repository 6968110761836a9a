/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `cpu`. */
#include "core/records/record_kind.h"
#include "core/report/report.h"

static void report(struct report *r, const void *record)
{
	const struct record_cpu *cpu = record;

	if (!cpu->stage)
		return;
	summary_cpu(&r->summary, cpu);
}

const struct record_kind cpu_record_kind = { .report = report };
