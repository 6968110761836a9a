/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`: read two runs, refuse what cannot be compared, report what changed. */
#include "diff.h"

#include "host/capture/capture.h"
#include "host/forms/checks.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/program/options.h"
#include "host/subcommands.h"

#include "core/lib/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 16384
#define UNLIKE     "the runs differ in "

static const struct {
	const char *name, *sentence;
} outcomes[] = {
	[OUTCOME_SAME] = { "same", "no significant change" },
	[OUTCOME_BETTER] = { "better", "something is less or gone, nothing is more or new" },
	[OUTCOME_WORSE] = { "worse", "something is more or new" },
};

/* When the run began; NULL: that is not known. */
static const char *began(const struct capture_select *p)
{
	return p->run->has_begin ? p->run->begin.began : NULL;
}

/* ---- Text ---- */

static void print_run(const char *which, const struct capture_select *p, struct text *t)
{
	text_add(t, "%-7s %s: run %016llx%s%s%s", which, p->capture.name,
		 (unsigned long long)p->run->sid, began(p) ? ", began " : "", began(p) ?: "",
		 result_is_whole(p->run) ? "" : ", records missing");
	text_sanitize_print(t);
}

static void print_differences(const struct diff_fields *d, struct text *t)
{
	puts(d->count ? "settings and identity that differ:"
		      : "settings and identity do not differ");
	for (size_t i = 0; i < d->count; i++) {
		text_add(t, "  %s: %s -> %s", d->at[i].name, d->at[i].before, d->at[i].after);
		text_sanitize_print(t);
	}
}

static void print_stage(const struct diff_compared *c, const char *stage, struct text *t)
{
	size_t from = 0;

	while (from < c->count && c->found[from].stage != stage)
		from++;
	text_add(t, "stage %s: %s", stage,
		 from < c->count && *c->found[from].about ? c->found[from].about
							  : "nothing to compare");
	putchar('\n');
	text_sanitize_print(t);
	for (; from < c->count && c->found[from].stage == stage; from++)
		findings_text(&c->found[from]);
}

void diff_text(const struct diff_compared *c)
{
	static char buf[LINE_BYTES];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	print_run("before:", &c->before, &t);
	print_run("after:", &c->after, &t);
	for (size_t i = 0; i < c->unlikes; i++) {
		text_add(&t, UNLIKE "%s", c->unlike[i]);
		text_sanitize_print(&t);
	}
	print_differences(&c->differences, &t);
	for (size_t i = 0; i < c->stages; i++)
		print_stage(c, c->stage[i], &t);
	printf("\noutcome: %s: %s (significance: 1 in 100, for all rows of a stage together)\n",
	       outcomes[c->outcome].name, outcomes[c->outcome].sentence);
}

/* ---- For CI servers ---- */

static void add_run(struct checks *checks, const struct capture_select *p, const char *name)
{
	bool whole = result_is_whole(p->run);
	struct text t;

	checks_add(checks, whole ? CHECK_PASS : CHECK_ERROR, "run", &t, "%s", name);
	text_add(&t, "run %016llx%s", (unsigned long long)p->run->sid,
		 whole ? "" : ", records missing");
}

static void read_checks(struct checks *checks, const struct diff_compared *c)
{
	struct text t;

	for (size_t i = 0; i < c->count; i++)
		findings_checks(&c->found[i], checks);
	if (!c->refused) {
		add_run(checks, &c->before, "before is complete");
		add_run(checks, &c->after, "after is complete");
		return;
	}
	checks_add(checks, CHECK_ERROR, "run", &t, "alike");
	text_add(&t, "not compared");
	for (size_t i = 0; i < c->unlikes; i++)
		text_add(&t, "; " UNLIKE "%s", c->unlike[i]);
}

/* Print test cases. If the runs are not compared, there is one, an error. */
void diff_junit(const struct diff_compared *c)
{
	const char *property[][2] = { { "before", c->before.capture.name },
				      { "after", c->after.capture.name } };
	const struct checks_suite suite = { "noisefloor diff", property, 2 };
	struct checks checks = { .count = 0 };

	read_checks(&checks, c);
	checks_junit_open(stdout);
	checks_junit_suite(&suite, &checks);
	checks_junit_close(stdout);
	checks_free(&checks);
}

/* ---- JSON ---- */

static json_t *run_object(const struct capture_select *p)
{
	return json_pack("{s:o,s:o,s:o,s:b}", "file", json_name(p->capture.name), "sid",
			 json_sid(p->run->sid), "began",
			 began(p) ? json_name(began(p)) : json_null(), "whole",
			 result_is_whole(p->run));
}

static json_t *difference_object(const struct diff_field *d)
{
	return json_pack("{s:o,s:o,s:o}", "field", json_name(d->name), "before",
			 json_name(d->before), "after", json_name(d->after));
}

void diff_json(const struct diff_compared *c)
{
	const struct diff_fields *d = &c->differences;
	json_t *findings = json_array();

	for (size_t i = 0; i < c->count; i++)
		findings_json(&c->found[i], findings);
	json_print("diff/1",
		   json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "before", run_object(&c->before), "after",
			     run_object(&c->after), "unlike",
			     JSON_ARRAY(i, i < c->unlikes, json_name(c->unlike[i])), "differences",
			     JSON_ARRAY(i, i < d->count, difference_object(&d->at[i])), "findings",
			     findings, "outcome", outcomes[c->outcome].name),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* ---- The subcommand ---- */

#define SPREAD_MOST 1000

static struct options {
	const char *stage, *before, *after;
	bool force;
	uint64_t spread; /* percent; 0: not stated */
	struct form_choice form;
} options;

/* True if the runs may be compared; if not, the reasons are printed. */
static bool is_allowed(struct diff_compared *c)
{
	diff_compared_check(c, options.stage);
	if (c->stages && (options.force || !c->unlikes))
		return true;
	for (size_t i = 0; i < c->unlikes; i++)
		fprintf(stderr, "diff: " UNLIKE "%s\n", text_sanitize_name(c->unlike[i]));
	if (c->stages)
		fputs("diff: not compared; --force compares them anyway\n", stderr);
	else
		fputs("diff: not compared: the runs have no stage in common\n", stderr);
	return false;
}

static void (*const printers[FORMS])(const struct diff_compared *c) = {
	[FORM_TEXT] = diff_text,
	[FORM_JSON] = diff_json,
	[FORM_JUNIT] = diff_junit,
};

static bool prints(unsigned form)
{
	return printers[form];
}

static int diff_compare(struct diff_compared *c)
{
	enum form form = options.form.form;
	int code;

	c->spread = log1p((double)options.spread / 100);
	if (!is_allowed(c)) {
		c->refused = true;
		if (form == FORM_JUNIT)
			diff_junit(c);
		return EXIT_ERROR;
	}
	diff_compared_read(c);
	printers[form](c);
	code = c->outcome == OUTCOME_WORSE ? EXIT_FAIL : EXIT_PASS;
	code = exit_worst(code, capture_select_code(&c->before));
	return exit_worst(code, capture_select_code(&c->after));
}

static int diff_run(int count, char **paths)
{
	static struct diff_compared c;
	int code = EXIT_ERROR;

	if (!capture_check("diff", count, (const char *const *)paths))
		return EXIT_ERROR;
	if (capture_select(&c.before, paths[0], options.before) &&
	    capture_select(&c.after, paths[1], options.after))
		code = diff_compare(&c);
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
	.run = diff_run,
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
