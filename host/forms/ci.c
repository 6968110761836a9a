/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks as JUnit's XML and as TAP. */
#include "ci.h"

#include "junit.h"
#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <stdio.h>

/* The current document. */
static enum form form;
static uint64_t tap_count;

/* ---- JUnit ---- */

static void put_case(const struct checks_row *c)
{
	static const char *const outcomes[] = {
		[CHECK_FAIL] = "failure",
		[CHECK_ERROR] = "error",
		[CHECK_SKIP] = "skipped",
	};
	bool pass = c->status == CHECK_PASS;
	struct junit_case test = {
		.name = c->name,
		.outcome = pass ? NULL : outcomes[c->status],
		.message = c->text,
		.text = pass ? c->text : NULL,
		.ns = c->ns,
	};
	char class[300];

	snprintf(class, sizeof(class), "noisefloor.%s", c->group);
	test.class = class;
	junit_case(stdout, &test);
}

static void put_suite(const struct ci_suite *suite)
{
	const struct checks *c = suite->checks;

	junit_suite_open(stdout, &(struct junit_suite){
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
	junit_suite_close(stdout);
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
		junit_open(stdout);
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
		junit_close(stdout);
}
