/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of noisefloor under an OS, in the terms of another tool. */
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/lib/memory.h"
#include "tool_format.h"

#include "core/config/config.h"

#include <stdio.h>
#include <string.h>

static void convert(const struct record_cpu *from, struct tool_core *to, uint64_t floor_ns)
{
	const struct record_pairs *h = &from->histogram;

	*to = (struct tool_core){ .cpu = from->cpu,
				  .exposure_ns = range_exact(from->exposure_ns),
				  .exposure_from = TOOL_STATED,
				  .floor_ns = floor_ns,
				  .smi = from->smi };
	for (size_t i = 0; i < h->count; i++)
		tool_count(to, h->at[i][0], quantile_bucket_end(h->at[i][0], from->max_ns),
			   h->at[i][1]);
	to->events = range_exact(from->gaps);
	to->sum_ns = range_exact(from->noise_ns);
	to->max_ns = range_exact(from->max_ns);
	if (from->cause[CAUSE_NMI].gaps)
		to->cause_ns[TOOL_NMI] = range_exact(from->cause[CAUSE_NMI].ns);
}

static size_t services_of(const struct result_stage *stage)
{
	return stage->kept[RECORD_SERVICE].count;
}

static bool has_figures(const struct result_stage *stage)
{
	return stage && (stage->cpus || services_of(stage));
}

/*
 * The stage that is Linux's: from inside it, or below it as its drivers leave the machine. Else, if
 * any is asked for, the last with figures: *below.
 */
static const struct result_stage *find_stage(const struct result *run, bool any, bool *below)
{
	const struct result_stage *stage = result_find_stage(run, TOOL_OS_STAGE)
						   ?: result_find_stage(
							      run, config_stage_name(STAGE_LINUX));
	size_t n = any ? run->stages : 0;

	*below = !has_figures(stage);
	if (!*below)
		return stage;
	while (n && !has_figures(&run->stage[n - 1]))
		n--;
	return n ? &run->stage[n - 1] : NULL;
}

static void add_run(const struct capture *c, const struct result *run, struct tool_list *tools)
{
	struct result_identity of;
	bool below;
	const struct result_stage *stage = find_stage(run, tools->any_stage, &below);
	struct tool *piece;
	char text[160];

	if (!stage) {
		snprintf(text, sizeof(text),
			 "run %016llx was not measured from inside an OS: it has no stage \"%s\" "
			 "or \"%s\"",
			 (unsigned long long)run->sid, TOOL_OS_STAGE,
			 config_stage_name(STAGE_LINUX));
		c->want.complain(c->want.ctx, c->name, 0, text);
		tools->failed = true;
		return;
	}
	result_identify(run, &of);
	piece = MEMORY_ADD(tools->at, tools->count);
	*piece = (struct tool){ .line = run->line,
				.tool = "noisefloor",
				.threshold_ns = range_exact(result_threshold(run)),
				.threshold_from = run->has_begin ? TOOL_STATED : TOOL_ASSUMED,
				.rows = stage->cpus + services_of(stage),
				.service = stage->kept[RECORD_SERVICE].at,
				.services = services_of(stage),
				.below_os = below };
	snprintf(piece->file, sizeof(piece->file), "%s", c->name);
	if (!below && strcmp(stage->name, TOOL_OS_STAGE) != 0) {
		piece->notes |= TOOL_LEFT;
		piece->left = stage;
	}
	memcpy(piece->version, of.version, sizeof(piece->version));
	memcpy(piece->machine, of.machine, sizeof(piece->machine));
	memcpy(piece->uuid, of.uuid, sizeof(piece->uuid));
	if (!run->has_end)
		piece->notes |= TOOL_CUT;
	else if (!result_is_whole(run))
		piece->notes |= TOOL_DAMAGED;
	for (size_t i = 0; i < stage->cpus; i++)
		convert(&stage->cpu[i], MEMORY_ADD(piece->core, piece->cores), tools->floor_ns);
}

void tool_records_begin(struct capture *c, const char *file, tool_complain *complain, void *ctx)
{
	const struct capture_want want = { .keep = RESULT_HISTOGRAMS | 1u << RECORD_BEGIN |
						   1u << RECORD_CPU | 1u << RECORD_WINDOW |
						   1u << RECORD_LOG | 1u << RECORD_SERVICE,
					   .complain = complain,
					   .ctx = ctx };

	capture_begin(c, file, &want);
}

bool tool_records_add(struct tool_list *tools, const struct capture *c)
{
	bool any = false;

	for (size_t i = 0; i < c->runs; i++) {
		if (!c->run[i]->cpus && !c->run[i]->kept[RECORD_SERVICE])
			continue;
		add_run(c, c->run[i], tools);
		any = true;
	}
	return any;
}
