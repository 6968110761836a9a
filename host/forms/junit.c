/* SPDX-License-Identifier: BSD-2-Clause */
/* JUnit's elements, from the outside inwards. */
#include "junit.h"

#include "host/lib/markup.h"

#include "core/lib/ticks.h"

static void put_attribute(FILE *to, const char *name, const char *value)
{
	fprintf(to, " %s=\"", name);
	markup_text(to, value);
	fputc('"', to);
}

void junit_open(FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"noisefloor\">\n", to);
}

void junit_close(FILE *to)
{
	fputs("</testsuites>\n", to);
}

static void put_properties(FILE *to, const struct junit_suite *suite)
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

void junit_suite_open(FILE *to, const struct junit_suite *suite)
{
	fputs("  <testsuite", to);
	put_attribute(to, "name", suite->name);
	fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		suite->tests, suite->failures, suite->errors, suite->skipped);
	put_properties(to, suite);
}

void junit_suite_close(FILE *to)
{
	fputs("  </testsuite>\n", to);
}

/* <name ...>text</name>, or <name .../> without a text. */
static void put_inside(FILE *to, const struct junit_case *c, const char *name)
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

void junit_case(FILE *to, const struct junit_case *c)
{
	fputs("    <testcase", to);
	put_attribute(to, "classname", c->class);
	put_attribute(to, "name", c->name);
	fprintf(to, " time=\"%.3f\">\n", (double)c->ns / NS_PER_S);
	if (c->outcome || c->text)
		put_inside(to, c, c->outcome ? c->outcome : "system-out");
	fputs("    </testcase>\n", to);
}
