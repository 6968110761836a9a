/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps to events, events to times, times to the blind search. */
#include "search.h"

#include "blind.h"
#include "run_stage.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"

#include "core/events/event.h"
#include "core/gaps/exposure.h"

#include <stdlib.h>

/* Starts of the events that the gaps of one cause make up; room for all gaps. */
struct times {
	uint64_t *at;
	size_t count;
};

static void take(void *ctx, const struct event *e)
{
	struct times *t = ctx;

	t->at[t->count++] = e->start;
}

static size_t timers_of(const struct run_stage *stage)
{
	size_t count = 0;

	while (count < RECORD_TIMERS && stage->state.timers[count].name)
		count++;
	return count;
}

static void search_cause(const struct run_stage *stage, enum cause cause, uint64_t slack,
			 const struct exposure *watched, bool guest, struct times *t,
			 struct search_result *search)
{
	enum period_status status;

	t->count = 0;
	run_stage_merge(stage, 1u << cause, slack, take, t);
	status = blind_search(t->at, t->count, watched, stage->state.timers, timers_of(stage),
			      &search->found[cause]);
	if (status == PERIOD_NO_MEMORY)
		memory_exhausted();
	if (cause != CAUSE_SMI)
		period_name_without_smi(&search->found[cause], guest);
	search->cut[cause] = status != PERIOD_OK;
}

void search_stage(const struct run *run, struct run_stage *stage, struct search_result *search,
		  struct text *why)
{
	uint64_t slack = run_stage_slack(run, stage);
	struct times times = { 0 };
	struct exposure watched;

	*search = (struct search_result){ .gaps = stage->gaps };
	if (stage->cpus && stage->gaps_counted + stage->gaps == 0) {
		search->done = true;
		return;
	}
	if (!run_stage_has_all_gaps(stage, why))
		return;
	if (!run_stage_exposure(stage, &watched)) {
		text_add(why, "the records of its windows are missing or contradict each other");
		return;
	}
	times.at = memory_new(stage->gaps + 1, sizeof(*times.at));
	progress_start("looking for sources in stage", stage->name, 0);
	run_stage_sort_gaps(stage);
	for (unsigned c = 0; c < CAUSES; c++)
		search_cause(stage, (enum cause)c, slack, &watched,
			     run->begin.hypervisor || run->begin.os, &times, search);
	progress_stop();
	search->done = true;
	free(times.at);
	free(watched.window);
}

bool search_source(const struct search_result *search, const struct run_stage *stage, size_t n,
		   struct record_source *record)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		const struct period_list *found = &search->found[c];
		const struct period_source *s;

		if (n >= found->count) {
			n -= found->count;
			continue;
		}
		s = &found->source[n];
		*record = (struct record_source){
			.stage = stage->name,
			.cause = cause_name((enum cause)c),
			.period_ns = s->period_ns,
			.jitter_ns = s->jitter_ns,
			.fill_ppm = s->fill_ppm,
			.events = s->events,
			.chance_milli = s->chance_milli,
			.origin = s->origin,
			.hint = s->hint,
		};
		return true;
	}
	return false;
}
