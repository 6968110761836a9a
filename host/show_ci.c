/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks as JUnit's XML and as TAP. */
#include "show_ci.h"

#include "checks.h"
#include "markup.h"
#include "shown.h"

#include "core/ticks.h"

#include <inttypes.h>
#include <stdio.h>

/* Each run of the capture; once with NULL where there is none. */
static void each_run(const struct show_options *o, const struct intake *in,
		     void (*put)(const struct intake *in, struct reader_run *run,
				 const struct checks *c))
{
	struct reader_run *run = reader_run(in->reader, 0);
	struct checks c;
	size_t n = 0;

	do {
		checks_read(&c, run, o);
		put(in, run, &c);
		checks_free(&c);
		run = reader_run(in->reader, ++n);
	} while (run);
}

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

static void put_properties(const struct intake *in, struct reader_run *run)
{
	const struct shown *s = run ? shown_of(run) : NULL;

	puts("    <properties>");
	put_property("file", in->name);
	if (s && s->has_begin) {
		put_property("version", s->begin.version);
		put_property("machine.vendor", s->begin.machine.vendor);
		put_property("machine.product", s->begin.machine.product);
		put_property("machine.bios_version", s->begin.machine.bios_version);
		put_property("machine.bios_date", s->begin.machine.bios_date);
		put_property("machine.uuid", s->begin.machine.uuid);
		put_property("cpu.brand", s->begin.cpu.brand);
		put_property("hypervisor", s->begin.hypervisor);
		put_property("config", s->begin.config);
	}
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

static void put_suite(const struct intake *in, struct reader_run *run, const struct checks *c)
{
	printf("  <testsuite name=\"noisefloor %016" PRIx64 "\" tests=\"%zu\" failures=\"%zu\" "
	       "errors=\"%zu\" skipped=\"%zu\">\n",
	       run ? run->sid : 0, c->count, checks_count(c, CHECK_FAIL),
	       checks_count(c, CHECK_ERROR), checks_count(c, CHECK_SKIP));
	put_properties(in, run);
	for (size_t i = 0; i < c->count; i++)
		put_case(&c->check[i]);
	puts("  </testsuite>");
}

void show_junit_start(void)
{
	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"noisefloor\">");
}

bool show_junit_capture(const struct show_options *o, const struct intake *in)
{
	each_run(o, in, put_suite);
	return true;
}

void show_junit_finish(void)
{
	puts("</testsuites>");
}

/* ---- TAP ---- */

static uint64_t tap_count;

/* A description must not hold what begins a directive. */
static void put_described(const char *text)
{
	char clean[1200];

	snprintf(clean, sizeof(clean), "%s", text);
	shown_clean(clean);
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

static void put_tests(const struct intake *in, struct reader_run *run, const struct checks *c)
{
	fputs("# ", stdout);
	put_described(in->name);
	printf(", run %016" PRIx64 "\n", run ? run->sid : 0);
	for (size_t i = 0; i < c->count; i++)
		put_test(&c->check[i]);
}

void show_tap_start(void)
{
	tap_count = 0;
	puts("TAP version 13");
}

bool show_tap_capture(const struct show_options *o, const struct intake *in)
{
	each_run(o, in, put_tests);
	return true;
}

void show_tap_finish(void)
{
	printf("1..%" PRIu64 "\n", tap_count);
}
