/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe's sources, then those that only the search found. */
#include "sources.h"

#include "host/lib/memory.h"
#include "host/lib/progress.h"

#include "core/events/event.h"
#include "core/gaps/exposure.h"
#include "core/lib/arith.h"

#include <stdlib.h>

/* Starts of the events that the gaps of one cause make up; room for all gaps. */
struct times {
	uint64_t *at;
	size_t count;
};

static void sources_take(void *ctx, const struct event *e)
{
	struct times *t = ctx;

	t->at[t->count++] = e->start;
}

static uint32_t causes_of(const struct result_stage *stage)
{
	uint32_t causes = 0;

	for (size_t i = 0; i < stage->gaps; i++)
		causes |= 1u << stage->gap[i].cause;
	return causes;
}

/* State of a search, cause by cause. */
struct searched {
	uint32_t causes; /* causes of the stage's gaps */
	const struct result_stage *stage;
	uint64_t slack;
	const struct exposure *watched;
	bool guest;
};

static void search_cause(const struct searched *of, enum cause cause, struct times *t,
			 struct sources *f)
{
	const struct period_context context = {
		.cause = cause,
		.guest = of->guest,
		.timers = of->stage->state.timers,
		.timer_count = record_timers(of->stage->state.timers),
	};
	struct event_series events = { .t = t->at, .watched = of->watched };
	static struct period_list found;

	t->count = 0;
	if (of->causes >> cause & 1)
		result_stage_merge(of->stage, 1u << cause, of->slack, sources_take, t);
	events.count = t->count;
	sources_blind(&events, &context, &found);
	f->cut[cause] = found.searched < events.count;
	f->events[cause] = found.searched;
	for (size_t i = 0; i < found.count; i++) {
		found.source[i].stage = of->stage->name;
		*MEMORY_ADD(f->found, f->founds) = found.source[i];
	}
}

static void sources_search(struct sources *f, const struct result *run, struct result_stage *stage)
{
	struct times times = { 0 };
	struct exposure watched;
	const struct searched of = { causes_of(stage), stage, result_stage_slack(run, stage),
				     &watched, run->begin.hypervisor || run->begin.os };
	struct text why;

	text_init(&why, f->why_not, sizeof(f->why_not));
	f->searched = stage->cpus && stage->gaps_counted + stage->gaps == 0;
	if (f->searched || !result_stage_has_all_gaps(stage, &why))
		return;
	if (!result_stage_exposure(stage, &watched)) {
		text_add(&why, "the records of its windows are missing or contradict each other");
		return;
	}
	times.at = memory_new(stage->gaps + 1, sizeof(*times.at));
	progress_start("looking for sources in stage", stage->name, 0);
	result_stage_sort_gaps(stage);
	for (unsigned c = 0; c < CAUSES; c++)
		search_cause(&of, (enum cause)c, &times, f);
	progress_stop();
	f->searched = true;
	free(times.at);
	free(watched.window);
}

/* ---- All sources of a stage ---- */

/* True for the same cause and periods within 1 %, as in the searches for sources. */
static bool is_same(const struct record_source *a, const struct record_source *b)
{
	uint64_t apart = arith_apart(a->period_ns, b->period_ns);

	return text_same(a->cause, b->cause) && apart <= a->period_ns / 100;
}

const struct sources_row *sources_in(const struct sources *f, const struct record_source *source)
{
	for (size_t i = 0; i < f->count; i++) {
		if (is_same(source, &f->at[i].source))
			return &f->at[i];
	}
	return NULL;
}

static void sources_add(struct sources *f, const struct record_source *source, bool by_probe)
{
	*MEMORY_ADD(f->at, f->count) = (struct sources_row){ *source, by_probe };
}

static uint64_t span(const struct result_stage *stage)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		const struct result_window *w = &stage->window[i];

		if (w->len_ns > UINT64_MAX - w->start_ns)
			return 0;
		first = w->start_ns < first ? w->start_ns : first;
		last = w->start_ns + w->len_ns > last ? w->start_ns + w->len_ns : last;
	}
	return last > first ? last - first : 0;
}

void sources_read(struct sources *f, const struct result *run, struct result_stage *stage)
{
	*f = (struct sources){ .span_ns = span(stage) };
	for (size_t i = 0; i < stage->sources; i++)
		sources_add(f, &stage->source[i], true);
	sources_search(f, run, stage);
	for (size_t i = 0; i < f->founds; i++) {
		if (!sources_in(f, &f->found[i]))
			sources_add(f, &f->found[i], false);
	}
}

void sources_free(struct sources *f)
{
	free(f->at);
	free(f->found);
	*f = (struct sources){ 0 };
}
