/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`: read two runs, refuse what cannot be compared, report what changed. */
#include "diff_compared.h"
#include "diff_forms.h"
#include "diff_json.h"
#include "diff_text.h"
#include "host/lib/exit.h"
#include "host/lib/form.h"
#include "host/capture/capture.h"
#include "host/subcommands.h"
#include "host/lib/text_sanitize.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct options {
	const char *stage, *before, *after;
	bool force;
	struct form_choice form;
};

/* May they be compared? If not, reports why. */
static bool is_allowed(struct diff_compared *c, const struct options *o)
{
	diff_compared_check(c, o->stage);
	if (c->stages && (o->force || !c->unlikes))
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
	[FORM_TEXT] = diff_text, [FORM_JSON] = diff_json,     [FORM_JUNIT] = diff_junit,
	[FORM_TAP] = diff_tap,   [FORM_INFLUX] = diff_influx, [FORM_PROM] = diff_prom,
};

static bool prints(unsigned form)
{
	return printers[form];
}

static int compare(struct diff_compared *c, const struct options *o)
{
	int code;

	if (!is_allowed(c, o)) {
		c->refused = true;
		if (o->form.form == FORM_JUNIT || o->form.form == FORM_TAP)
			printers[o->form.form](c);
		return EXIT_ERROR;
	}
	diff_compared_read(c);
	printers[o->form.form](c);
	code = c->outcome == OUTCOME_WORSE ? EXIT_FAIL : EXIT_PASS;
	code = exit_worst(code, run_select_code(&c->before));
	return exit_worst(code, run_select_code(&c->after));
}

static int diff_files(const struct options *o, const char *before, const char *after)
{
	static struct diff_compared c;
	int code = EXIT_ERROR;

	memset(&c, 0, sizeof(c));
	if (run_select(&c.before, before, o->before) && run_select(&c.after, after, o->after))
		code = compare(&c, o);
	diff_compared_free(&c);
	return code;
}

static const struct options_row rows[] = {
	{ "force", NULL,
	  "compare even if stages, cores or threshold differ, in the stages that both have",
	  options_flag, .offset = offsetof(struct options, force) },
	OPTIONS_STAGE(struct options, stage, "this stage only"),
	OPTIONS_RUN(struct options, before, "before", "the run, if the file BEFORE has several"),
	OPTIONS_RUN(struct options, after, "after", "the run, if the file AFTER has several"),
	OPTIONS_FORM(struct options, form, prints),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand diff_subcommand = {
	.name = "diff",
	.main = diff_main,
	.summary = "what changed between two runs, and whether chance explains it",
	.arguments = "BEFORE AFTER",
	.least = 2,
	.most = 2,
	.about = "The effect of a change to the firmware or its settings: settings and identity "
		 "that differ, rates with their 95 % limits and an exact test, longest gaps, "
		 "sources that are gone or new. Runs can be compared if they have the same stages, "
		 "cores and threshold.",
	.exit_code =
		"0 no rate rose significantly and no source is new, 1 one did or is, 2 error, or "
		"runs that cannot be compared, 3 records are missing, and the rest is not worse.",
	.rows = rows,
};

int diff_main(int argc, char **argv)
{
	struct options o = { .stage = NULL };
	int code = options_read(&diff_subcommand, &o, argc, argv);

	if (code != OPTIONS_READ)
		return code;
	if (!capture_check("diff", 2, (const char *const *)(argv + optind)))
		return EXIT_ERROR;
	return diff_files(&o, argv[optind], argv[optind + 1]);
}
