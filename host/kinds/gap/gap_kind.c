/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps of a stage: when, on which cores, how long. */
#include "host/capture/result.h"
#include "host/html/html.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"

#include <inttypes.h>

static bool gap_kind_keep(struct result *run, const union record *record)
{
	const struct record_gap *g = &record->gap;
	struct result_stage *stage = result_stage_of(run, g->stage);
	enum cause cause = CAUSE_UNKNOWN;

	if (g->cause)
		cause_parse(g->cause, &cause);
	if (!stage || run->gaps == RESULT_GAPS_MAX || g->cpu >= CPULIST_MAX)
		return false;
	*MEMORY_ADD(stage->gap, stage->gaps) = (struct result_gap){ g->t_ns, g->len_ns, g->cpu,
								    cause };
	run->gaps++;
	return true;
}

static void put_timeline(FILE *f, const struct result_stage *stage, uint64_t limit_ns)
{
	uint32_t causes;

	if (!stage->gaps)
		return;
	fputs("<h4>Events across cores</h4>\n<figure tabindex=\"0\">\n", f);
	causes = plot_timeline(f, stage, limit_ns);
	plot_legend(f, causes);
	fprintf(f,
		"<figcaption>Time since the start of the run. Above: the longest gap of each "
		"moment and cause. Below: on which cores; what lines up vertically happened at the "
		"same time. The grey line under it: when cores sampled. Drawn: %zu of %" PRIu64
		" gaps%s.</figcaption>\n</figure>\n",
		stage->gaps, stage->gaps_counted,
		stage->gaps < stage->gaps_counted
			? ", those that have a record (gaps=all sends all)"
			: "");
}

static void put_histograms(FILE *f, const struct result_stage *stage, uint64_t limit_ns)
{
	static unsigned id;
	size_t with = 0, drawn;

	for (size_t i = 0; i < stage->cpus; i++)
		with += stage->cpu[i].histogram.count > 0;
	if (!with)
		return;
	fputs("<h4>Lengths of gaps</h4>\n<figure tabindex=\"0\">\n", f);
	drawn = plot_histograms(f, stage, limit_ns, id++);
	fprintf(f, "<figcaption>How many gaps of which length%s. Both axes are logarithmic. ",
		stage->cpus > 1 ? ": all cores above, each core below" : "");
	if (drawn < with)
		fprintf(f, "The %zu cores with the longest gaps of %zu that have any. ", drawn,
			with);
	else if (with < stage->cpus)
		fprintf(f, "Cores without a gap: %zu. ", stage->cpus - with);
	fputs("Every gap is counted, whether or not it has a record.</figcaption>\n</figure>\n", f);
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	const struct config_limit *max = &limits->limit[LIMIT_MAX];
	uint64_t limit_ns = max->set ? max->value : 0;

	(void)run;
	if (!stage->cpus)
		return;
	put_timeline(f, stage, limit_ns);
	put_histograms(f, stage, limit_ns);
}

const struct host_kind host_kind_gap = {
	.type = RECORD_GAP,
	.keep = gap_kind_keep,
	.page = put_page,
};
