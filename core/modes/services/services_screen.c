/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the longest stop of other cores, and a sentence for each service. */
#include "service_room.h"

#include "core/kinds/service/service_record.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/screen/screen_mode.h"

/*
 * The longest stop of other cores by any service, ns; 0: there was none. Unknown if no service was
 * called while others sampled.
 */
static struct maybe services_screen_longest(const struct report *r)
{
	const struct service_room *room = r->platform->services;
	struct maybe ns = { 0, false };

	for (unsigned i = 0; i < room->count; i++) {
		const struct record_service *done = &room->done[i];

		ns.known |= done->calls && done->others;
		if (done->stops)
			ns.value = arith_max(ns.value, done->longest_ns.value);
	}
	return ns;
}

static void services_screen_number(const struct report *r, struct text *t)
{
	struct maybe ns = services_screen_longest(r);

	if (ns.known && !ns.value)
		text_add(t, "none");
	else
		text_maybe_duration(t, ns);
}

/* Services that stop other cores come first: there may be no room for all. */
static void services_screen_lines(const struct report *r, struct lines *out)
{
	const struct service_room *room = r->platform->services;

	for (unsigned stops = 2; stops-- > 0;)
		for (unsigned i = 0; i < room->count; i++) {
			if (room->done[i].stops != stops)
				continue;
			service_record_sentence(&out->out, &room->done[i]);
			lines_wrap(out, LINES_CONTINUED);
		}
}

const struct screen_mode screen_mode_services = {
	.counts = "service",
	.heading = "LONGEST STOP OF OTHERS",
	.named = "longest stop of others ",
	.number = services_screen_number,
	.limit = LIMIT_MAX,
	.value = services_screen_longest,
	.lines = services_screen_lines,
};
