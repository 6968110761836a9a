/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines about events and sources. */
#include "core/table/table_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static char buffer[300];
static struct text line;

static int empty(void **state)
{
	(void)state;
	text_init(&line, buffer, sizeof(buffer));
	return 0;
}

static void keep_line(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	text_add(&line, "%s%.*s", line.len ? "\n" : "", (int)bytes, text);
}

static const char *summary(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed)
{
	text_reset(&line);
	table_events(events, scope, listed, keep_line, NULL);
	return buffer;
}

static void test_summary(void **state)
{
	static const uint64_t all[SCOPES] = { 400, 3, 2, 1, 5 };
	static const uint64_t one[SCOPES] = { [SCOPE_MACHINE] = 1 };

	(void)state;
	assert_string_equal(summary(411, all, 10),
			    "411 events: 400 on one cpu, 3 of a core, 2 of a package, "
			    "1 of the machine,\n    5 of scope n/a; the 10 longest:");
	assert_string_equal(summary(1, one, 1), "1 event: 1 of the machine:");
	assert_string_equal(summary(411, NULL, 10), "411 events; the 10 longest:");
	assert_string_equal(summary(0, NULL, 0), "0 events");
}

static const struct record_event machine = {
	.t_ns = 12345678499,
	.len_ns = 152040,
	.cpus = 4,
	.first = 0,
	.last = 3,
	.skew_ns = 1250,
	.cause = "smi",
	.scope = "machine",
};

static void test_event(void **state)
{
	struct record_event e = machine;

	(void)state;
	table_event_head(&line);
	assert_string_equal(buffer, "     TIME(s)    LENGTH(us)   CPUS  SCOPE     CAUSE    FIRST   "
				    "LAST    SKEW(us)");
	text_reset(&line);
	table_event(&line, &e);
	assert_string_equal(buffer, "   12.345678         152.0      4  machine   smi          0   "
				    "   3         1.3");
	text_reset(&line);
	e.scope = NULL;
	e.cause = NULL;
	table_event(&line, &e);
	assert_non_null(strstr(buffer, "      4  n/a       n/a          0"));
	text_reset(&line);
	e.scope = "cpu";
	e.partial = true;
	table_event(&line, &e);
	assert_non_null(strstr(buffer, "      4  cpu+      n/a          0"));
}

/* Captures may hold anything: no line grows past its buffer, or wraps a number. */
static void test_hostile_event(void **state)
{
	struct record_event e = machine;
	char small[40];

	(void)state;
	e.t_ns = e.len_ns = e.skew_ns = UINT64_MAX;
	table_event(&line, &e);
	assert_non_null(strstr(buffer, "18446744073.709552  18446744073709551.6"));
	text_init(&line, small, sizeof(small));
	table_event(&line, &e);
	assert_true(line.overflow);
}

static const char *source_line(const struct record_source *s)
{
	text_reset(&line);
	table_source(&line, s);
	return buffer;
}

static void test_source(void **state)
{
	struct record_source s = {
		.cause = "smi",
		.period_ns = 64000040,
		.jitter_ns = 12300,
		.fill_ppm = 985049,
		.events = 920,
		.chance_milli = -250900,
		.origin = "SWSMI timer 64 ms",
		.hint = "matches the SWSMI timer's 64 ms",
	};

	(void)state;
	table_source_head(&line);
	assert_string_equal(
		buffer, "      PERIOD      JITTER   FILL(%)    EVENTS  CAUSE    CHANCE     LIKELY");
	assert_string_equal(source_line(&s),
			    "  64.0000 ms     12.3 us     98.50       920  smi     "
			    " 1e-250     SWSMI timer 64 ms");
	s.origin = NULL;
	assert_non_null(strstr(source_line(&s), "1e-250     matches the SWSMI"));
	s.hint = NULL;
	assert_non_null(strstr(source_line(&s), "1e-250     n/a"));
}

static void test_periods(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "    0.000 us  " },
		{ 999999, "  999.999 us  " },
		{ 1000000, "   1.0000 ms  " },
		{ 1500049, "   1.5000 ms  " },
		{ 1500050, "   1.5001 ms  " },
		{ 999999999, "1000.0000 ms  " },
		{ 1000000000, "    1.0000 s  " },
		{ 3600000000000, " 3600.0000 s  " },
		{ UINT64_MAX, "18446744073.7096 s  " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_source s = { .period_ns = cases[i].ns };

		if (strncmp(source_line(&s), cases[i].text, strlen(cases[i].text)))
			fail_msg("`%s` is not `%s`", buffer, cases[i].text);
	}
}

static void test_pause(void **state)
{
	struct record_pause pause = {
		.from_ns = 2000000000,
		.until_ns = 3000000000,
		.least_ns = 400000000,
		.most_ns = 450000000,
		.clock = "rtc",
	};

	(void)state;
	table_pause(&line, &pause);
	assert_string_equal(buffer, "hidden pause of 400 ms to 450 ms, between 2.00 s and 3.00 s: "
				    "rtc went on, the TSC stood still or was set back");
	text_reset(&line);
	pause.forward = true;
	table_pause(&line, &pause);
	assert_string_equal(buffer, "the TSC ran ahead of rtc by 400 ms to 450 ms, between 2.00 s "
				    "and 3.00 s");
	text_reset(&line);
	pause.pauses = 7;
	pause.worst_ns = 90000000;
	table_pause(&line, &pause);
	assert_string_equal(buffer, "the TSC ran ahead of rtc 7 times, by 400 ms to 450 ms in all "
				    "and 90.0 ms at the worst, between 2.00 s and 3.00 s");
	text_reset(&line);
	pause.forward = false;
	table_pause(&line, &pause);
	assert_string_equal(buffer, "hidden pause 7 times, of 400 ms to 450 ms in all and 90.0 ms "
				    "at the worst, between 2.00 s and 3.00 s: "
				    "rtc went on, the TSC stood still or was set back");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_summary, empty),
		cmocka_unit_test_setup(test_event, empty),
		cmocka_unit_test_setup(test_hostile_event, empty),
		cmocka_unit_test_setup(test_source, empty),
		cmocka_unit_test_setup(test_periods, empty),
		cmocka_unit_test_setup(test_pause, empty),
	};

	return cmocka_run_group_tests_name("table_events", tests, NULL, NULL);
}
