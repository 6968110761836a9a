/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `cpu`. */
#include "core/lib/arith.h"
#include "core/records/record_kind.h"
#include "core/report/report_saved.h"

static void report(struct report *r, const void *record)
{
	const struct record_cpu *cpu = record;

	if (!cpu->stage)
		return;
	summary_cpu(&r->summary, cpu);
}

/* A bucket's low edge may be a little below the shortest gap that was recorded. */
static void take_histogram(struct hist *hist, const struct record_pairs *pairs, uint64_t least)
{
	for (size_t i = 0; i < pairs->count; i++)
		hist->count[hist_bucket(arith_max(pairs->at[i][0], least))] += pairs->at[i][1];
}

static void restore(struct report_restored *out, const void *record)
{
	const struct record_cpu *r = record;
	struct cpu *cpu = r->stage ? report_restore_core(out, r->cpu) : NULL;

	if (!cpu)
		return;
	cpu->smi.moved = r->smi.known;
	cpu->stage = (struct cpu_sums){ .length = r->exposure_ns,
					.gaps = r->gaps,
					.noise = r->noise_ns,
					.max = r->max_ns,
					.smi = r->smi.value };
	take_histogram(&cpu->hist, &r->histogram, out->config.threshold_ns);
}

const struct record_kind cpu_record_kind = { .report = report, .restore = restore };
