/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor hunt`: which BIOS setting changed which rate. */
#include "hunt_folder.h"
#include "hunt_forms.h"

#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"

#include <stdio.h>
#include <stdlib.h>

static struct options {
	const char *stage;
	uint64_t plan; /* runs; 0: none is wanted */
	struct form_choice form;
} options;

static const struct {
	const char *name, *unit;
	double scale;
} rates[HUNT_CAUSE] = {
	[HUNT_SMI] = { "SMIs", "/s", 1 },
	[HUNT_GAPS] = { "gaps", "/s", 1 },
	[HUNT_NOISE] = { "noise", "ppm", 1e-3 }, /* of ns per second */
};

unsigned hunt_rates(const struct hunt *h)
{
	return HUNT_TIMES + (unsigned)h->times;
}

const char *hunt_rate_name(const struct hunt *h, unsigned rate)
{
	if (rate >= HUNT_TIMES)
		return h->time[rate - HUNT_TIMES].name;
	return rate < HUNT_CAUSE ? rates[rate].name : cause_name((enum cause)(rate - HUNT_CAUSE));
}

double hunt_rate_scale(unsigned rate)
{
	return rate < HUNT_CAUSE ? rates[rate].scale : 1;
}

const char *hunt_rate_unit(unsigned rate)
{
	if (rate >= HUNT_TIMES)
		return " ns";
	return rate < HUNT_CAUSE ? rates[rate].unit : "/s";
}

double hunt_weight(const struct hunt *h, size_t run, unsigned rate)
{
	return rate < HUNT_TIMES ? h->run[run].seconds : 1;
}

double hunt_rate(const struct hunt *h, size_t run, unsigned rate)
{
	return h->run[run].value[rate] / hunt_weight(h, run, rate);
}

static bool hunt(struct hunt *h, const char *path)
{
	struct hunt_tests tests;
	struct hunt_plan plan;

	if (!hunt_folder_read(h, path, options.stage))
		return false;
	if (!hunt_settings_find(h)) {
		fprintf(stderr, "hunt: %s: more than %d changes that differ\n",
			text_sanitize_name(path), HUNT_CHANGES_MAX);
		return false;
	}
	hunt_tests_run(&tests, h);
	hunt_plan_deal(&plan, h, options.plan);
	(options.form.form == FORM_JSON ? hunt_print_json : hunt_print_text)(h, &tests, &plan);
	hunt_plan_free(&plan);
	free(tests.at);
	return true;
}

static int run(int count, char **paths)
{
	int code = EXIT_ERROR;
	struct hunt h;

	(void)count;
	if (hunt(&h, paths[0]))
		code = h.left_out ? EXIT_INCOMPLETE : EXIT_PASS;
	hunt_free(&h);
	return code;
}

static const struct options_row rows[] = {
	OPTIONS_STAGE(struct options, stage, "the stage; by default the last on the ladder"),
	{ "plan", "RUNS", "print so many next runs in an order dealt by lot, not only the next",
	  options_count, offsetof(struct options, plan), .most = HUNT_RUNS_MAX },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand hunt_subcommand = {
	.name = "hunt",
	.run = run,
	.summary = "which BIOS setting changed what, from runs with several",
	.arguments = "DIR",
	.least = 1,
	.most = 1,
	.about = "Compares runs of one machine, NAME.jsonl, .nf or .log, each with the BIOS dump "
		 "of its start beside it, NAME.bios.json, as `advise --bios` reads. Reports which "
		 "settings changed which rates or times of work, those that always changed "
		 "together, and what to "
		 "measure next.",
	.exit_code = "0, 2 error, 3 files were left out.",
	.rows = rows,
	.options = &options,
};
