/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps to events, events to times, times to the blind search. */
#include "search.h"

#include "blind.h"
#include "exit.h"
#include "windows.h"

#include "core/config.h"
#include "core/event.h"
#include "core/exposure.h"
#include "core/ticks.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#define HZ_MIN UINT64_C(1000000)
#define HZ_MAX UINT64_C(16000000000)

static void ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

uint64_t search_threshold(const char *text)
{
	static const struct config_source source = { .name = "begin record", .one_line = true };
	static struct config config;

	config_defaults(&config);
	if (text)
		config_apply(&config, &source, text, strlen(text), ignore, NULL);
	return config.threshold_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct stage_gap *x = a, *y = b;

	return x->t_ns < y->t_ns ? -1 : x->t_ns > y->t_ns;
}

/* As far apart as two cores' clocks may be, up to the shortest gap: core/stage_events.c. */
static uint64_t slack_of(const struct run_stage *stage, const struct search_ground *ground)
{
	uint64_t ticks = stage->bound[0] + stage->bound[1];
	uint64_t ns;

	if (ground->hz < HZ_MIN || ground->hz > HZ_MAX || ticks < stage->bound[0])
		return 0;
	ns = ticks_to_ns(ticks, ground->hz);
	return ns < ground->threshold_ns ? ns : ground->threshold_ns;
}

struct times {
	uint64_t *at;
	size_t count;
};

static void take(void *ctx, const struct event *e)
{
	struct times *t = ctx;

	t->at[t->count++] = e->start;
}

/* Starts of the events that the gaps of one cause make up. `t` has room for all gaps. */
static void merge(const struct run_stage *stage, enum cause cause, uint64_t slack, struct times *t)
{
	static struct event_cpu cpu[CPULIST_MAX];
	struct event_ground ground = {
		.cpu = cpu,
		.cpus = CPULIST_MAX,
		.slack = slack,
		.complete_until = UINT64_MAX,
	};
	struct event_merge m;

	for (uint32_t i = 0; i < CPULIST_MAX; i++)
		cpu[i] = (struct event_cpu){ .index = i };
	t->count = 0;
	event_merge_begin(&m, &ground, take, t);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct stage_gap *g = &stage->gap[i];
		struct event_gap gap = { g->t_ns, g->len_ns, g->cpu, g->cause };

		if (g->cause == cause)
			event_merge_add(&m, &gap);
	}
	event_merge_end(&m);
}

static size_t timers_of(const struct search_ground *ground)
{
	size_t count = 0;

	while (count < RECORD_TIMERS && ground->timer[count].name)
		count++;
	return count;
}

static void search_cause(const struct run_stage *stage, enum cause cause,
			 const struct search_ground *ground, const struct exposure *watched,
			 struct times *t, struct search *search)
{
	enum period_status status;

	merge(stage, cause, slack_of(stage, ground), t);
	status = blind_search(t->at, t->count, watched, ground->timer, timers_of(ground),
			      &search->found[cause]);
	if (status == PERIOD_NO_MEMORY)
		err(EXIT_ERROR, "memory");
	search->cut[cause] = status != PERIOD_OK;
}

/* A sample of the gaps would have trains that the whole has not, or the other way round. */
static bool has_all(const struct run_stage *stage, struct text *why)
{
	uint64_t there = stage->gaps_counted;

	if (!stage->counted)
		text_add(why, "no core's record says how many gaps there were");
	else if (stage->dropped)
		text_add(why, "%llu of %llu gaps found the list full",
			 (unsigned long long)stage->dropped, (unsigned long long)there);
	else if (stage->gaps < there)
		text_add(why, "%llu of %llu gaps are in the report; gaps=all sends all",
			 (unsigned long long)stage->gaps, (unsigned long long)there);
	return !why->len;
}

void search_stage(struct run_stage *stage, const struct search_ground *ground,
		  struct search *search, struct text *why)
{
	struct times times = { 0 };
	struct exposure watched;

	*search = (struct search){ .gaps = stage->gaps };
	if (stage->counted && stage->gaps_counted + stage->gaps == 0) {
		search->done = true;
		return;
	}
	if (!has_all(stage, why))
		return;
	if (!windows_of(stage, &watched)) {
		text_add(why, "the records of its windows are missing or contradict each other");
		return;
	}
	times.at = calloc(stage->gaps + 1, sizeof(*times.at));
	if (!times.at)
		err(EXIT_ERROR, "memory");
	qsort(stage->gap, stage->gaps, sizeof(*stage->gap), by_time);
	for (unsigned c = 0; c < CAUSES; c++)
		search_cause(stage, (enum cause)c, ground, &watched, &times, search);
	search->done = true;
	free(times.at);
	free(watched.window);
}

bool search_source(const struct search *search, const struct run_stage *stage, size_t n,
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
