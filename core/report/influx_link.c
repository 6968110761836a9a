/* SPDX-License-Identifier: BSD-2-Clause */
/* Each record type's way into points, and the times that keep these apart. */
#include "influx_link.h"

#include "core/cause/cause.h"
#include "core/records/influx.h"
#include "core/lib/mem.h"
#include "verdict.h"

static void send(struct influx_link *l, const struct text *line)
{
	/* A line that was cut has no newline, and is refused and counted. */
	points_line(l->points, line->buf, line->len);
}

/* A moment of the run as wall time. A sum that wraps is no time. */
static uint64_t wall(const struct influx_link *l, uint64_t t_ns)
{
	uint64_t ns = l->began_ns + t_ns;

	return ns < t_ns || ns > INT64_MAX ? INT64_MAX : ns;
}

/* The same, where points differ by nothing but their time: at or after *next. */
static uint64_t own_time(const struct influx_link *l, uint64_t t_ns, uint64_t *next)
{
	uint64_t ns = wall(l, t_ns);

	if (ns < *next)
		ns = *next;
	*next = ns + 1;
	return ns;
}

/* Of a point that differs from others by nothing but its tags. */
static uint64_t any_time(const struct influx_link *l, uint64_t t_ns)
{
	return l->began_ns ? wall(l, t_ns) : INFLUX_NO_TIME;
}

static void take_begin(struct influx_link *l, struct text *line, const void *data)
{
	influx_info(line, l->link.sid, data, any_time(l, 0));
	send(l, line);
}

static void take_stage(struct influx_link *l, struct text *line, const void *data)
{
	(void)line, (void)data;
	l->sources = 0;
}

static void take_window(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_window *w = data;
	uint64_t end = w->start_ns + w->len_ns;

	if (end > l->length_ns)
		l->length_ns = end;
	influx_record(line, l->link.sid, RECORD_WINDOW, w, own_time(l, end, &l->window_next));
	send(l, line);
}

static void take_gap(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_gap *gap = data;
	uint64_t *next = &l->gap_next[gap->cpu % INFLUX_LINK_GAPS];

	influx_record(line, l->link.sid, RECORD_GAP, gap, own_time(l, gap->t_ns, next));
	send(l, line);
}

static void take_event(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_event *event = data;
	enum cause cause = CAUSE_UNKNOWN;
	uint64_t ns;

	if (event->cause)
		cause_parse(event->cause, &cause);
	ns = own_time(l, event->t_ns, &l->event_next[cause]);
	influx_record(line, l->link.sid, RECORD_EVENT, event, ns);
	send(l, line);
}

static void take_cpu(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_cpu *cpu = data;
	uint64_t ns = any_time(l, l->length_ns);
	size_t n = 0;

	influx_record(line, l->link.sid, RECORD_CPU, cpu, ns);
	send(l, line);
	while (n < cpu->histogram.count) {
		text_reset(line);
		n = influx_bucket(line, l->link.sid, cpu, n, ns);
		send(l, line);
	}
}

static void take_source(struct influx_link *l, struct text *line, const void *data)
{
	influx_source(line, l->link.sid, data, l->sources++, any_time(l, l->length_ns));
	send(l, line);
}

static void take_pause(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_pause *pause = data;

	influx_record(line, l->link.sid, RECORD_PAUSE, pause,
		      own_time(l, pause->until_ns, &l->pause_next));
	send(l, line);
}

static void take_end(struct influx_link *l, struct text *line, const void *data)
{
	const struct record_end *end = data;
	const struct influx_end point = {
		.record = end,
		.exit_code = verdict_exit_code(verdict_of(end->verdict)),
	};

	influx_end(line, l->link.sid, &point, any_time(l, l->length_ns));
	send(l, line);
	points_flush(l->points);
}

typedef void taker(struct influx_link *l, struct text *line, const void *data);

static taker *const takers[RECORD_TYPES] = {
	[RECORD_BEGIN] = take_begin, [RECORD_STAGE] = take_stage,   [RECORD_WINDOW] = take_window,
	[RECORD_GAP] = take_gap,     [RECORD_EVENT] = take_event,   [RECORD_CPU] = take_cpu,
	[RECORD_PAUSE] = take_pause, [RECORD_SOURCE] = take_source, [RECORD_END] = take_end,
};

static void take(struct record_link *link, enum record_type type, const void *data)
{
	struct influx_link *l = (struct influx_link *)(void *)link;
	TEXT_DEFINE(line, POINTS_DATAGRAM_MAX + 1);

	/* Tags distinguish those of fixed work. */
	if (type == RECORD_STRETCH || type == RECORD_INTERFERE) {
		influx_record(&line, link->sid, type, data, any_time(l, l->length_ns));
		send(l, &line);
	} else if (takers[type]) {
		takers[type](l, &line, data);
	}
}

void influx_link_start(struct influx_link *l, uint64_t sid, struct points *points)
{
	memset(l, 0, sizeof(*l));
	l->link.take = take;
	l->link.sid = sid;
	l->points = points;
}
