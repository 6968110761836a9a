/* SPDX-License-Identifier: BSD-2-Clause */
/* Both readers of a file get its bytes. Own runs are then put in the terms of another tool. */
#include "floor.h"
#include "inside.h"

#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/lib/input.h"
#include "host/lib/memory.h"

#include "core/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 20)

struct inside_reader {
	struct inside *inside;
	struct capture *capture;
	struct tool_reader *tools;
	size_t first; /* number of the file's first run */
};

/* ---- Own runs ---- */

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
 * any is asked for, the last with figures.
 */
static const struct result_stage *find_stage(const struct result *run, bool any)
{
	const struct result_stage *stage = result_find_stage(run, TOOL_OS_STAGE)
						   ?: result_find_stage(
							      run, config_stage_name(STAGE_LINUX));
	size_t n = any ? run->stages : 0;

	if (has_figures(stage))
		return stage;
	while (n && !has_figures(&run->stage[n - 1]))
		n--;
	return n ? &run->stage[n - 1] : NULL;
}

static void add_run(const struct capture *c, const struct result *run, struct inside *inside)
{
	const struct result_stage *stage = find_stage(run, inside->any_stage);
	struct result_identity of;
	struct tool *new;
	char text[160];

	if (!stage) {
		snprintf(text, sizeof(text),
			 "run %016llx was not measured from inside an OS: it has no stage \"%s\" "
			 "or \"%s\"",
			 (unsigned long long)run->sid, TOOL_OS_STAGE,
			 config_stage_name(STAGE_LINUX));
		c->want.complain(c->want.ctx, c->name, 0, text);
		inside->runs.failed = true;
		return;
	}
	result_identify(run, &of);
	new = MEMORY_ADD(inside->runs.at, inside->runs.count);
	*new = (struct tool){ .line = run->line,
			      .tool = "noisefloor",
			      .threshold_ns = range_exact(result_threshold(run)),
			      .threshold_from = run->has_begin ? TOOL_STATED : TOOL_ASSUMED,
			      .service = stage->kept[RECORD_SERVICE].at,
			      .services = services_of(stage) };
	snprintf(new->file, sizeof(new->file), "%s", c->name);
	if (strcmp(stage->name, config_stage_name(STAGE_LINUX)) == 0) {
		new->notes |= TOOL_LEFT;
		new->left = stage;
	}
	memcpy(new->version, of.version, sizeof(new->version));
	memcpy(new->machine, of.machine, sizeof(new->machine));
	memcpy(new->uuid, of.uuid, sizeof(new->uuid));
	if (!run->has_end)
		new->notes |= TOOL_CUT;
	else if (!result_is_whole(run))
		new->notes |= TOOL_DAMAGED;
	for (size_t i = 0; i < stage->cpus; i++)
		convert(&stage->cpu[i], MEMORY_ADD(new->core, new->cores), inside->runs.floor_ns);
}

static bool has_records(const struct result *run)
{
	return run->cpus || run->kept[RECORD_SERVICE];
}

/* ---- Files ---- */

struct inside_reader *inside_begin(struct inside *inside, const char *name, tool_complain *complain,
				   void *ctx)
{
	const struct capture_want want = { .keep = FLOOR_KEEP, .complain = complain, .ctx = ctx };
	struct inside_reader *r = memory_new(1, sizeof(*r));

	r->inside = inside;
	r->first = inside->runs.count;
	r->tools = tool_begin(&inside->runs, name, complain, ctx);
	r->capture = memory_new(1, sizeof(*r->capture));
	*MEMORY_ADD(inside->capture, inside->captures) = r->capture;
	capture_begin(r->capture, name, &want);
	return r;
}

void inside_feed(struct inside_reader *r, const char *bytes, size_t count)
{
	tool_feed(r->tools, bytes, count);
	capture_feed(r->capture, bytes, count);
}

/* Sort runs by their line: own ones are known at the end of the file only. A line may begin two. */
static void sort_runs(struct tool_list *runs, size_t first)
{
	for (size_t i = first + 1; i < runs->count; i++) {
		struct tool run = runs->at[i];
		size_t n = i;

		for (; n > first && runs->at[n - 1].line > run.line; n--)
			runs->at[n] = runs->at[n - 1];
		runs->at[n] = run;
	}
}

/* A file that is refused as another tool's has no own runs, either. */
void inside_end(struct inside_reader *r)
{
	const struct capture *c = r->capture;
	bool any = false;

	capture_end(r->capture);
	for (size_t i = 0; i < c->runs; i++)
		any = any || has_records(c->run[i]);
	if (tool_end(r->tools, any)) {
		for (size_t i = 0; i < c->runs; i++) {
			if (has_records(c->run[i]))
				add_run(c, c->run[i], r->inside);
		}
	}
	if (!any)
		capture_close(r->capture);
	sort_runs(&r->inside->runs, r->first);
	free(r);
}

void inside_read(struct inside *inside, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	struct inside_reader *r;
	struct input in;
	size_t count;

	if (!input_open(&in, path)) {
		complain(ctx, in.name, 0, in.error);
		inside->runs.failed = true;
		return;
	}
	r = inside_begin(inside, in.name, complain, ctx);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0)
		inside_feed(r, chunk, count);
	inside_end(r);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		inside->runs.failed = true;
	}
	input_close(&in);
}

void inside_free(struct inside *inside)
{
	tool_free(&inside->runs);
	while (inside->captures) {
		capture_close(inside->capture[--inside->captures]);
		free(inside->capture[inside->captures]);
	}
	free(inside->capture);
	*inside = (struct inside){ 0 };
}
