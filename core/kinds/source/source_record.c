/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `source`. */
#include "core/lib/arith.h"
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#define HEAD "      PERIOD      JITTER   FILL(%)    EVENTS  CAUSE    CHANCE     LIKELY"

#define CELL_MAX 32

/* Append a period with six digits: 64.0000 ms. */
static void add_period(struct text *out, uint64_t ns)
{
	static const struct {
		uint64_t from, by;
		unsigned digits;
		const char *unit;
	} units[] = {
		{ 1000000000, 100000, 4, "s" },
		{ 1000000, 100, 4, "ms" },
		{ 0, 1, 3, "us" },
	};
	TEXT_DEFINE(cell, CELL_MAX);
	unsigned u = 0;

	while (ns < units[u].from)
		u++;
	text_fixed(&cell, arith_rounded(ns, units[u].by), units[u].digits, 0);
	text_add(&cell, " %s", units[u].unit);
	text_add(out, "%12s", cell.buf);
}

static void add_jitter(struct text *out, uint64_t ns)
{
	TEXT_DEFINE(cell, CELL_MAX);

	text_duration(&cell, ns);
	text_add(out, "%10s", cell.buf);
}

/* Append 10 to the power of `thousandths` / 1000, rounded up, as it is a bound. */
static void add_chance(struct text *out, int64_t thousandths)
{
	TEXT_DEFINE(cell, CELL_MAX);

	text_add(&cell, "1e%lld", (long long)(thousandths / 1000));
	text_add(out, "%-9s", cell.buf);
}

/*
 * FILL is the share of visible slots that have an event. CHANCE is an upper bound of the
 * probability that unrelated events look like this. LIKELY is the enabled timer, else a known cause
 * with this period, else n/a.
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_source *s = record;
	struct text *t = &out->out;
	const char *likely = s->origin ? s->origin : s->hint;

	(void)of;
	add_period(t, s->period_ns);
	text_add(t, "  ");
	add_jitter(t, s->jitter_ns);
	text_add(t, "  ");
	text_fixed(t, s->fill_ppm / 100, 2, 8);
	text_add(t, "  %8llu  %-7s  ", (unsigned long long)s->events, s->cause);
	add_chance(t, s->chance_milli);
	text_add(t, "  %s", likely);
	lines_end(out);
}

const struct record_kind source_record_kind = { .head = HEAD, .text = put_text, .printed = true };
