/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `cpu`. */
#include "core/lib/arith.h"
#include "core/records/influx.h"
#include "core/records/record_kind.h"
#include "core/report/influx_link.h"
#include "core/report/report_restore.h"

static void report(struct report *r, const void *record)
{
	const struct record_cpu *cpu = record;

	if (!cpu->stage)
		return;
	ladder_add(&r->ladder, cpu);
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

static void put_points(struct influx_link *l, struct text *line, const void *record)
{
	const struct record_cpu *cpu = record;
	uint64_t ns = influx_link_any_time(l, l->length_ns);
	size_t n = 0;

	influx_record(line, l->link.sid, RECORD_CPU, cpu, ns);
	influx_link_send(l, line);
	while (n < cpu->histogram.count) {
		text_reset(line);
		n = influx_bucket(line, l->link.sid, cpu, n, ns);
		influx_link_send(l, line);
	}
}

#define RECORD_NAME  cpu
#define RECORD_ROWS  "core/kinds/cpu/cpu_rows.h"
#define RECORD_ABOUT "A core at the end of a stage."
#define RECORD_PARTS .report = report, .restore = restore, .points = put_points
#include "core/records/record_define.h"
