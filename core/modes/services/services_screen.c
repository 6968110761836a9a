/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the longest stop of other cores, and each service. */
#include "service_room.h"

#include "core/kinds/service/service_record.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/screen/screen_draw.h"

#define NAME_COLUMNS   22u
#define LENGTH_COLUMNS 12u

static const struct service_room *room_of(const struct screen *s)
{
	return s->report->platform->services;
}

/*
 * The longest stop of other cores by any service, ns; 0: there was none. Unknown if no service was
 * called while others sampled, and in a run that was read back.
 */
static struct maybe services_screen_longest(const struct screen *s)
{
	const struct service_room *room = room_of(s);
	struct maybe ns = { 0, false };

	for (unsigned i = 0; room && i < room->count; i++) {
		const struct record_service *r = &room->done[i];

		ns.known |= r->calls && r->others;
		if (r->stops)
			ns.value = arith_max(ns.value, r->longest_ns.value);
	}
	return ns;
}

static void services_screen_number(const struct screen *s, struct text *t)
{
	struct maybe ns = services_screen_longest(s);

	if (ns.known && !ns.value)
		text_add(t, "none");
	else
		text_maybe_duration(t, ns);
}

static void draw_service(struct screen *s, const struct screen_area *a, unsigned line,
			 const struct record_service *r)
{
	TEXT_DEFINE(own, LENGTH_COLUMNS);
	TEXT_DEFINE(others, 40);

	screen_print(s, a, 0, line, INK_TEXT, "%s", r->service);
	if (!r->calls) {
		screen_print(s, a, NAME_COLUMNS, line, INK_FAINT, "n/a: %s", r->why);
		return;
	}
	text_duration(&own, r->max_ns.value);
	if (r->stops) {
		text_add(&others, "stops %u of %u, ", (unsigned)r->stopped, (unsigned)r->others);
		text_duration(&others, r->longest_ns.value);
	} else {
		text_add(&others, "%s",
			 !r->others                   ? "n/a"
			 : service_record_has_smis(r) ? "SMIs, none was seen stopped"
						      : "its own core only");
	}
	screen_print(s, a, NAME_COLUMNS, line, INK_BRIGHT, "%s", own.buf);
	screen_print(s, a, NAME_COLUMNS + LENGTH_COLUMNS, line, r->stops ? INK_BAD : INK_FAINT,
		     "%s", others.buf);
}

/* Draw services that stop other cores first: there may be no room for all. */
static void services_screen_cores(struct screen *s, struct screen_area area)
{
	const struct service_room *room = room_of(s);
	unsigned line = 1;

	screen_print(s, &area, 0, 0, INK_FAINT, "SERVICE");
	screen_print(s, &area, NAME_COLUMNS, 0, INK_FAINT, "LONGEST");
	screen_print(s, &area, NAME_COLUMNS + LENGTH_COLUMNS, 0, INK_FAINT, "OTHER CORES");
	for (unsigned stops = 2; stops-- > 0;)
		for (unsigned i = 0; room && i < room->count && line < area.height; i++)
			if (room->done[i].stops == stops)
				draw_service(s, &area, line++, &room->done[i]);
}

const struct screen_mode screen_mode_services = {
	.counts = "service",
	.heading = "LONGEST STOP OF OTHERS",
	.result = "LONGEST STOP OF OTHERS",
	.named = "longest stop of others ",
	.number = services_screen_number,
	.limit = LIMIT_MAX,
	.value = services_screen_longest,
	.cores = services_screen_cores,
};
