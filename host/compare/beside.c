/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding and a sentence per service. */
#include "beside.h"

#include "host/capture/service_records.h"
#include "host/lib/text_sanitize.h"

#include <string.h>

static const struct record_service *find(const struct result_stage *stage, const char *service)
{
	return stage ? service_records_find(service_records_of(stage), service) : NULL;
}

struct beside beside_at(const struct split_result *s, size_t n)
{
	const struct record_service *inside = &s->tool->service[n].record;

	return (struct beside){ find(s->floor->calls, inside->service), inside };
}

bool beside_is_whole(const struct beside *b)
{
	return b->inside->calls && b->below && b->below->calls;
}

bool beside_is_shown(const struct beside *b)
{
	return b->inside->calls || !b->below || b->below->calls;
}

/* ---- Sentences ---- */

static void put_missing(struct text *t, const struct beside *b)
{
	const struct record_service *of = b->inside->calls ? b->below : b->inside;

	text_add(t, "was not called %s", b->inside->calls ? "below the OS" : "from inside");
	if (of && of->why)
		text_add(t, ": %s", of->why);
}

/* fs/efivarfs/file.c of Linux, efivarfs_file_read(): its size first, then its value. */
static bool is_two_calls(const struct record_service *r)
{
	static const char head[] = "get_variable_";

	return r->service && strncmp(r->service, head, sizeof(head) - 1) == 0;
}

static void put_lengths(struct text *t, const struct beside *b)
{
	text_add(t, "takes ");
	text_duration(t, b->below->p50_ns.value);
	text_add(t, " below the OS, and ");
	text_duration(t, b->inside->p50_ns.value);
	text_add(t, " from inside%s (medians)", is_two_calls(b->inside) ? ", by two calls" : "");
	if (b->inside->failed)
		text_add(t, ", where %llu of %llu failed", (unsigned long long)b->inside->failed,
			 (unsigned long long)b->inside->calls);
}

static void put_stops(struct text *t, const struct beside *b)
{
	static const char useless[] = ": to confine it to a housekeeping core does not help";
	bool below = b->below->stops, inside = b->inside->stops;

	if (below)
		text_add(t, "firmware stops others%s%s",
			 inside ? ", from inside, too" : ", which was not seen from inside",
			 useless);
	else if (inside && b->below->others)
		text_add(t, "others are stopped from inside only, which is not firmware's doing");
	else if (inside)
		text_add(t, "others are stopped from inside; whether by firmware is not known");
	else if (b->below->others && b->inside->others)
		text_add(t, "no other core was seen to be stopped, on either side");
	else
		text_add(t, "whom it stops is not known: no other core sampled");
}

void beside_sentence(struct text *t, const struct beside *b)
{
	text_add(t, "%s ", b->inside->service ? b->inside->service : "n/a");
	if (!beside_is_whole(b)) {
		put_missing(t, b);
	} else {
		put_lengths(t, b);
		text_add(t, "; ");
		put_stops(t, b);
	}
	text_sanitize(t->buf);
}

/* ---- Findings ---- */

static struct finding_side median_of(const struct record_service *r)
{
	if (!r)
		return (struct finding_side){ .known = false };
	return (struct finding_side){ .known = r->calls && r->p50_ns.known,
				      .bounded = r->min_ns.known && r->max_ns.known,
				      .value = (double)r->p50_ns.value,
				      .low = (double)r->min_ns.value,
				      .high = (double)r->max_ns.value };
}

struct findings beside_findings(const struct split_result *s)
{
	struct findings f = { .stage = s->floor->stage_name,
			      .what = "MEDIAN OF A CALL",
			      .bounds = " (MIN-MAX)",
			      .side = { "BELOW", "INSIDE", "WHOSE IT IS" } };

	for (size_t i = 0; i < s->tool->services; i++) {
		const struct beside b = beside_at(s, i);
		struct finding *new;
		struct text t;

		if (!beside_is_shown(&b))
			continue;
		new = findings_add(&f, FINDING_NS, "%s", b.inside->service ?: "n/a");
		new->side[0] = median_of(b.below);
		new->side[1] = median_of(b.inside);
		new->change = FINDING_STATED;
		text_init(&t, new->why, sizeof(new->why));
		beside_sentence(&t, &b);
	}
	return f;
}
