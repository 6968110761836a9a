/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings, and what each profile makes of them. */
#include "core/kinds/readiness/readiness.h"
#include "core/lib/text.h"
#include "core/screen/screen_mode.h"
#include "survey_room.h"

#define NAME_COLUMNS    23u
#define STATE_COLUMNS   14u
#define PROFILE_COLUMNS 15u /* at most: "openshift-ran" */
#define NARROW_COLUMNS  10u /* at least: "not ready" */

static const struct readiness *readiness_of(const struct screen *s)
{
	const struct survey_room *room = s->report->platform->survey;

	return room ? &room->readiness : NULL;
}

static void number(const struct screen *s, struct text *t)
{
	const struct readiness *r = readiness_of(s);

	/* No core was read yet, or the run was read back. */
	if (!r || !r->cores)
		text_add(t, "n/a");
	else
		text_add(t, "%u cores", (unsigned)r->cores);
}

static uint8_t ink_of(enum readiness_judged judged)
{
	static const uint8_t inks[] = {
		[READINESS_READY] = INK_GOOD,
		[READINESS_NOT_READY] = INK_BAD,
		[READINESS_UNKNOWN] = INK_FAINT,
		[READINESS_NOBODY] = INK_FAINT,
	};

	return inks[judged];
}

/* Columns of a profile, with the blank behind. */
static unsigned profile_columns(const struct screen_area *a)
{
	unsigned left = a->width > NAME_COLUMNS + STATE_COLUMNS
				? a->width - NAME_COLUMNS - STATE_COLUMNS
				: 0;
	unsigned each = (left + 1) / READINESS_PROFILES;

	each = each > PROFILE_COLUMNS ? PROFILE_COLUMNS : each;
	return each < NARROW_COLUMNS ? NARROW_COLUMNS : each;
}

static void draw_item(struct screen *s, const struct screen_area *a, const struct readiness *r,
		      enum readiness_item item, unsigned line)
{
	TEXT_DEFINE(state, STATE_COLUMNS);

	readiness_state(r, item, &state);
	screen_print(s, a, 0, line, INK_TEXT, "%s", readiness_item_name(item));
	screen_print(s, a, NAME_COLUMNS, line, INK_BRIGHT, "%s", state.len ? state.buf : "n/a");
	for (unsigned p = 0; p < READINESS_PROFILES; p++) {
		enum readiness_judged judged = readiness_judge(r, (enum readiness_profile)p, item);
		const char *word = readiness_word(judged);

		if (word)
			screen_print(s, a, NAME_COLUMNS + STATE_COLUMNS + p * profile_columns(a),
				     line, ink_of(judged), "%s", word);
	}
}

static void draw_head(struct screen *s, const struct screen_area *a)
{
	unsigned each = profile_columns(a);

	screen_print(s, a, 0, 0, INK_FAINT, "SETTING");
	screen_print(s, a, NAME_COLUMNS, 0, INK_FAINT, "STATE");
	for (unsigned p = 0; p < READINESS_PROFILES; p++)
		screen_print(s, a, NAME_COLUMNS + STATE_COLUMNS + p * each, 0, INK_FAINT, "%.*s",
			     (int)each - 1, readiness_profile_name((enum readiness_profile)p));
}

static bool is_wrong(const struct readiness *r, enum readiness_item item)
{
	unsigned p = 0;

	while (p < READINESS_PROFILES &&
	       readiness_judge(r, (enum readiness_profile)p, item) != READINESS_NOT_READY)
		p++;
	return p < READINESS_PROFILES;
}

/* Those that some profile wants otherwise come first: there may be no room for all. */
static void cores(struct screen *s, struct screen_area area)
{
	const struct readiness *r = readiness_of(s);
	unsigned line = 1, room;

	if (!r || !r->cores || area.height < 2)
		return;
	draw_head(s, &area);
	room = area.height > READINESS_ITEMS ? READINESS_ITEMS : area.height - 2;
	for (unsigned wrong = 2; wrong-- > 0;)
		for (unsigned item = 0; item < READINESS_ITEMS && line <= room; item++)
			if (is_wrong(r, (enum readiness_item)item) == wrong)
				draw_item(s, &area, r, (enum readiness_item)item, line++);
	if (room < READINESS_ITEMS)
		screen_print(s, &area, 0, line, INK_FAINT, "and %u more", READINESS_ITEMS - room);
}

const struct screen_mode screen_mode_survey = {
	.counts = "part",
	.heading = "SURVEY",
	.result = "SURVEY, NOTHING MEASURED",
	.named = "",
	.number = number,
	.limit = LIMITS,
	.cores = cores,
};
