/* SPDX-License-Identifier: BSD-2-Clause */
/* Two rows and a sentence per service. */
#include "beside.h"

#include "host/capture/service_records.h"
#include "host/lib/columns.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 8
#define CELL    40

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

/* ---- Table ---- */

static void put_number(char cell[CELL], uint64_t value)
{
	snprintf(cell, CELL, "%llu", (unsigned long long)value);
}

static void put_duration(char cell[CELL], struct maybe ns)
{
	struct text t;

	text_init(&t, cell, CELL);
	text_maybe_duration(&t, ns);
}

static void put_stopped(char cell[CELL], const struct record_service *r)
{
	if (!r->others)
		snprintf(cell, CELL, "n/a");
	else if (!r->stops)
		snprintf(cell, CELL, "none");
	else
		snprintf(cell, CELL, "%u of %u", (unsigned)r->stopped, (unsigned)r->others);
}

static void put_row(char cell[COLUMNS][CELL], const char *service, const char *from,
		    const struct record_service *r)
{
	text_sanitize_copy(cell[0], CELL, service);
	snprintf(cell[1], CELL, "%s", from);
	snprintf(cell[2], CELL, "n/a");
	if (!r || !r->calls)
		return;
	put_number(cell[2], r->calls);
	put_number(cell[3], r->failed);
	put_duration(cell[4], r->p50_ns);
	put_duration(cell[5], r->p99_ns);
	put_duration(cell[6], r->max_ns);
	put_stopped(cell[7], r);
}

static void print_table(const struct split_result *s)
{
	static const char *const head[COLUMNS] = { "SERVICE", "FROM", "CALLS", "FAILED",
						   "MEDIAN",  "P99",  "MAX",   "STOPS" };
	size_t most = 2 * s->tool->services, rows = 0;
	char(*text)[COLUMNS][CELL] = memory_new(most, sizeof(*text));
	const char **cell = memory_new((most + 1) * COLUMNS, sizeof(*cell)), **at = cell;

	for (size_t i = 0; i < s->tool->services; i++) {
		const struct beside b = beside_at(s, i);
		const char *service = b.inside->service ? b.inside->service : "n/a";

		if (!beside_is_shown(&b))
			continue;
		put_row(text[rows++], service, "below", b.below);
		put_row(text[rows++], service, "inside", b.inside);
	}
	for (unsigned c = 0; c < COLUMNS; c++)
		*at++ = head[c];
	for (size_t n = 0; n < rows; n++)
		for (unsigned c = 0; c < COLUMNS; c++)
			*at++ = text[n][c];
	columns_print(cell, rows + 1, COLUMNS, "lr");
	free(cell);
	free(text);
}

void beside_print(const struct split_result *s)
{
	TEXT_DEFINE(t, 600);

	if (!s->tool->services)
		return;
	print_table(s);
	for (size_t i = 0; i < s->tool->services; i++) {
		const struct beside b = beside_at(s, i);

		text_reset(&t);
		beside_sentence(&t, &b);
		if (beside_is_shown(&b))
			printf("%s\n", t.buf);
	}
}
