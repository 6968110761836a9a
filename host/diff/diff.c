/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`: read two runs, refuse what cannot be compared, report what changed. */
#include "diff.h"
#include "host/lib/exit.h"
#include "host/program/form.h"
#include "host/capture/capture.h"
#include "host/subcommands.h"
#include "host/lib/text_sanitize.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define SPREAD_MOST 1000

static struct options {
	const char *stage, *before, *after;
	bool force;
	uint64_t spread; /* percent; 0: not stated */
	struct form_choice form;
} options;

/* May they be compared? If not, reports why. */
static bool is_allowed(struct diff_compared *c)
{
	diff_compared_check(c, options.stage);
	if (c->stages && (options.force || !c->unlikes))
		return true;
	for (size_t i = 0; i < c->unlikes; i++) {
		text_sanitize(c->unlike[i]);
		fprintf(stderr, "diff: the runs differ in %s\n", c->unlike[i]);
	}
	if (c->stages)
		fputs("diff: not compared; --force compares them anyway\n", stderr);
	else
		fputs("diff: not compared: the runs have no stage in common\n", stderr);
	return false;
}

static void (*const printers[FORMS])(const struct diff_compared *c) = {
	[FORM_TEXT] = diff_text,
	[FORM_JSON] = diff_json,
	[FORM_JUNIT] = diff_ci,
	[FORM_TAP] = diff_ci,
};

static bool prints(unsigned form)
{
	return printers[form];
}

static int compare(struct diff_compared *c)
{
	enum form form = options.form.form;
	int code;

	c->form = form;
	c->spread = log1p((double)options.spread / 100);
	if (!is_allowed(c)) {
		c->refused = true;
		if (form == FORM_JUNIT || form == FORM_TAP)
			printers[form](c);
		return EXIT_ERROR;
	}
	diff_compared_read(c);
	printers[form](c);
	code = c->outcome == OUTCOME_WORSE ? EXIT_FAIL : EXIT_PASS;
	code = exit_worst(code, capture_select_code(&c->before));
	return exit_worst(code, capture_select_code(&c->after));
}

static int run(int count, char **paths)
{
	static struct diff_compared c;
	int code = EXIT_ERROR;

	if (!capture_check("diff", count, (const char *const *)paths))
		return EXIT_ERROR;
	if (capture_select(&c.before, paths[0], options.before) &&
	    capture_select(&c.after, paths[1], options.after))
		code = compare(&c);
	diff_compared_free(&c);
	return code;
}

static const struct options_row rows[] = {
	{ "force", NULL,
	  "compare even if stages, cores or threshold differ, in the stages that both have",
	  options_flag, .offset = offsetof(struct options, force) },
	OPTIONS_STAGE(struct options, stage, "this stage only"),
	OPTIONS_SID(struct options, before, "before", "the run, if the file BEFORE has several"),
	OPTIONS_SID(struct options, after, "after", "the run, if the file AFTER has several"),
	{ "spread", "PERCENT",
	  "how much the rates of equal runs differ, as hunt finds it; a change is beyond that",
	  options_count, offsetof(struct options, spread), .most = SPREAD_MOST },
	OPTIONS_FORM(struct options, form, prints),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand diff_subcommand = {
	.name = "diff",
	.run = run,
	.summary = "what changed between two runs, and whether chance explains it",
	.arguments = "BEFORE AFTER",
	.least = 2,
	.reads_input = true,
	.most = 2,
	.about = "The effect of a change to the firmware or its settings: settings and identity "
		 "that differ, rates with their 95 % limits and a test, longest gaps, "
		 "sources that are gone or new. Runs can be compared if they have the same stages, "
		 "cores and threshold.",
	.exit_code =
		"0 no rate rose significantly and no source is new, 1 one did or is, 2 error, or "
		"runs that cannot be compared, 3 records are missing, and the rest is not worse.",
	.rows = rows,
	.options = &options,
};
