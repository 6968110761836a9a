/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `gap`. */
#include "core/records/influx.h"
#include "core/records/record_kind.h"
#include "core/report/influx_link.h"

static void put_points(struct influx_link *l, struct text *line, const void *record)
{
	const struct record_gap *gap = record;
	uint64_t *next = &l->gap_next[gap->cpu % INFLUX_LINK_GAPS];

	influx_record(line, l->link.sid, RECORD_GAP, gap, influx_link_own_time(l, gap->t_ns, next));
	influx_link_send(l, line);
}

#define RECORD_NAME  gap
#define RECORD_ROWS  "core/kinds/gap/gap_rows.h"
#define RECORD_ABOUT "A gap of one core. `gaps` limits how many there are."
#define RECORD_PARTS .points = put_points
#include "core/records/record_define.h"
