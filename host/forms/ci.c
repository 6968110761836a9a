/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks as JUnit's XML and as TAP. */
#include "ci.h"

#include "host/lib/markup.h"
#include "host/lib/text_sanitize.h"
#include "host/capture/run.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- JUnit ---- */

static void put_attribute(const char *name, const char *value)
{
	printf(" %s=\"", name);
	markup_text(stdout, value);
	putchar('"');
}

static void put_property(const char *name, const char *value)
{
	if (!value)
		return;
	fputs("      <property", stdout);
	put_attribute("name", name);
	put_attribute("value", value);
	puts("/>");
}

static void put_properties(const struct ci_suite *suite)
{
	puts("    <properties>");
	for (size_t i = 0; i < suite->properties; i++)
		put_property(suite->property[i][0], suite->property[i][1]);
	puts("    </properties>");
}

static void put_outcome(const char *element, const struct check *c)
{
	printf(">\n      <%s", element);
	put_attribute("message", c->text);
	puts("/>\n    </testcase>");
}

static void put_passed(const struct check *c)
{
	fputs(">\n      <system-out>", stdout);
	markup_text(stdout, c->text);
	puts("</system-out>\n    </testcase>");
}

static void put_case(const struct check *c)
{
	static const char *const elements[] = {
		[CHECK_FAIL] = "failure",
		[CHECK_ERROR] = "error",
		[CHECK_SKIP] = "skipped",
	};

	fputs("    <testcase classname=\"noisefloor.", stdout);
	markup_text(stdout, c->group);
	putchar('"');
	put_attribute("name", c->name);
	printf(" time=\"%.3f\"", (double)c->ns / NS_PER_S);
	if (c->status == CHECK_PASS)
		put_passed(c);
	else
		put_outcome(elements[c->status], c);
}

static void put_suite(const struct ci_suite *suite)
{
	const struct checks *c = suite->checks;

	fputs("  <testsuite", stdout);
	put_attribute("name", suite->name);
	printf(" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", c->count,
	       checks_count(c, CHECK_FAIL), checks_count(c, CHECK_ERROR),
	       checks_count(c, CHECK_SKIP));
	put_properties(suite);
	for (size_t i = 0; i < c->count; i++)
		put_case(&c->check[i]);
	puts("  </testsuite>");
}

/* ---- TAP ---- */

static uint64_t tap_count;

/* A description must not hold what begins a directive. */
static void put_described(const char *text)
{
	char clean[1200];

	snprintf(clean, sizeof(clean), "%s", text);
	text_sanitize(clean);
	for (const char *at = clean; *at; at++) {
		if (*at == '#' || *at == '\\')
			putchar('\\');
		putchar(*at);
	}
}

static void put_test(const struct check *c)
{
	bool ok = c->status == CHECK_PASS || c->status == CHECK_SKIP;

	printf("%s %" PRIu64 " - ", ok ? "ok" : "not ok", ++tap_count);
	put_described(c->group);
	putchar(' ');
	put_described(c->name);
	if (c->status == CHECK_SKIP) {
		fputs(" # SKIP ", stdout);
	} else {
		fputs(": ", stdout);
	}
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

void ci_open(enum ci_form form)
{
	tap_count = 0;
	if (form == CI_TAP)
		puts("TAP version 13");
	else
		puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<testsuites name=\"noisefloor\">");
}

void ci_suite(enum ci_form form, const struct ci_suite *suite)
{
	if (form == CI_TAP)
		put_tests(suite);
	else
		put_suite(suite);
}

void ci_close(enum ci_form form)
{
	if (form == CI_TAP)
		printf("1..%" PRIu64 "\n", tap_count);
	else
		puts("</testsuites>");
}
