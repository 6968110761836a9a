/* SPDX-License-Identifier: BSD-2-Clause */
/* From the cores' rings to times, and from sources to records. */
#include "stage_sources.h"

#include "core/lib/ticks.h"

static uint64_t since_begin(const struct stage_sources *s, uint64_t tick)
{
	const struct platform *p = s->events->platform;

	return tick > p->begin_tsc ? ticks_to_ns(tick - p->begin_tsc, p->hz) : 0;
}

void stage_sources_begin(struct stage_sources *s)
{
	uint64_t complete = gaplist_complete_until(s->events->platform);

	if (complete == UINT64_MAX)
		return;
	exposure_cut(s->watched, since_begin(s, complete));
	s->windows_missing = true;
}

struct gathering {
	const struct stage_sources *s;
	uint64_t until; /* ns: later events came in windows that are not known */
	size_t count;
};

static void gather(void *ctx, const struct event *e)
{
	struct gathering *g = ctx;
	uint64_t time = since_begin(g->s, e->start);

	if (g->count < g->s->capacity && time <= g->until)
		g->s->times[g->count++] = time;
}

/* End of the last window that is known. */
static uint64_t known_until(const struct stage_sources *s)
{
	const struct exposure *e = s->watched;

	if (!s->windows_missing)
		return UINT64_MAX;
	return e->count ? e->window[e->count - 1].end : 0;
}

void stage_sources_find(const struct stage_sources *s, enum cause cause,
			struct stage_search *search, struct period_list *found)
{
	struct gathering g = { .s = s, .until = known_until(s) };
	bool guest = s->events->platform->hypervisor && cause != CAUSE_SMI;
	struct event_series events;

	search->events = stage_events_merge(s->events, cause, 0, gather, &g);
	events = (struct event_series){ s->times, g.count, s->watched };
	search->status = period_search(&events, guest, s->timers, s->timer_count, found);
	search->searched = found->searched;
	if (cause != CAUSE_SMI)
		period_name_without_smi(found, guest);
}

void stage_sources_record(const struct stage_sources *s, enum cause cause,
			  const struct period_source *source, struct record_source *record)
{
	*record = (struct record_source){
		.stage = s->events->stage,
		.cause = cause_name(cause),
		.period_ns = source->period_ns,
		.jitter_ns = source->jitter_ns,
		.fill_ppm = source->fill_ppm,
		.events = source->events,
		.chance_milli = source->chance_milli,
		.origin = source->origin,
		.hint = source->hint,
	};
}
