/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The latest events, window by window. Each core's last gaps of the window are
 * enough for that: an event has one of each core's at most. Where a ring was
 * full, its core adds nothing more.
 */
#include "core/lib/mem.h"
#include "screen_draw.h"
#include "core/lib/ticks.h"

static bool overlap(const struct screen_event *e, const struct screen_event *gap, uint64_t slack)
{
	return e->cause == gap->cause && gap->start <= e->end + slack &&
	       e->start <= gap->end + slack;
}

static void merge(struct screen_event *e, const struct screen_event *gap)
{
	e->cpus += e->last != gap->last;
	e->last = gap->last;
	if (gap->start < e->start) {
		e->start = gap->start;
		e->first = gap->first;
	}
	if (gap->end > e->end)
		e->end = gap->end;
}

/* In time order; the earliest gives way. */
static void insert(struct screen *s, const struct screen_event *gap)
{
	unsigned at = s->events;

	while (at && s->event[at - 1].start > gap->start)
		at--;
	if (s->events == SCREEN_EVENTS) {
		if (!at)
			return;
		at--;
		memmove(&s->event[0], &s->event[1], at * sizeof(*gap));
	} else {
		memmove(&s->event[at + 1], &s->event[at], (s->events++ - at) * sizeof(*gap));
	}
	s->event[at] = *gap;
}

static void take_gap(struct screen *s, const struct cpu *cpu, const struct gap *gap)
{
	const struct report *r = s->report;
	uint64_t slack = ticks_from_ns(r->config->threshold_ns, r->platform->hz);
	uint64_t start = gaplist_time(cpu, gap);
	struct screen_event one = {
		.start = start,
		.end = start + gap->ticks,
		.cpus = 1,
		.first = cpu->index,
		.last = cpu->index,
		.cause = gap->cause,
	};

	for (unsigned i = 0; i < s->events; i++)
		if (overlap(&s->event[i], &one, slack)) {
			merge(&s->event[i], &one);
			return;
		}
	insert(s, &one);
}

/* From the last on, as many as may be shown. */
static void take_core(struct screen *s, const struct cpu *cpu)
{
	const struct gap_ring *ring = &cpu->ring;

	for (size_t n = 0; n < SCREEN_EVENTS && n < ring->used; n++) {
		const struct gap *gap = &ring->slot[ring->used - 1 - n];

		if (gaplist_time(cpu, gap) < s->since)
			return;
		take_gap(s, cpu, gap);
	}
}

void screen_window(struct screen *s)
{
	const struct report *r = s->report;

	if (s->stage != r->stage) {
		s->stage = r->stage;
		s->events = 0;
		s->since = r->first;
	}
	for (uint32_t i = 0; i < r->platform->cpus; i++)
		if (r->platform->cpu[i].measured)
			take_core(s, &r->platform->cpu[i]);
	s->since = r->last;
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

/* The latest on top. */
void screen_draw_events(struct screen *s, const struct screen_area *a)
{
	screen_print(s, a, 0, 0, INK_FAINT, "LATEST EVENTS");
	if (s->stage != s->report->stage)
		return;
	for (unsigned i = 0; i < s->events && i + 1 < a->height; i++)
		draw_event(s, a, i + 1, &s->event[s->events - 1 - i]);
}
