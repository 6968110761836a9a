/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe's sources, then those that only the search found. */
#include "run_sources.h"

#include "host/lib/memory.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

bool run_sources_same(const struct record_source *a, const struct record_source *b)
{
	uint64_t apart = a->period_ns > b->period_ns ? a->period_ns - b->period_ns
						     : b->period_ns - a->period_ns;

	if (!a->cause != !b->cause || (a->cause && strcmp(a->cause, b->cause) != 0))
		return false;
	return apart <= a->period_ns / 100;
}

const struct run_source *run_sources_in(const struct run_sources *f,
					const struct record_source *source)
{
	for (size_t i = 0; i < f->count; i++) {
		if (run_sources_same(source, &f->at[i].source))
			return &f->at[i];
	}
	return NULL;
}

static void add(struct run_sources *f, const struct record_source *source, bool by_probe)
{
	f->at = memory_grow(f->at, f->count, sizeof(*f->at));
	f->at[f->count++] = (struct run_source){ *source, by_probe };
}

static uint64_t span(const struct run_stage *stage)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		const struct run_window *w = &stage->window[i];

		if (w->len_ns > UINT64_MAX - w->start_ns)
			return 0;
		first = w->start_ns < first ? w->start_ns : first;
		last = w->start_ns + w->len_ns > last ? w->start_ns + w->len_ns : last;
	}
	return last > first ? last - first : 0;
}

static void search(struct run_sources *f, const struct run *run, struct run_stage *stage)
{
	static struct search_result result;
	struct record_source source;
	struct text why;

	text_init(&why, f->why_not, sizeof(f->why_not));
	search_stage(run, stage, &result, &why);
	f->searched = result.done;
	f->gaps = result.gaps;
	for (size_t n = 0; search_source(&result, stage, n, &source); n++) {
		if (!run_sources_in(f, &source))
			add(f, &source, false);
	}
}

void run_sources_read(struct run_sources *f, const struct run *run, struct run_stage *stage)
{
	*f = (struct run_sources){ .searched = false };
	for (size_t i = 0; i < stage->sources; i++)
		add(f, &stage->source[i], true);
	f->span_ns = span(stage);
	search(f, run, stage);
}

void run_sources_free(struct run_sources *f)
{
	free(f->at);
	*f = (struct run_sources){ 0 };
}
