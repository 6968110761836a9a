/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks, the parts of a run that can pass or fail, and their form: JUnit's XML. */
#include "checks.h"
#include "show_form.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"
#include "core/records/record_field.h"
#include "core/report/report_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checks_row *checks_add(struct checks *c, enum check_status status, const char *group,
			      struct text *text, const char *name, ...)
{
	struct checks_row *check;
	va_list args;

	check = MEMORY_ADD(c->check, c->count);
	*check = (struct checks_row){ .group = group, .status = status };
	va_start(args, name);
	vsnprintf(check->name, sizeof(check->name), name, args);
	va_end(args);
	text_init(text, check->text, sizeof(check->text));
	return check;
}

static void add_sentence(void *ctx, const char *sentence)
{
	struct text *t = ctx;

	text_add(t, "%s%s", t->len ? "; " : "", sentence);
}

static void add_reasons(const struct record_end *end, struct text *t)
{
	for (size_t i = 0; i < RECORD_STRINGS && end->reasons[i]; i++)
		add_sentence(t, end->reasons[i]);
}

static bool has_failure(const struct checks *c)
{
	size_t i = 0;

	while (i < c->count && c->check[i].status != CHECK_FAIL)
		i++;
	return i < c->count;
}

/* A failure counts as the run's own only if no check of its stages has failed. */
static void check_run(struct checks *c, const struct result *run)
{
	static const enum check_status status[] = { [EXIT_PASS] = CHECK_PASS,
						    [EXIT_FAIL] = CHECK_FAIL,
						    [EXIT_ERROR] = CHECK_ERROR,
						    [EXIT_INCOMPLETE] = CHECK_ERROR };
	int code = result_exit_code(run);
	struct text t;

	if (code == EXIT_FAIL && has_failure(c))
		code = result_is_whole(run) ? EXIT_PASS : EXIT_INCOMPLETE;
	checks_add(c, status[code], "run", &t, "complete");
	text_add(&t, "verdict %s", run->has_end ? run->end.verdict : "incomplete");
	if (run->has_end && run->end.remark)
		text_add(&t, ", but %s", run->end.remark);
	if (run->has_end && code != EXIT_PASS)
		add_reasons(&run->end, &t);
	if (code != EXIT_PASS)
		result_flaws(run, add_sentence, &t);
	for (size_t i = 0; i < run->logs; i++) {
		if (!text_same(run->log[i].level, "info"))
			add_sentence(&t, run->log[i].text);
	}
}

enum check_status checks_status(enum verdict v)
{
	static const enum check_status status[] = {
		[VERDICT_NONE] = CHECK_SKIP,        [VERDICT_PASS] = CHECK_PASS,
		[VERDICT_FAIL] = CHECK_FAIL,        [VERDICT_ERROR] = CHECK_ERROR,
		[VERDICT_INCOMPLETE] = CHECK_ERROR,
	};

	return status[v];
}

void checks_reasons(struct text *t, const struct verdict_reasons *reasons)
{
	for (unsigned i = 0; i < reasons->count; i++)
		add_sentence(t, reasons->text[i]);
}

/* Add what the requested preset could not judge. */
static void check_preset(struct checks *c, const struct result_verdict *v)
{
	struct text t;

	if (!v->asked || v->reasons.verdict != VERDICT_INCOMPLETE)
		return;
	checks_add(c, CHECK_ERROR, "run", &t, "preset %s", v->preset->name);
	checks_reasons(&t, &v->reasons);
}

/* A pass by a preset has a check of its own for the length of the run. */
static void check_duration(struct checks *c, const struct result_verdict *v)
{
	struct text t;

	const char *remark = v->reasons.remark;

	if (!v->preset || v->reasons.verdict != VERDICT_PASS)
		return;
	checks_add(c, remark[0] ? CHECK_SKIP : CHECK_PASS, "run", &t, LAVA_LENGTH, v->preset->name);
	if (remark[0])
		text_add(&t, "%s", remark);
	else
		text_duration(&t, v->sampled_ns);
}

static void check_nothing(struct checks *c)
{
	struct text t;

	checks_add(c, CHECK_ERROR, "run", &t, "complete");
	text_add(&t, "the capture has no noisefloor run");
}

/*
 * The checks of a run: that it is complete; those of its mode, by the limits in force; and that it
 * is long enough, where there is a preset. NULL for a capture without runs: one check, an error.
 */
static void read_checks(struct checks *c, const struct result *run, const struct show_options *o)
{
	static struct result_verdict v;
	const struct host_kind *kind;

	*c = (struct checks){ 0 };
	if (!run) {
		check_nothing(c);
		return;
	}
	result_verdict_read(&v, run, o->preset);
	for (size_t i = 0; i < run->stages; i++) {
		for (size_t n = 0; (kind = host_kind_at(n)); n++)
			if (kind->checks)
				kind->checks(c, &v, &run->stage[i]);
	}
	check_run(c, run);
	check_preset(c, &v);
	check_duration(c, &v);
}

void checks_free(struct checks *c)
{
	free(c->check);
	*c = (struct checks){ 0 };
}

/* ---- JUnit's XML, from the outside inwards ---- */

