/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`: read two runs, refuse what cannot be compared, tell what changed. */
#include "diff.h"

#include "diff_compared.h"
#include "diff_forms.h"
#include "diff_json.h"
#include "diff_text.h"
#include "host/lib/exit.h"
#include "host/lib/form.h"
#include "host/capture/intake.h"
#include "host/lib/options.h"
#include "host/lib/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: noisefloor diff [OPTION...] BEFORE AFTER\n"
	"\n"
	"What a change of the firmware or its settings did: settings and identity that\n"
	"differ, rates with their 95 % limits and an exact test, longest gaps, sources that\n"
	"are gone or new. Runs are alike when stages, cores and threshold are.\n"
	"\n"
	"  --force          compare unlike runs all the same, in the stages that both have\n"
	"  --stage NAME     this stage only\n"
	"  --before SID     the run, where the file BEFORE has several\n"
	"  --after SID      the run, where the file AFTER has several\n"
	"  --format FORM    text (the default), json (one document); junit, tap: a test per rate\n"
	"                   and source, which what is more or new fails; influx, prom: the rates\n"
	"  --json           the same as --format json\n"
	"  --progress       say on standard error how far it is, even if that is no terminal\n"
	"  --help           this text\n"
	"\n"
	"Exit code: 0 nothing is more or new than chance explains, 1 something is, 2 error\n"
	"(also: unlike runs), 3 records of a run are missing, and what there is is not worse.\n";

#define DIFF_FORMS                                                               \
	(1u << FORM_TEXT | 1u << FORM_JSON | 1u << FORM_JUNIT | 1u << FORM_TAP | \
	 1u << FORM_INFLUX | 1u << FORM_PROM)

struct options {
	const char *stage, *before, *after;
	bool force;
	struct form_choice form;
};

/* May they be compared? Where not, it is said. */
static bool is_allowed(struct compared *c, const struct options *o)
{
	compared_check(c, o->stage);
	if (c->stages && (o->force || !c->unlikes))
		return true;
	for (size_t i = 0; i < c->unlikes; i++) {
		shown_clean(c->unlike[i]);
		fprintf(stderr, "diff: the runs are unlike in %s\n", c->unlike[i]);
	}
	if (c->stages)
		fputs("diff: not compared; --force compares them all the same\n", stderr);
	else
		fputs("diff: not compared: they have no stage in common\n", stderr);
	return false;
}

/* In any of the accepted forms. */
static void tell(const struct compared *c, enum form form)
{
	static void (*const tellers[FORMS])(const struct compared *c) = {
		[FORM_TEXT] = diff_text, [FORM_JSON] = diff_json,     [FORM_JUNIT] = diff_junit,
		[FORM_TAP] = diff_tap,   [FORM_INFLUX] = diff_influx, [FORM_PROM] = diff_prom,
	};

	tellers[form](c);
}

static int compare(struct compared *c, const struct options *o)
{
	int code;

	if (!is_allowed(c, o)) {
		c->refused = true;
		if (o->form.form == FORM_JUNIT || o->form.form == FORM_TAP)
			tell(c, o->form.form);
		return EXIT_ERROR;
	}
	compared_read(c);
	tell(c, o->form.form);
	code = c->outcome == OUTCOME_WORSE ? EXIT_FAIL : EXIT_PASS;
	code = shown_worst(code, pick_code(&c->before));
	return shown_worst(code, pick_code(&c->after));
}

static int diff_files(const struct options *o, const char *before, const char *after)
{
	static struct compared c;
	int code = EXIT_ERROR;

	memset(&c, 0, sizeof(c));
	if (pick_run(&c.before, before, o->before) && pick_run(&c.after, after, o->after))
		code = compare(&c, o);
	compared_free(&c);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("standard output");
		return EXIT_ERROR;
	}
	return code;
}

static bool read_option(void *ctx, int option, const char *value)
{
	struct options *o = ctx;

	switch (option) {
	case 'f':
		o->force = true;
		return true;
	case 's':
		o->stage = value;
		return true;
	case 'b':
		o->before = value;
		return true;
	case 'a':
		o->after = value;
		return true;
	case 'F':
		return form_choose(&o->form, value);
	case 'j':
		return form_choose(&o->form, "json");
	case 'P':
		progress_ask();
		return true;
	default:
		return false;
	}
}

int diff_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, 'f' },
		{ "stage", required_argument, NULL, 's' },
		{ "before", required_argument, NULL, 'b' },
		{ "after", required_argument, NULL, 'a' },
		{ "format", required_argument, NULL, 'F' },
		{ "json", no_argument, NULL, 'j' },
		{ "progress", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options o = { .form = { .subcommand = "diff", .accepted = DIFF_FORMS } };
	const struct options_set set = { usage, "", options, read_option, &o };
	int code = options_read(&set, argc, argv);

	if (code != OPTIONS_READ)
		return code;
	if (optind + 2 != argc) {
		fprintf(stderr, "diff: two files are wanted\n%s", usage);
		return EXIT_ERROR;
	}
	if (!intake_check("diff", 2, (const char *const *)(argv + optind)))
		return EXIT_ERROR;
	return diff_files(&o, argv[optind], argv[optind + 1]);
}
