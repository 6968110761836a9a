/* SPDX-License-Identifier: BSD-2-Clause */
/* The latest events, merged after each window in the same way as for the report. */
#include "core/lib/mem.h"
#include "screen_draw.h"
#include "core/lib/ticks.h"

/* Insert an event in time order. If there is no room, the earliest is dropped. */
static void insert(struct screen *s, const struct screen_event *event)
{
	unsigned at = s->events;

	while (at && s->event[at - 1].start > event->start)
		at--;
	if (s->events == SCREEN_EVENTS) {
		if (!at)
			return;
		at--;
		memmove(&s->event[0], &s->event[1], at * sizeof(*event));
	} else {
		memmove(&s->event[at + 1], &s->event[at], (s->events++ - at) * sizeof(*event));
	}
	s->event[at] = *event;
}

/* Remove a cause's events that will be merged again. */
static void remove_from(struct screen *s, enum cause cause, uint64_t from)
{
	unsigned left = 0;

	for (unsigned i = 0; i < s->events; i++)
		if (s->event[i].cause != cause || s->event[i].start < from)
			s->event[left++] = s->event[i];
	s->events = left;
}

struct taking {
	struct screen *s;
	struct screen_event last;
};

static void screen_events_take(void *ctx, const struct event *e)
{
	struct taking *t = ctx;

	t->last = (struct screen_event){
		.start = e->start,
		.end = e->start + e->length,
		.cpus = e->cpus,
		.first = e->first,
		.cause = (uint8_t)e->cause,
	};
	insert(t->s, &t->last);
}

/* The last event stays open if gaps of the next window may belong to it. */
static void take_cause(struct screen *s, enum cause cause)
{
	uint64_t open = s->report->times.last - report_slack(s->report);
	struct taking t = { .s = s };

	remove_from(s, cause, s->from[cause]);
	report_merge(s->report, cause, s->from[cause], screen_events_take, &t);
	s->from[cause] = t.last.end >= open ? t.last.start : open;
}

void screen_window(struct screen *s)
{
	const struct report *r = s->report;

	if (s->stage != r->stage) {
		s->stage = r->stage;
		s->events = 0;
		memset(s->from, 0, sizeof(s->from));
	}
	for (unsigned c = 0; c < CAUSES; c++)
		take_cause(s, (enum cause)c);
}

static void draw_event(struct screen *s, const struct screen_area *a, unsigned n,
		       const struct screen_event *e)
{
	const struct platform *p = s->report->platform;
	TEXT_DEFINE(when, 24);
	TEXT_DEFINE(length, 24);

	text_fixed(&when, ticks_to_ns(e->start - p->begin_tsc, p->hz) / 1000000, 3, 9);
	text_duration(&length, ticks_to_ns(e->end - e->start, p->hz));
	if (e->cpus > 1)
		screen_print(s, a, 0, n, INK_TEXT, "%s s %8s  %-7s %u cpus", when.buf, length.buf,
			     cause_name((enum cause)e->cause), (unsigned)e->cpus);
	else
		screen_print(s, a, 0, n, INK_TEXT, "%s s %8s  %-7s cpu %u", when.buf, length.buf,
			     cause_name((enum cause)e->cause), (unsigned)e->first);
}

/* Draw events, the latest first. */
void screen_draw_events(struct screen *s, const struct screen_area *a)
{
	screen_print(s, a, 0, 0, INK_FAINT, "LATEST EVENTS");
	if (s->stage != s->report->stage)
		return;
	for (unsigned i = 0; i < s->events && i + 1 < a->height; i++)
		draw_event(s, a, i + 1, &s->event[s->events - 1 - i]);
}
