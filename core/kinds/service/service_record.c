/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `service`. */
#include "service_text.h"

#include "core/lib/lines.h"
#include "core/records/record_kind.h"
#include "core/report/influx_link.h"

static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	(void)of;
	service_text_row(&out->out, record);
	lines_end(out);
}

static void put_points(struct influx_link *l, struct text *line, const void *record)
{
	influx_link_record(l, line, RECORD_SERVICE, record);
}

#define RECORD_NAME service
#define RECORD_ROWS "core/kinds/service/service_rows.h"
#define RECORD_ABOUT \
	"With `mode=services`: what calls of one of firmware's services take, and whom they stop."
#define RECORD_PARTS .text = put_text, .points = put_points
#include "core/records/record_define.h"
