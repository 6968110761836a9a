/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the number of cores read, and the parts sent. */
#include "core/screen/screen_mode.h"
#include "survey_room.h"

static void survey_screen_number(const struct report *r, struct text *t)
{
	const struct survey_room *room = r->platform->survey;

	if (!room->cores)
		text_add(t, "n/a");
	else
		text_add(t, "%u cores", (unsigned)room->cores);
}

static void survey_screen_lines(const struct report *r, struct lines *out)
{
	const struct survey_room *room = r->platform->survey;

	if (!room->parts.parts)
		return;
	text_add(
		&out->out,
		"%u parts of %llu bytes were sent; `noisefloor show` lists how the machine is set.",
		room->parts.parts, (unsigned long long)room->parts.bytes);
	lines_wrap(out, 0);
}

const struct screen_mode screen_mode_survey = {
	.counts = "part",
	.heading = "SURVEY, NOTHING MEASURED",
	.named = "",
	.number = survey_screen_number,
	.limit = LIMITS,
	.lines = survey_screen_lines,
};
