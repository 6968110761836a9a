/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of changes and rates; what was found, what was confounded, what to do next. */
#include "hunt_forms.h"

#include "host/lib/columns.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL   64
#define HEADS  2
#define COLUMN (HEADS + HUNT_RATES_MAX)
#define LISTED 16 /* settings of one change; the rest is counted */

/* The runs where a change is on, or those where it is not. */
struct side {
	const struct hunt *h;
	size_t change;
	bool on;
};

static bool is_of(const struct side *side, size_t run)
{
	return side->h->change[side->change].on[run] == side->on;
}

/* A setting's value there, in at most `width` bytes of ASCII. */
static const char *value_text(const struct side *side, size_t setting, char *buf, size_t width)
{
	const struct hunt_setting *s = &side->h->setting[setting];
	size_t run = side->on ? side->h->change[side->change].first_on : 0;
	bool alone = true;

	for (size_t r = 0; r < side->h->runs; r++)
		alone = alone && (!is_of(side, r) || s->same[r] == s->same[run]);
	text_sanitize_ascii(buf, width + 1,
			    !alone           ? "others"
			    : *s->value[run] ? s->value[run]
					     : "\"\"");
	return buf;
}

static void print_setting(const struct hunt *h, size_t change, size_t setting)
{
	const struct side without = { h, change, false }, with = { h, change, true };
	char name[37], off[17], on[17];

	text_sanitize_ascii(name, sizeof(name), h->setting[setting].name);
	printf("    %s: %s -> %s\n", name, value_text(&without, setting, off, 16),
	       value_text(&with, setting, on, 16));
}

static void print_settings(const struct hunt *h, size_t change, size_t count)
{
	for (size_t i = 0; i < count && i < LISTED; i++)
		print_setting(h, change, h->change[change].setting[i]);
	if (count > LISTED)
		printf("    and %zu more\n", count - LISTED);
}

/* ---- The table ---- */

static const struct hunt_test *test_of(const struct hunt_tests *tests, size_t change, unsigned rate)
{
	for (size_t i = 0; i < tests->count; i++)
		if (tests->at[i].change == change && tests->at[i].rate == rate)
			return &tests->at[i];
	return NULL;
}

static bool is_known(const struct hunt *h, unsigned rate)
{
	for (size_t r = 0; r < h->runs; r++)
		if (!h->run[r].known[rate])
			return false;
	return true;
}

/* Causes that were not seen have no column. */
static bool has_column(const struct hunt *h, unsigned rate)
{
	bool seen = rate < HUNT_CAUSE && h->run[0].seconds > 0;

	for (size_t r = 0; r < h->runs; r++)
		seen = seen || h->run[r].value[rate] > 0;
	return seen;
}

static void set_head(const struct hunt *h, const char **cell)
{
	static const char *const heads[] = { "SMI/s", "GAPS/s", "NOISE(ppm)" };

	cell[0] = "SETTING: VALUE";
	cell[1] = "RUNS";
	for (unsigned rate = 0; rate < hunt_rates(h); rate++)
		if (has_column(h, rate))
			cell[HEADS + rate] = rate < HUNT_CAUSE ? heads[rate]
							       : hunt_rate_name(h, rate);
}

/* Four digits, and no exponent for realistic values. */
static const char *rate_text(const struct side *s, unsigned rate, char buf[CELL])
{
	double value = hunt_tests_rate(s->h, s->change, rate, s->on) * hunt_rate_scale(rate);

	snprintf(buf, CELL, value >= 1000 && value < 1e15 ? "%.0f" : "%.4g", value);
	return buf;
}

static void set_rate(const struct side *s, const struct hunt_tests *tests, unsigned rate,
		     char cell[CELL])
{
	const struct hunt_test *t = test_of(tests, s->change, rate);
	char buf[CELL];
	const char *mark = !t || !s->on || !t->found              ? " "
			   : s->h->change[s->change].settings > 1 ? "?"
								  : "*";

	if (!is_known(s->h, rate))
		snprintf(cell, CELL, "n/a ");
	else
		snprintf(cell, CELL, "%.40s%s", rate_text(s, rate, buf), mark);
}

static void set_row(const struct side *s, const struct hunt_tests *tests, char (*cell)[CELL])
{
	const struct hunt *h = s->h;
	const struct hunt_change *c = &h->change[s->change];
	char name[21], value[17], more[24] = "";
	size_t runs = 0;

	for (size_t r = 0; r < h->runs; r++)
		runs += is_of(s, r);
	text_sanitize_ascii(name, sizeof(name), h->setting[c->setting[0]].name);
	value_text(s, c->setting[0], value, 14);
	if (c->settings > 1)
		snprintf(more, sizeof(more), " +%zu", c->settings - 1);
	snprintf(cell[0], CELL, "%s%s: %s", name, more, value);
	snprintf(cell[1], CELL, "%zu", runs);
	for (unsigned rate = 0; rate < hunt_rates(h); rate++)
		set_rate(s, tests, rate, cell[HEADS + rate]);
}

static void print_table(const struct hunt *h, const struct hunt_tests *tests)
{
	size_t rows = 2 * h->changes;
	const char **cell = memory_new((1 + rows) * COLUMN, sizeof(*cell));
	char(*text)[CELL] = memory_new(rows * COLUMN, sizeof(*text));

	set_head(h, cell);
	for (size_t n = 0; n < rows; n++) {
		set_row(&(struct side){ h, n / 2, n % 2 }, tests, &text[n * COLUMN]);
		for (size_t i = 0; i < COLUMN; i++)
			cell[(1 + n) * COLUMN + i] = text[n * COLUMN + i];
	}
	columns_print(cell, 1 + rows, COLUMN, "lr");
	free(cell);
	free(text);
}

