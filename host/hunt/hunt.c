/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor hunt`: which BIOS setting changed which rate. */
#include "hunt.h"

#include "host/findings/finding.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVEL        0.01 /* chance of any false finding, over all tests */
#define PLAN_DEFAULT 12   /* runs, if something is left open: the fewest that can prove anything */

static struct options {
	const char *stage;
	uint64_t plan; /* runs; 0: none is wanted */
	struct form_choice form;
} options;

/* ---- Each change against the logarithms of each rate ---- */

struct tests {
	struct shuffle of;         /* x: a change; y: a rate */
	unsigned rate[HUNT_RATES]; /* rate of each y */
	size_t rates;
};

static bool is_compared(const struct hunt *h, unsigned rate)
{
	bool differs = false;

	for (size_t r = 0; r < h->runs; r++) {
		if (rate == HUNT_SMI && !h->run[r].has_smi)
			return false;
		differs |= h->run[r].value[rate] * h->run[0].seconds !=
			   h->run[0].value[rate] * h->run[r].seconds;
	}
	return differs;
}

/* Take logarithms. Zero has none, so half of the least value of any run is used instead. */
static void logarithms(const struct hunt *h, unsigned rate, double *y)
{
	double least = rate == HUNT_NOISE ? INFINITY : 1; /* others are counts */

	for (size_t r = 0; r < h->runs; r++)
		if (h->run[r].value[rate] > 0)
			least = fmin(least, h->run[r].value[rate]);
	for (size_t r = 0; r < h->runs; r++) {
		double value = h->run[r].value[rate];

		y[r] = log((value > 0 ? value : least / 2) / h->run[r].seconds);
	}
}

/* Values of one setting exclude each other. */
static bool joins(const void *ctx, size_t x, size_t other)
{
	const struct hunt *h = ctx;
	const struct hunt_change *a = &h->change[x], *b = &h->change[other];

	for (size_t i = 0; i < a->settings; i++)
		for (size_t k = 0; k < b->settings; k++)
			if (a->setting[i] == b->setting[k])
				return false;
	return true;
}

static void run_tests(struct tests *tests, const struct hunt *h)
{
	double *x = memory_new(h->changes * h->runs, sizeof(*x));
	double *y = memory_new(HUNT_RATES * h->runs, sizeof(*y));

	*tests = (struct tests){ .rates = 0 };
	for (size_t c = 0; c < h->changes; c++)
		for (size_t r = 0; r < h->runs; r++)
			x[c * h->runs + r] = h->change[c].on[r];
	tests->of = (struct shuffle){
		h->runs, h->ordered ? h->order : NULL, x, y, h->changes, LEVEL, joins, h, NULL, 0
	};
	for (unsigned rate = 0; rate < HUNT_RATES; rate++) {
		if (!is_compared(h, rate))
			continue;
		logarithms(h, rate, y + tests->rates * h->runs);
		for (size_t c = 0; c < h->changes; c++)
			*MEMORY_ADD(tests->of.test, tests->of.tests) =
				(struct shuffle_test){ .x = c, .y = tests->rates };
		tests->rate[tests->rates++] = rate;
	}
	shuffle_judge(&tests->of);
}

/* ---- Tests as findings ---- */

static const char *name_of(unsigned rate)
{
	static const char *const names[HUNT_CAUSE] = { "SMIs", "gaps", "noise" };

	return rate < HUNT_CAUSE ? names[rate] : cause_name((enum cause)(rate - HUNT_CAUSE));
}

/* The rate of the runs where the change is on, or is not. */
static struct finding_side side_of(const struct hunt *h, size_t change, unsigned rate, bool on)
{
	double value = 0, weight = 0;

	for (size_t r = 0; r < h->runs; r++) {
		if (h->change[change].on[r] != on)
			continue;
		value += h->run[r].value[rate];
		weight += h->run[r].seconds;
	}
	/* Noise, in ns per second, is printed as ppm. */
	return (struct finding_side){ .known = true,
				      .value = value / weight * (rate == HUNT_NOISE ? 1e-3 : 1) };
}

static void hunt_judge(struct finding *f, const struct shuffle_test *t, bool together)
{
	static const char *const whys[] = {
		[SHUFFLE_NOTHING] = "",
		[SHUFFLE_FOUND] = "",
		[SHUFFLE_IN_DOUBT] = "other changes explain it as well",
		[SHUFFLE_BY_ORDER] = "the order of the runs explains it as well",
		[SHUFFLE_TOO_FEW] = "so few runs may differ by chance",
	};

	f->log10_p = log10(t->chance);
	if (t->outcome == SHUFFLE_FOUND)
		f->change = t->slope < 0 ? FINDING_LESS : FINDING_MORE;
	else if (t->outcome == SHUFFLE_NOTHING)
		f->change = FINDING_SAME;
	snprintf(f->why, sizeof(f->why), "%s",
		 t->outcome == SHUFFLE_FOUND && together ? "by one or more of these"
							 : whys[t->outcome]);
}

/* The tests of a change; `factors` have by how much each rate is multiplied. */
static struct findings findings_of(const struct hunt *h, const struct tests *tests, size_t change,
				   double *factors)
{
	struct findings f = { .stage = h->stage, .what = "RATE", .bounds = "" };

	for (size_t i = 0; i < tests->of.tests; i++) {
		const struct shuffle_test *t = &tests->of.test[i];
		unsigned rate = tests->rate[t->y];
		struct finding *new;

		if (t->x != change)
			continue;
		factors[f.count] = exp(t->slope);
		new = findings_add(&f, rate == HUNT_NOISE ? FINDING_PPM : FINDING_RATE, "%s",
				   name_of(rate));
		new->side[0] = side_of(h, change, rate, false);
		new->side[1] = side_of(h, change, rate, true);
		hunt_judge(new, t, h->change[change].settings > 1);
	}
	return f;
}

/* ---- Text ---- */

/* A setting's value in the runs where the change is on, or is not. */
static const char *value_of(const struct hunt *h, size_t change, size_t setting, bool on)
{
	const struct hunt_change *c = &h->change[change];
	const struct hunt_setting *s = &h->setting[setting];
	size_t run = on ? c->first_on : 0;

	for (size_t r = 0; r < h->runs; r++)
		if (c->on[r] == on && s->same[r] != s->same[run])
			return "others";
	return *s->value[run] ? s->value[run] : "\"\"";
}

static void print_change(const struct hunt *h, const struct tests *tests, size_t change)
{
	const struct hunt_change *c = &h->change[change];
	double factors[HUNT_RATES];
	struct findings f = findings_of(h, tests, change, factors);
	char head[2][24], name[37], off[17], on[17];
	size_t runs = 0;

	for (size_t i = 0; i < c->settings; i++) {
		text_sanitize_ascii(name, sizeof(name), h->setting[c->setting[i]].name);
		text_sanitize_ascii(off, sizeof(off), value_of(h, change, c->setting[i], false));
		text_sanitize_ascii(on, sizeof(on), value_of(h, change, c->setting[i], true));
		printf("%s: %s -> %s\n", name, off, on);
	}
	if (c->settings > 1)
		puts("  always changed together: nothing is attributed to any of them");
	for (size_t r = 0; r < h->runs; r++)
		runs += c->on[r];
	snprintf(head[0], sizeof(head[0]), "IN %zu RUNS", h->runs - runs);
	snprintf(head[1], sizeof(head[1]), "IN %zu RUNS", runs);
	f.side[0] = head[0];
	f.side[1] = head[1];
	findings_text(&f);
	findings_free(&f);
}

static void print_spreads(const struct tests *tests)
{
	if (tests->rates)
		puts("runs with equal settings differ by:");
	for (size_t y = 0; y < tests->rates; y++) {
		size_t freedom;
		double spread = shuffle_spread(&tests->of, y, &freedom);

		printf("  %s: ", name_of(tests->rate[y]));
		if (!freedom) {
			puts("n/a: no runs to spare");
			continue;
		}
		printf("%.2g %%, %zu degrees of freedom\n", expm1(spread) * 100, freedom);
	}
}

static void print_plan(const struct hunt *h, const size_t *plan, size_t runs)
{
	if (!h->settings)
		puts("next: change a setting: all runs have the same");
	else
		printf("next: %zu runs, in this order, dealt by lot\n", runs);
	for (size_t r = 0; h->settings && r < runs; r++) {
		for (size_t i = 0; i < h->settings; i++) {
			const char *of = h->setting[i].value[plan[i * runs + r]];
			char name[37], value[38];

			text_sanitize_ascii(name, sizeof(name), h->setting[i].name);
			text_sanitize_ascii(value, sizeof(value), *of ? of : "\"\"");
			if (i)
				printf("       %s: %s\n", name, value);
			else
				printf("  %3zu. %s: %s\n", r + 1, name, value);
		}
	}
}

static void print_text(const struct hunt *h, const struct tests *tests, const size_t *plan,
		       size_t planned)
{
	size_t found = 0;

	printf("%zu runs of %s, stage %s\n", h->runs, *h->machine ? h->machine : "n/a", h->stage);
	printf("%zu settings changed, %zu did not", h->settings, h->unchanged);
	if (h->unknown)
		printf(", %zu not in all dumps", h->unknown);
	if (h->always)
		printf(", %zu another in each run", h->always);
	putchar('\n');
	if (!h->ordered)
		puts("when the runs began is not known: a drift is not noticed");
	for (size_t i = 0; i < h->changes; i++)
		print_change(h, tests, i);
	for (size_t i = 0; i < tests->of.tests; i++)
		found += tests->of.test[i].outcome == SHUFFLE_FOUND;
	printf("found in %zu tests, the chance of any false one below %g: %zu\n", tests->of.tests,
	       LEVEL, found);
	print_spreads(tests);
	if (planned)
		print_plan(h, plan, planned);
}

/* ---- JSON ---- */

static json_t *json_change(const struct hunt *h, const struct tests *tests, size_t change)
{
	const struct hunt_change *c = &h->change[change];
	double factors[HUNT_RATES];
	struct findings f = findings_of(h, tests, change, factors);
	json_t *list = json_array();

	findings_json(&f, list);
	for (size_t i = 0; i < f.count; i++)
		json_object_set_new(json_array_get(list, i), "factor",
				    isnan(factors[i]) ? json_null() : json_real(factors[i]));
	findings_free(&f);
	return json_pack("{s:o,s:o,s:o}", "settings",
			 JSON_ARRAY(i, i < c->settings, json_name(h->setting[c->setting[i]].name)),
			 "on", JSON_ARRAY(r, r < h->runs, json_boolean(c->on[r])), "findings",
			 list);
}

static json_t *json_spread(const struct tests *tests, size_t y)
{
	size_t freedom;
	double spread = shuffle_spread(&tests->of, y, &freedom);

	return json_pack("{s:s,s:o,s:I}", "rate", name_of(tests->rate[y]), "spread",
			 freedom ? json_real(spread) : json_null(), "freedom", (json_int_t)freedom);
}

static json_t *json_planned(const struct hunt *h, const size_t *plan, size_t planned, size_t run)
{
	json_t *values = json_object();

	for (size_t i = 0; i < h->settings; i++)
		json_object_set_new(values, h->setting[i].name,
				    json_name(h->setting[i].value[plan[i * planned + run]]));
	return values;
}

static json_t *json_setting(const struct hunt *h, const struct hunt_setting *s)
{
	return json_pack("{s:o,s:o}", "name", json_name(s->name), "values",
			 JSON_ARRAY(r, r < h->runs, json_name(s->value[r])));
}

static void print_json(const struct hunt *h, const struct tests *tests, const size_t *plan,
		       size_t planned)
{
	json_print("hunt/1",
		   json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:b,s:f,s:o,s:o,s:o,s:o,s:o}", "machine",
			     *h->machine ? json_name(h->machine) : json_null(), "stage",
			     json_name(h->stage), "threshold_ns", (json_int_t)h->threshold_ns,
			     "left_out", (json_int_t)h->left_out, "unchanged",
			     (json_int_t)h->unchanged, "not_in_all", (json_int_t)h->unknown,
			     "another_in_each", (json_int_t)h->always, "order_known", h->ordered,
			     "level", LEVEL, "runs",
			     JSON_ARRAY(i, i < h->runs,
					json_pack("{s:o,s:o}", "name", json_name(h->run[i].name),
						  "sid", json_sid(h->run[i].sid))),
			     "settings",
			     JSON_ARRAY(i, i < h->settings, json_setting(h, &h->setting[i])),
			     "changes", JSON_ARRAY(i, i < h->changes, json_change(h, tests, i)),
			     "spreads", JSON_ARRAY(y, y < tests->rates, json_spread(tests, y)),
			     "plan", JSON_ARRAY(r, r < planned, json_planned(h, plan, planned, r))),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* ---- The subcommand ---- */

static void hunt_print(const struct hunt *h)
{
	struct tests tests;
	bool open = !h->settings;
	size_t planned, *plan;

	run_tests(&tests, h);
	for (size_t i = 0; i < tests.of.tests; i++) {
		const struct shuffle_test *t = &tests.of.test[i];

		open = open || t->outcome > SHUFFLE_FOUND ||
		       (t->outcome == SHUFFLE_FOUND && h->change[t->x].settings > 1);
	}
	planned = options.plan || !open ? options.plan : PLAN_DEFAULT;
	plan = hunt_plan(h, planned);
	(options.form.form == FORM_JSON ? print_json : print_text)(h, &tests, plan, planned);
	free(plan);
	free((void *)tests.of.x);
	free((void *)tests.of.y);
	free(tests.of.test);
}

static int hunt_run_files(int count, char **paths)
{
	int code = EXIT_ERROR;
	struct hunt h;

	(void)count;
	if (hunt_read(&h, paths[0], options.stage)) {
		hunt_print(&h);
		code = h.left_out ? EXIT_INCOMPLETE : EXIT_PASS;
	}
	hunt_free(&h);
	return code;
}

static const struct options_row rows[] = {
	OPTIONS_STAGE(struct options, stage, "the stage; by default the last on the ladder"),
	{ "plan", "RUNS", "deal so many next runs by lot; 12 if anything is left open, else none",
	  options_count, offsetof(struct options, plan), .most = HUNT_RUNS_MAX },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand hunt_subcommand = {
	.name = "hunt",
	.run = hunt_run_files,
	.summary = "which BIOS setting changed what, from runs with several",
	.arguments = "DIR",
	.least = 1,
	.most = 1,
	.about = "Compares runs of one machine, NAME.jsonl, .nf or .log, each with the BIOS dump "
		 "of its start beside it, NAME.bios.json, as `advise --bios` reads. Reports which "
		 "settings changed which rates, those that always changed together, and what to "
		 "measure next.",
	.exit_code = "0, 2 error, 3 files were left out.",
	.rows = rows,
	.options = &options,
};
