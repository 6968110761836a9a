/* SPDX-License-Identifier: BSD-2-Clause */
/* Records, stored with their stage. */
#include "host/lib/list.h"
#include "host/lib/memory.h"
#include "run.h"

#include "core/lib/arith.h"

#include <stdlib.h>
#include <string.h>

static struct run_stage *stage_of(struct run *run, const char *name)
{
	const char *known = name ? name : "n/a";
	struct run_stage *stage = run_find_stage(run, known);

	if (stage || run->stages == RUN_STAGES_MAX)
		return stage;
	run->stage = list_grow(run->stage, run->stages, sizeof(*run->stage));
	stage = &run->stage[run->stages++];
	*stage = (struct run_stage){ .name = memory_text(known) };
	return stage;
}

static bool keep_state(struct run *run, const union record *record)
{
	struct run_stage *stage = stage_of(run, record->stage.stage);

	if (!stage || stage->has_state)
		return false;
	stage->state = record->stage;
	stage->has_state = true;
	return true;
}

static bool keep_window(struct run *run, const union record *record)
{
	const struct record_window *w = &record->window;
	struct run_stage *stage = stage_of(run, w->stage);

	ladder_add_window(&run->ladder, w);
	if (!stage || run->windows == RUN_WINDOWS_MAX)
		return false;
	stage->window = list_grow(stage->window, stage->windows, sizeof(*stage->window));
	stage->window[stage->windows++] = (struct run_window){ w->n, w->windows, w->start_ns,
							       w->len_ns, w->gaps };
	run->windows++;
	return true;
}

static bool keep_gap(struct run *run, const union record *record)
{
	const struct record_gap *g = &record->gap;
	struct run_stage *stage = stage_of(run, g->stage);

	if (!stage || run->gaps == RUN_GAPS_MAX || g->cpu >= CPULIST_MAX)
		return false;
	stage->gap = list_grow(stage->gap, stage->gaps, sizeof(*stage->gap));
	stage->gap[stage->gaps++] = (struct run_gap){ g->t_ns, g->len_ns, g->cpu, g->cause_id };
	run->gaps++;
	return true;
}

static enum event_scope scope_of(const char *name)
{
	unsigned scope = 0;

	while (scope < SCOPE_UNKNOWN &&
	       (!name || strcmp(event_scope_name((enum event_scope)scope), name) != 0))
		scope++;
	return (enum event_scope)scope;
}

/* Own copies of its strings, so that the record need not be kept. */
static struct record_event own_words(const struct record_event *e)
{
	struct record_event own = *e;
	enum cause cause;

	own.stage = own.list = NULL;
	own.scope = event_scope_name(scope_of(e->scope));
	own.cause = e->cause && cause_parse(e->cause, &cause) ? cause_name(cause) : NULL;
	return own;
}

static bool is_weaker(const struct record_event *a, const struct record_event *b)
{
	return a->len_ns < b->len_ns || (a->len_ns == b->len_ns && a->t_ns > b->t_ns);
}

/* The first of the longest to be replaced. */
static uint32_t weakest(const struct run_stage *stage)
{
	uint32_t weak = 0;

	for (uint32_t i = 1; i < stage->listed; i++) {
		if (is_weaker(&stage->longest[i], &stage->longest[weak]))
			weak = i;
	}
	return weak;
}

static void remove_listed(struct run_stage *stage, uint32_t n)
{
	stage->listed--;
	memmove(&stage->longest[n], &stage->longest[n + 1],
		(stage->listed - n) * sizeof(stage->longest[0]));
}

static void insert_by_time(struct run_stage *stage, const struct record_event *e)
{
	uint32_t at = stage->listed;

	while (at && stage->longest[at - 1].t_ns > e->t_ns)
		at--;
	memmove(&stage->longest[at + 1], &stage->longest[at],
		(stage->listed - at) * sizeof(stage->longest[0]));
	stage->longest[at] = *e;
	stage->listed++;
}

static bool keep_event(struct run *run, const union record *record)
{
	const struct record_event e = own_words(&record->event);
	struct run_stage *stage = stage_of(run, record->event.stage);

	if (!stage)
		return false;
	stage->of = e.of;
	stage->events++;
	stage->scope[scope_of(e.scope)]++;
	if (stage->listed == TABLE_EVENTS) {
		uint32_t weak = weakest(stage);

		if (!is_weaker(&stage->longest[weak], &e))
			return true;
		remove_listed(stage, weak);
	}
	insert_by_time(stage, &e);
	return true;
}

static bool keep_source(struct run *run, const union record *record)
{
	struct run_stage *stage = stage_of(run, record->source.stage);

	if (!stage || run->sources == RUN_SOURCES_MAX)
		return false;
	stage->source = list_grow(stage->source, stage->sources, sizeof(*stage->source));
	stage->source[stage->sources++] = record->source;
	run->sources++;
	return true;
}

static void add_bound(struct run_stage *stage, uint64_t bound)
{
	if (bound > stage->bound[0]) {
		stage->bound[1] = stage->bound[0];
		stage->bound[0] = bound;
	} else if (bound > stage->bound[1]) {
		stage->bound[1] = bound;
	}
}

/* They come in rising order: most are higher than any before. */
static bool has_core(const struct run_stage *stage, uint32_t cpu)
{
	size_t n = stage->cpus;

	if (cpu > stage->highest)
		return false;
	while (n && stage->cpu[n - 1].cpu != cpu)
		n--;
	return n;
}

static bool keep_cpu(struct run *run, const union record *record)
{
	const struct record_cpu *cpu = &record->cpu;
	struct run_stage *stage = stage_of(run, cpu->stage);

	if (!stage || run->cpus == RUN_CPUS_MAX || has_core(stage, cpu->cpu))
		return false;
	ladder_add(&run->ladder, cpu);
	stage->cpu = list_grow(stage->cpu, stage->cpus, sizeof(*stage->cpu));
	stage->cpu[stage->cpus++] = *cpu;
	stage->gaps_counted = arith_sum(stage->gaps_counted, cpu->gaps);
	stage->dropped = arith_sum(stage->dropped, cpu->dropped);
	if (cpu->tsc_offset_bound.known)
		add_bound(stage, cpu->tsc_offset_bound.value);
	if (cpu->cpu > stage->highest)
		stage->highest = cpu->cpu;
	run->cpus++;
	return true;
}

static bool (*const keepers[RECORD_TYPES])(struct run *run, const union record *record) = {
	[RECORD_STAGE] = keep_state, [RECORD_WINDOW] = keep_window, [RECORD_GAP] = keep_gap,
	[RECORD_EVENT] = keep_event, [RECORD_CPU] = keep_cpu,       [RECORD_SOURCE] = keep_source,
};

bool run_stage_keep(struct run *run, enum record_type type, const union record *record)
{
	return keepers[type](run, record);
}

void run_stage_free(struct run_stage *stage)
{
	free(stage->name);
	free(stage->cpu);
	free(stage->source);
	free(stage->gap);
	free(stage->window);
}
