/* SPDX-License-Identifier: BSD-2-Clause */
/* From records to points, and the times that keep these apart. */
#include "influx_link.h"

#include "core/records/influx.h"
#include "core/lib/mem.h"
#include "core/records/record_kind.h"

void influx_link_send(struct influx_link *l, const struct text *line)
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

uint64_t influx_link_own_time(const struct influx_link *l, uint64_t t_ns, uint64_t *next)
{
	uint64_t ns = wall(l, t_ns);

	if (ns < *next)
		ns = *next;
	*next = ns + 1;
	return ns;
}

uint64_t influx_link_any_time(const struct influx_link *l, uint64_t t_ns)
{
	return l->began_ns ? wall(l, t_ns) : INFLUX_NO_TIME;
}

void influx_link_record(struct influx_link *l, struct text *line, enum record_type type,
			const void *record)
{
	influx_record(line, l->link.sid, type, record, influx_link_any_time(l, l->length_ns));
	influx_link_send(l, line);
}

static void take(struct record_link *link, enum record_type type, const void *record)
{
	struct influx_link *l = (struct influx_link *)(void *)link;
	TEXT_DEFINE(line, POINTS_DATAGRAM_MAX + 1);

	if (record_kind_of(type)->points)
		record_kind_of(type)->points(l, &line, record);
}

void influx_link_start(struct influx_link *l, uint64_t sid, struct points *points)
{
	memset(l, 0, sizeof(*l));
	l->link.take = take;
	l->link.sid = sid;
	l->points = points;
}
