/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the number of cores read, and the parts sent. */
#include "core/screen/screen_draw.h"
#include "survey_room.h"

static void survey_screen_number(const struct screen *s, struct text *t)
{
	const struct survey_room *room = s->report->platform->survey;

	/* No core has been read yet, or the run is a saved one. */
	if (!room || !room->cores)
		text_add(t, "n/a");
	else
		text_add(t, "%u cores", (unsigned)room->cores);
}

static void survey_screen_cores(struct screen *s, struct screen_area area)
{
	const struct survey_room *room = s->report->platform->survey;

	if (!room || !room->parts.parts || area.height < 2)
		return;
	screen_print(s, &area, 0, 0, INK_TEXT, "%u parts of %llu bytes were sent.",
		     room->parts.parts, (unsigned long long)room->parts.bytes);
	screen_print(s, &area, 0, 1, INK_TEXT, "`noisefloor show` lists how the machine is set.");
}

const struct screen_mode screen_mode_survey = {
	.counts = "part",
	.heading = "SURVEY",
	.result = "SURVEY, NOTHING MEASURED",
	.named = "",
	.number = survey_screen_number,
	.limit = LIMITS,
	.cores = survey_screen_cores,
};
