/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks as JUnit's XML and as TAP. */
#include "ci.h"

#include "host/lib/text_sanitize.h"
#include "host/lib/markup.h"

#include "core/lib/ticks.h"

#include <inttypes.h>

/* ---- JUnit, from the outside inwards ---- */

static void put_attribute(FILE *to, const char *name, const char *value)
{
	fprintf(to, " %s=\"", name);
	markup_text(to, value);
	fputc('"', to);
}

void ci_junit_open(FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"noisefloor\">\n", to);
}

void ci_junit_close(FILE *to)
{
	fputs("</testsuites>\n", to);
}

static void put_properties(FILE *to, const struct ci_junit_suite *suite)
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

void ci_junit_suite_open(FILE *to, const struct ci_junit_suite *suite)
{
	fputs("  <testsuite", to);
	put_attribute(to, "name", suite->name);
	fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		suite->tests, suite->failures, suite->errors, suite->skipped);
	put_properties(to, suite);
}

void ci_junit_suite_close(FILE *to)
{
	fputs("  </testsuite>\n", to);
}

/* <name ...>text</name>, or <name .../> without a text. */
static void put_inside(FILE *to, const struct ci_junit_case *c, const char *name)
{
	fprintf(to, "      <%s", name);
	if (c->outcome && c->type)
		put_attribute(to, "type", c->type);
	if (c->outcome)
		put_attribute(to, "message", c->message);
	if (!c->text) {
		fputs("/>\n", to);
		return;
	}
	fputc('>', to);
	markup_text(to, c->text);
	fprintf(to, "</%s>\n", name);
}

void ci_junit_case(FILE *to, const struct ci_junit_case *c)
{
	fputs("    <testcase", to);
	put_attribute(to, "classname", c->class);
	put_attribute(to, "name", c->name);
	fprintf(to, " time=\"%.3f\">\n", (double)c->ns / NS_PER_S);
	if (c->outcome || c->text)
		put_inside(to, c, c->outcome ? c->outcome : "system-out");
	fputs("    </testcase>\n", to);
}

/* ---- Suites of checks ---- */

/* The current document. */
static enum form form;
static uint64_t tap_count;

static void put_case(const struct checks_row *c)
{
	static const char *const outcomes[] = {
		[CHECK_FAIL] = "failure",
		[CHECK_ERROR] = "error",
		[CHECK_SKIP] = "skipped",
	};
	bool pass = c->status == CHECK_PASS;
	struct ci_junit_case test = {
		.name = c->name,
		.outcome = pass ? NULL : outcomes[c->status],
		.message = c->text,
		.text = pass ? c->text : NULL,
		.ns = c->ns,
	};
	char class[300];

	snprintf(class, sizeof(class), "noisefloor.%s", c->group);
	test.class = class;
	ci_junit_case(stdout, &test);
}

static void put_suite(const struct ci_suite *suite)
{
	const struct checks *c = suite->checks;

	ci_junit_suite_open(stdout, &(struct ci_junit_suite){
					    .name = suite->name,
					    .tests = c->count,
					    .failures = checks_count(c, CHECK_FAIL),
					    .errors = checks_count(c, CHECK_ERROR),
					    .skipped = checks_count(c, CHECK_SKIP),
					    .property = suite->property,
					    .properties = suite->properties,
				    });
	for (size_t i = 0; i < c->count; i++)
		put_case(&c->check[i]);
	ci_junit_suite_close(stdout);
}

/* ---- TAP ---- */

/* A description must not contain what begins a directive. */
static void put_described(const char *text)
{
	char clean[1200];

	text_sanitize_copy(clean, sizeof(clean), text);
	for (const char *at = clean; *at; at++) {
		if (*at == '#' || *at == '\\')
			putchar('\\');
		putchar(*at);
	}
}

static void put_test(const struct checks_row *c)
{
	bool ok = c->status == CHECK_PASS || c->status == CHECK_SKIP;

	printf("%s %" PRIu64 " - ", ok ? "ok" : "not ok", ++tap_count);
	put_described(c->group);
	putchar(' ');
	put_described(c->name);
	fputs(c->status == CHECK_SKIP ? " # SKIP " : ": ", stdout);
	put_described(c->text);
	putchar('\n');
}

static void put_tests(const struct ci_suite *suite)
{
	fputs("# ", stdout);
	put_described(suite->comment);
	putchar('\n');
	for (size_t i = 0; i < suite->checks->count; i++)
		put_test(&suite->checks->check[i]);
}

/* ---- Either ---- */

void ci_open(enum form document)
{
	form = document;
	tap_count = 0;
	if (form == FORM_TAP)
		puts("TAP version 13");
	else
		ci_junit_open(stdout);
}

void ci_suite(const struct ci_suite *suite)
{
	if (form == FORM_TAP)
		put_tests(suite);
	else
		put_suite(suite);
}

void ci_close(void)
{
	if (form == FORM_TAP)
		printf("1..%" PRIu64 "\n", tap_count);
	else
		ci_junit_close(stdout);
}
