/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores of a stage: a table, percentiles of their gaps' lengths, and checks. */
#include "host/capture/result.h"
#include "host/findings/finding.h"
#include "host/forms/checks.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/lib/range.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/cpulist.h"
#include "core/report/table.h"
#include "core/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_BYTES (5 * CPULIST_MAX) /* four digits and a comma each */

static void add_bound(struct result_stage *stage, uint64_t bound)
{
	if (bound > stage->bound[0]) {
		stage->bound[1] = stage->bound[0];
		stage->bound[0] = bound;
	} else if (bound > stage->bound[1]) {
		stage->bound[1] = bound;
	}
}

/* True if the core has a record. Cores come in rising order: most are higher than any before. */
static bool has_core(const struct result_stage *stage, uint32_t cpu)
{
	size_t n = stage->cpus;

	if (cpu > stage->highest)
		return false;
	while (n && stage->cpu[n - 1].cpu != cpu)
		n--;
	return n;
}

static bool cpu_kind_keep(struct result *run, const union record *record)
{
	const struct record_cpu *cpu = &record->cpu;
	struct result_stage *stage = result_stage_of(run, cpu->stage);

	if (!stage || run->cpus == RESULT_CPUS_MAX || has_core(stage, cpu->cpu))
		return false;
	*MEMORY_ADD(stage->cpu, stage->cpus) = *cpu;
	stage->gaps_counted = arith_sum(stage->gaps_counted, cpu->gaps);
	stage->dropped = arith_sum(stage->dropped, cpu->dropped);
	if (cpu->tsc_offset_bound.known)
		add_bound(stage, cpu->tsc_offset_bound.value);
	if (cpu->cpu > stage->highest)
		stage->highest = cpu->cpu;
	run->cpus++;
	return true;
}

#define PERCENTILE_COLUMNS (QUANTILE_PERCENTILES + 1)

/* A row for each core that the table lists and that has gaps; `order` is the table's. */
static void print_percentiles(const struct result_stage *stage, const uint32_t *order)
{
	size_t cores = stage->cpus > TABLE_ALL ? TABLE_WORST : stage->cpus;
	struct finding_figure figure[PERCENTILE_COLUMNS];
	struct findings f = { .what = "CPU", .figure = figure, .figures = PERCENTILE_COLUMNS };

	for (unsigned n = 0; n < PERCENTILE_COLUMNS; n++)
		figure[n] = (struct finding_figure){
			.head = n < QUANTILE_PERCENTILES ? quantile_percentile_name(n) : "MAX",
			.digits = RANGE_US,
		};
	for (size_t i = 0; i < cores; i++) {
		const struct record_cpu *cpu = &stage->cpu[order[i]];
		struct finding *row;

		if (!quantile_percentile(cpu, 0).known)
			continue;
		row = findings_add(&f, FINDING_NS, "%5" PRIu32, cpu->cpu);
		for (unsigned n = 0; n < QUANTILE_PERCENTILES; n++)
			row->figure[n] = quantile_percentile(cpu, n);
		row->figure[QUANTILE_PERCENTILES] = range_exact(cpu->max_ns);
	}
	if (f.count) {
		puts("gap lengths, us:");
		findings_text(&f);
	}
	findings_free(&f);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	uint32_t *order = memory_new(stage->cpus, sizeof(*order));
	struct lines lines;

	(void)t;
	lines_init(&lines, text_sanitize_line, NULL);
	table_print(&lines, stage->cpu, stage->cpus, run->no_smi ? TABLE_NO_SMI : 0, order);
	print_percentiles(stage, order);
	free(order);
}

/* Name each core over a limit: the table lists only the worst of many. */
static void put_exceeding(FILE *f, const struct result *run, struct result_stage *stage,
			  const struct config *limits)
{
	static struct cpulist list;
	static char room[LIST_BYTES];
	size_t count = 0;
	struct text t;

	(void)run;
	cpulist_clear(&list);
	for (size_t i = 0; i < stage->cpus; i++) {
		struct verdict_reasons reasons;
		struct verdict_core core;

		verdict_core_of(&stage->cpu[i], &core);
		verdict_judge_core(&reasons, limits, &core);
		if (reasons.verdict != VERDICT_FAIL)
			continue;
		cpulist_add(&list, stage->cpu[i].cpu);
		count++;
	}
	if (!count)
		return;
	text_init(&t, room, sizeof(room));
	cpulist_print(&list, &t);
	fprintf(f, "<p><b>over a limit</b>: %zu of %zu cores, cpu %s</p>\n", count, stage->cpus,
		room);
}

/* ---- Checks ---- */

static void describe_core(const struct record_cpu *cpu, struct text *t)
{
	text_add(t, "longest gap ");
	if (cpu->max_ns)
		text_duration(t, cpu->max_ns);
	else
		text_add(t, "none");
	text_add(t, ", %llu gaps in ", (unsigned long long)cpu->gaps);
	text_duration(t, cpu->exposure_ns);
	if (cpu->smi.known)
		text_add(t, ", %llu SMIs", (unsigned long long)cpu->smi.value);
}

static void check_core(struct checks *c, const struct result_verdict *v, const char *stage,
		       const struct record_cpu *cpu)
{
	struct verdict_reasons reasons;
	struct verdict_core core;
	struct checks_row *check;
	struct text t;

	verdict_core_of(cpu, &core);
	verdict_judge_core(&reasons, &v->limits, &core);
	check = checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u", cpu->cpu);
	check->ns = cpu->exposure_ns;
	checks_reasons(&t, &reasons);
	if (reasons.verdict == VERDICT_NONE)
		text_add(&t, "no limit was set");
	text_add(&t, "%s", t.len ? ": " : "");
	describe_core(cpu, &t);
}

static void check_gaps(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	for (size_t n = 0; n < stage->cpus; n++)
		check_core(c, v, stage->name, &stage->cpu[n]);
}

const struct host_kind host_kind_cpu = {
	.type = RECORD_CPU,
	.mode = &mode_gaps,
	.cpu = offsetof(struct record_cpu, cpu),
	.keep = cpu_kind_keep,
	.title = "Cores",
	.text = put_text,
	.page = put_exceeding,
	.checks = check_gaps,
	.diff = host_kind_cpu_diff,
};