static void put_attribute(FILE *to, const char *name, const char *value)
{
	fprintf(to, " %s=\"", name);
	text_markup(to, value);
	fputc('"', to);
}

void checks_junit_open(FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"noisefloor\">\n", to);
}

void checks_junit_close(FILE *to)
{
	fputs("</testsuites>\n", to);
}

static void put_properties(FILE *to, const struct checks_suite *suite)
{
	if (!suite->properties)
		return;
	fputs("    <properties>\n", to);
	for (size_t i = 0; i < suite->properties; i++) {
		if (!suite->property[i][1])
			continue;
		fputs("      <property", to);
		put_attribute(to, "name", suite->property[i][0]);
		put_attribute(to, "value", suite->property[i][1]);
		fputs("/>\n", to);
	}
	fputs("    </properties>\n", to);
}

void checks_junit_suite_open(FILE *to, const struct checks_suite *suite,
			     const size_t count[CHECK_STATES])
{
	size_t tests = 0;

	for (unsigned status = 0; status < CHECK_STATES; status++)
		tests += count[status];
	fputs("  <testsuite", to);
	put_attribute(to, "name", suite->name);
	fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", tests,
		count[CHECK_FAIL], count[CHECK_ERROR], count[CHECK_SKIP]);
	put_properties(to, suite);
}

void checks_junit_suite_close(FILE *to)
{
	fputs("  </testsuite>\n", to);
}

void checks_junit_case(FILE *to, const struct checks_row *check)
{
	static const char *const outcomes[CHECK_STATES] = {
		[CHECK_FAIL] = "failure",
		[CHECK_ERROR] = "error",
		[CHECK_SKIP] = "skipped",
	};
	const char *outcome = outcomes[check->status];
	char class[300];

	snprintf(class, sizeof(class), "noisefloor.%s", check->group);
	fputs("    <testcase", to);
	put_attribute(to, "classname", class);
	put_attribute(to, "name", check->name);
	fprintf(to, " time=\"%.3f\">\n", (double)check->ns / NS_PER_S);
	if (outcome) {
		fprintf(to, "      <%s", outcome);
		if (check->type)
			put_attribute(to, "type", check->type);
		put_attribute(to, "message", check->text);
		fputs("/>\n", to);
	} else if (*check->text) {
		fputs("      <system-out>", to);
		text_markup(to, check->text);
		fputs("</system-out>\n", to);
	}
	fputs("    </testcase>\n", to);
}

void checks_junit_suite(const struct checks_suite *suite, const struct checks *c)
{
	size_t count[CHECK_STATES] = { 0 };

	for (size_t i = 0; i < c->count; i++)
		count[c->check[i].status]++;
	checks_junit_suite_open(stdout, suite, count);
	for (size_t i = 0; i < c->count; i++)
		checks_junit_case(stdout, &c->check[i]);
	checks_junit_suite_close(stdout);
}

/*
 * ---- Runs for CI servers ----
 *
 * There is one test per stage and core, skipped where no limit was set; one for the run itself; and
 * one for its length, skipped where that is short of what its preset asks.
 */

#define PROPERTIES (RECORD_FIELDS_MAX + 2)
#define NAME_BYTES 64

struct properties {
	const char *at[PROPERTIES][2];
	char name[PROPERTIES][NAME_BYTES];
	size_t count;
};

static void checks_add_property(struct properties *p, const char *outer, const char *name,
				const char *value)
{
	snprintf(p->name[p->count], NAME_BYTES, "%s%s%s", outer, *outer ? "." : "", name);
	p->at[p->count][0] = p->name[p->count];
	p->at[p->count++][1] = value;
}

/* Add what identifies a run, by its JSON name: "machine.vendor". */
static void add_tags(struct properties *p, const struct record_begin *b)
{
	const char *outer = "";

	for (const struct record_field *f = record_fields(RECORD_BEGIN); f->kind != FIELD_END;
	     f++) {
		if (f->kind == FIELD_OPEN)
			outer = f->name;
		else if (f->kind == FIELD_CLOSE)
			outer = "";
		else if (f->role == FIELD_ROLE_TAG)
			checks_add_property(p, outer, f->name, record_field_string(f, b));
	}
}

static void put_run(const struct show_options *o, const struct capture *in, struct result *run)
{
	struct properties p = { .count = 0 };
	char name[40];
	struct checks c;
	struct checks_suite suite = { name, p.at, 0 };

	read_checks(&c, run, o);
	checks_add_property(&p, "", "file", in->name);
	if (run && run->has_begin) {
		add_tags(&p, &run->begin);
		checks_add_property(&p, "", "config", run->begin.config);
	}
	suite.properties = p.count;
	snprintf(name, sizeof(name), "noisefloor %016" PRIx64, run ? run->sid : 0);
	checks_junit_suite(&suite, &c);
	checks_free(&c);
}

static void checks_start(void)
{
	checks_junit_open(stdout);
}

static int checks_finish(void)
{
	checks_junit_close(stdout);
	return EXIT_PASS;
}

const struct show_form show_form_junit = {
	.keep = RESULT_ALL,
	.start = checks_start,
	.run = put_run,
	.without_runs = true,
	.finish = checks_finish,
	.of_summary = true,
};
