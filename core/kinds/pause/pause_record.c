/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `pause`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

/*
 * "hidden pause of 1.2 s to 2.4 s, between ...: rtc went on, the TSC ...", or
 * "the TSC ran ahead of rtc by 1.2 s to 2.4 s, between ...".
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_pause *pause = record;
	struct text *t = &out->out;

	(void)of;
	if (pause->forward)
		text_add(t, "the TSC ran ahead of %s ", pause->clock);
	else
		text_add(t, "hidden pause ");
	if (pause->pauses > 1)
		text_add(t, "%llu times, ", (unsigned long long)pause->pauses);
	text_add(t, pause->forward ? "by " : "of ");
	text_duration(t, pause->least_ns);
	text_add(t, " to ");
	text_duration(t, pause->most_ns);
	if (pause->pauses > 1) {
		text_add(t, " in all and ");
		text_duration(t, pause->worst_ns);
		text_add(t, " at the worst");
	}
	text_add(t, ", between ");
	text_duration(t, pause->from_ns);
	text_add(t, " and ");
	text_duration(t, pause->until_ns);
	if (!pause->forward)
		text_add(t, ": %s went on, the TSC stood still or was set back", pause->clock);
	lines_end(out);
}

const struct record_kind pause_record_kind = { .text = put_text, .printed = true };
