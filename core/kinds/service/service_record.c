/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `service`. */
#include "service_text.h"

#include "core/lib/lines.h"
#include "core/records/record_kind.h"

static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	(void)of;
	service_text_row(&out->out, record);
	lines_end(out);
}

#define RECORD_NAME service
#define RECORD_ROWS "core/kinds/service/service_rows.h"
#define RECORD_ABOUT \
	"With `mode=services`: what calls of one of firmware's services take, and whom they stop."
#define RECORD_PARTS .text = put_text
#include "core/records/record_define.h"