/* ---- Sentences ---- */

static void print_test(const struct hunt *h, const struct hunt_test *t)
{
	const struct side without = { h, t->change, false }, with = { h, t->change, true };
	size_t settings = h->change[t->change].settings;
	char off[CELL], on[CELL];

	printf("  %s: ", hunt_rate_name(h, t->rate));
	if (t->fit.possible)
		printf("%.4g times, ", t->fit.factor);
	printf("%s to %s%s, p %.2g%s\n", rate_text(&without, t->rate, off),
	       rate_text(&with, t->rate, on), hunt_rate_unit(t->rate), t->adjusted,
	       settings > 1 ? ", by one or more of" : "");
	print_settings(h, t->change, settings);
}

static bool is_found(const struct hunt_test *t)
{
	return t->found;
}

static bool is_too_few(const struct hunt_test *t)
{
	return t->too_few;
}

static bool is_in_doubt(const struct hunt_test *t)
{
	return t->in_doubt && !t->by_order;
}

static bool is_by_order(const struct hunt_test *t)
{
	return t->by_order;
}

/* Below a heading; false: there are none. */
static bool print_those(const struct hunt *h, const struct hunt_tests *tests,
			bool (*is)(const struct hunt_test *t), const char *heading)
{
	bool any = false;

	for (size_t i = 0; i < tests->count; i++) {
		if (!is(&tests->at[i]))
			continue;
		if (!any)
			puts(heading);
		any = true;
		print_test(h, &tests->at[i]);
	}
	return any;
}

static void print_tests(const struct hunt *h, const struct hunt_tests *tests)
{
	printf("found in %zu tests, the chance of any false one below %g:", tests->count,
	       HUNT_LEVEL);
	if (!print_those(h, tests, is_found, ""))
		puts(" nothing");
	print_those(h, tests, is_too_few,
		    "more than counts explain, but in so few runs it may be chance:");
	print_those(h, tests, is_in_doubt, "not attributed, as other changes explain it as well:");
	print_those(h, tests, is_by_order,
		    "not attributed, as the order of the runs explains it as well:");
}

static void print_together(const struct hunt *h)
{
	for (size_t i = 0; i < h->changes; i++) {
		if (h->change[i].settings < 2)
			continue;
		puts("always changed together, so that nothing is attributed to any of them:");
		print_settings(h, i, h->change[i].settings);
	}
}

/* The last test of the rate: with all that was found. */
static void print_spread(const struct hunt *h, const struct hunt_tests *tests, unsigned rate)
{
	const struct hunt_fit *f = NULL;

	for (size_t i = 0; i < tests->count; i++)
		if (tests->at[i].rate == rate && tests->at[i].fit.possible)
			f = &tests->at[i].fit;
	if (!f)
		return;
	printf("  %s: ", hunt_rate_name(h, rate));
	if (!f->freedom) {
		puts("n/a: no runs to spare");
		return;
	}
	printf("%.2g %%", expm1(f->spread) * 100);
	if (f->expected > 0)
		printf(", by chance alone %.2g %%", expm1(f->expected) * 100);
	printf(", %zu degrees of freedom\n", f->freedom);
}

static void print_spreads(const struct hunt *h, const struct hunt_tests *tests)
{
	if (tests->count)
		puts("runs with equal settings differ by:");
	for (unsigned rate = 0; rate < hunt_rates(h); rate++)
		print_spread(h, tests, rate);
}

static void print_next(const struct hunt *h, const struct hunt_tests *tests)
{
	const struct hunt_advice a = hunt_tests_next(tests, h);

	if (a.next == HUNT_NEXT_NONE)
		return;
	if (a.next == HUNT_NEXT_AGAIN) {
		printf("next: once more with the settings of %s, for %s and\n",
		       h->run[a.again].name, hunt_rate_name(h, a.test->rate));
		print_setting(h, a.test->change, h->change[a.test->change].setting[0]);
		return;
	}
	printf("next: the settings of %s, but as in %s\n", h->run[0].name, h->run[a.on].name);
	print_settings(h, a.test->change, a.settings);
}

static void print_source(const struct hunt *h)
{
	printf("%zu runs of %s, stage %s\n", h->runs, *h->machine ? h->machine : "n/a", h->stage);
	printf("%zu settings changed, %zu did not", h->settings, h->unchanged);
	if (h->unknown)
		printf(", %zu not in all dumps", h->unknown);
	if (h->always)
		printf(", %zu another in each run", h->always);
	putchar('\n');
	if (!h->order)
		puts("when the runs began is not known: a drift is not noticed");
}

static void print_plan(const struct hunt *h, const struct hunt_plan *plan)
{
	char name[37], value[38];

	if (!h->settings) {
		puts("next: change a setting: all runs have the same");
		return;
	}
	printf("next: %zu runs, in this order, dealt by lot\n", plan->runs);
	for (size_t r = 0; r < plan->runs; r++) {
		printf("  %zu.\n", r + 1);
		for (size_t i = 0; i < h->settings; i++) {
			const char *of = hunt_plan_value(plan, h, r, i);

			text_sanitize_ascii(name, sizeof(name), h->setting[i].name);
			text_sanitize_ascii(value, sizeof(value), *of ? of : "\"\"");
			printf("    %s: %s\n", name, value);
		}
	}
}

void hunt_print_text(const struct hunt *h, const struct hunt_tests *tests,
		     const struct hunt_plan *plan)
{
	print_source(h);
	if (h->changes)
		print_table(h, tests);
	print_tests(h, tests);
	print_together(h);
	print_spreads(h, tests);
	if (plan->runs)
		print_plan(h, plan);
	else
		print_next(h, tests);
}
