/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of fixed width: they are printed as they come. */
#include "table_events.h"

#include "core/lib/arith.h"

static const char *const scope_words[SCOPES] = {
	[SCOPE_CPU] = "on one cpu",       [SCOPE_CORE] = "of a core",
	[SCOPE_PACKAGE] = "of a package", [SCOPE_MACHINE] = "of the machine",
	[SCOPE_UNKNOWN] = "of scope n/a",
};

void table_event_scopes(struct text *out, const uint64_t scope[SCOPES])
{
	const char *before = ": ";

	for (unsigned s = 0; s < SCOPES; s++) {
		if (!scope[s])
			continue;
		text_add(out, "%s%llu %s", before, (unsigned long long)scope[s], scope_words[s]);
		before = ", ";
	}
}

void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, table_line *line,
		  void *ctx)
{
	struct table_page p;

	table_page_init(&p, line, ctx);
	text_add(&p.out, "%llu %s", (unsigned long long)events, events == 1 ? "event" : "events");
	if (scope)
		table_event_scopes(&p.out, scope);
	if (listed && listed < events)
		text_add(&p.out, "; the %u longest:", listed);
	else if (listed)
		text_char(&p.out, ':');
	table_end_prose(&p, TABLE_CONTINUED);
}

void table_event_head(struct text *out)
{
	text_add(out,
		 "     TIME(s)    LENGTH(us)   CPUS  SCOPE     CAUSE    FIRST   LAST    SKEW(us)");
}

static void add_us(struct text *out, uint64_t ns, unsigned width)
{
	text_fixed(out, arith_rounded(ns, 100), 1, width);
}

/* A word that fills its column, with a mark behind it. */
static void add_marked(struct text *out, const char *word, bool mark, unsigned width)
{
	size_t from = out->len;

	text_add(out, "%s%s", word, mark ? "+" : "");
	while (out->len - from < width && !out->overflow)
		text_char(out, ' ');
}

void table_event(struct text *out, const struct record_event *e)
{
	text_fixed(out, arith_rounded(e->t_ns, 1000), 6, 12);
	text_add(out, "  ");
	add_us(out, e->len_ns, 12);
	text_add(out, "  %5u  ", e->cpus);
	add_marked(out, e->scope ? e->scope : "n/a", e->partial, 8);
	text_add(out, "  %-7s  %5u  %5u  ", e->cause, e->first, e->last);
	add_us(out, e->skew_ns, 10);
}

void table_source_head(struct text *out)
{
	text_add(out, "      PERIOD      JITTER   FILL(%%)    EVENTS  CAUSE    CHANCE     LIKELY");
}

#define CELL_MAX 32

/* A period to six digits: 64.0000 ms. */
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

/* 10 to the power of so many thousandths, rounded up: it is a bound. */
static void add_chance(struct text *out, int64_t thousandths)
{
	TEXT_DEFINE(cell, CELL_MAX);

	text_add(&cell, "1e%lld", (long long)(thousandths / 1000));
	text_add(out, "%-9s", cell.buf);
}

void table_source(struct text *out, const struct record_source *s)
{
	const char *likely = s->origin ? s->origin : s->hint;

	add_period(out, s->period_ns);
	text_add(out, "  ");
	add_jitter(out, s->jitter_ns);
	text_add(out, "  ");
	text_fixed(out, s->fill_ppm / 100, 2, 8);
	text_add(out, "  %8llu  %-7s  ", (unsigned long long)s->events, s->cause);
	add_chance(out, s->chance_milli);
	text_add(out, "  %s", likely);
}

void table_pause(struct text *t, const struct record_pause *pause)
{
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
}
