/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources by the probe, then those of the search that it has not. */
#include "found.h"

#include "host/lib/list.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

bool found_same(const struct record_source *a, const struct record_source *b)
{
	uint64_t apart = a->period_ns > b->period_ns ? a->period_ns - b->period_ns
						     : b->period_ns - a->period_ns;

	if (!a->cause != !b->cause || (a->cause && strcmp(a->cause, b->cause) != 0))
		return false;
	return apart <= a->period_ns / 100;
}

const struct found_source *found_in(const struct found *f, const struct record_source *source)
{
	for (size_t i = 0; i < f->count; i++) {
		if (found_same(source, &f->at[i].source))
			return &f->at[i];
	}
	return NULL;
}

static void add(struct found *f, const struct record_source *source, bool by_probe)
{
	f->at = list_grow(f->at, f->count, sizeof(*f->at));
	f->at[f->count++] = (struct found_source){ *source, by_probe };
}

static uint64_t span(const struct run_stage *stage)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		const struct stage_window *w = &stage->window[i];

		if (w->len_ns > UINT64_MAX - w->start_ns)
			return 0;
		first = w->start_ns < first ? w->start_ns : first;
		last = w->start_ns + w->len_ns > last ? w->start_ns + w->len_ns : last;
	}
	return last > first ? last - first : 0;
}

static void search(struct found *f, const struct shown *s, struct run_stage *stage)
{
	static struct search result;
	struct search_ground ground = shown_ground(s, stage->name);
	struct record_source source;
	struct text why;

	text_init(&why, f->why_not, sizeof(f->why_not));
	search_stage(stage, &ground, &result, &why);
	f->searched = result.done;
	f->gaps = result.gaps;
	for (size_t n = 0; search_source(&result, stage, n, &source); n++) {
		if (!found_in(f, &source))
			add(f, &source, false);
	}
}

void found_read(struct found *f, const struct shown *s, const char *name)
{
	struct run_stage *stage = stages_find(&s->stages, name);

	*f = (struct found){ .why_not = "there are no records of it" };
	if (!stage)
		return;
	for (size_t i = 0; i < stage->sources; i++)
		add(f, &stage->source[i], true);
	f->span_ns = span(stage);
	search(f, s, stage);
}

void found_free(struct found *f)
{
	free(f->at);
	*f = (struct found){ 0 };
}
