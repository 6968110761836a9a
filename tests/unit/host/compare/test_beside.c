/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of services from inside Linux beside the probe's: `noisefloor compare` of two captures. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/printed.h"

#define FLOOR  1
#define INSIDE 2

static uint64_t run_sid = SID;

static void begin(const char *product)
{
	start_again();
	capture.link.sid = run_sid;
	SEND_BEGIN(.version = "1", .machine = { .vendor = "Anvil", .product = product },
		   .config = "mode=services threshold=1us", .clock = { .hz = 2000000000 });
}

/*
 * A service that was called a hundred times, with a median of so many us. It stops `stops` of three
 * other cores.
 */
static struct record_service called(const char *stage, const char *service, uint64_t us,
				    uint32_t stops)
{
	return (struct record_service){ .stage = stage,
					.service = service,
					.others = 3,
					.calls = 100,
					.min_ns = { us * 500, true },
					.p50_ns = { us * 1000, true },
					.p99_ns = { us * 2000, true },
					.max_ns = { us * 3000, true },
					.stops = stops,
					.stopped = stops };
}

static void put(const struct record_service *r)
{
	record_send(&capture.link, RECORD_SERVICE, r);
}

static void put_called(const char *stage, const char *service, uint64_t us, uint32_t stops)
{
	const struct record_service r = called(stage, service, us, stops);

	put(&r);
}

static void put_not_called(const char *stage, const char *service, const char *why)
{
	SEND_SERVICE(.stage = stage, .service = service, .why = why);
}

static int compare(const char *option, const char *value)
{
	return RUN(&compare_subcommand, "compare", path[FLOOR], path[INSIDE], option, value);
}

static void lay_both(void)
{
	struct record_service failing = called("os", "get_time", 50, 0);

	begin("Rack");
	put_called("bare", "rtc", 1, 0);
	put_called("handoff", "rtc", 20, 0);
	put_called("handoff", "get_variable_small", 12, 3);
	put_called("handoff", "get_variable_large", 13, 2);
	put_called("handoff", "get_time", 9600, 0);
	put_called("handoff", "port_80", 2, 0);
	put_called("handoff", "next_variable", 700, 0);
	put_not_called("handoff", "keyboard", "the FADT denies it");
	put_not_called("handoff", "trng", "it is not called on this processor");
	save_run(FLOOR);
	begin("Rack");
	put_called("os", "rtc", 30, 0);
	put_called("os", "get_variable_small", 45, 3);
	put_called("os", "get_variable_large", 46, 0);
	failing.failed = 7;
	put(&failing);
	put_called("os", "port_80", 5, 1);
	put_not_called("os", "next_variable", "Linux asks once");
	put_called("os", "keyboard", 4, 0);
	put_called("os", "pm_timer", 6, 0);
	put_not_called("os", "trng", "Linux does not call it");
	save_run(INSIDE);
}

TEST_F(start, teardown, test_text)
{
	lay_both();
	assert_int_equal(compare(NULL, NULL), 0);
	assert_string_equal(err, "");
	assert_in(out, "stage handoff, threshold 1us\n");
	assert_in(out,
		  "rtc takes 20.0 us below the OS, and 30.0 us from inside (medians); no other "
		  "core was seen to be stopped, on either side\n");
	assert_in(out,
		  "get_variable_small takes 12.0 us below the OS, and 45.0 us from inside, by "
		  "two calls (medians); firmware stops others, from inside, too: to confine it "
		  "to a housekeeping core does not help\n");
	assert_in(out, "by two calls (medians); firmware stops others, which was not seen from "
		       "inside: to confine it");
	assert_in(out, "get_time takes 9.60 ms below the OS, and 50.0 us from inside (medians), "
		       "where 7 of 100 failed; no other");
	assert_in(out,
		  "port_80 takes 2.00 us below the OS, and 5.00 us from inside (medians); others "
		  "are stopped from inside only, which is not firmware's doing\n");
	assert_in(out, "next_variable was not called from inside: Linux asks once\n");
	assert_in(out, "keyboard was not called below the OS: the FADT denies it\n");
	assert_in(out, "pm_timer was not called below the OS\n");
	/* Neither side has this service. */
	assert_not_in(out, "trng");
	assert_not_in(out, "refused");
	assert_not_in(out, "EXPOSURE");
	assert_in(out,
		  "  MEDIAN OF A CALL              BELOW (MIN-MAX)           INSIDE (MIN-MAX)\n");
	assert_in(out,
		  "  get_time            9.60 ms (4.80 ms-28.8 ms)   50.0 us (25.0 us-150 us)\n");
	assert_in(out,
		  "  next_variable         700 us (350 us-2.10 ms)                        n/a\n");
	assert_in(out,
		  "  MEDIAN OF A CALL    WHOSE IT IS\n  rtc                 rtc takes 20.0 us ");
}

/* Another stage is another floor. */
TEST_F(start, teardown, test_stage)
{
	lay_both();
	assert_int_equal(compare("--stage", "bare"), 0);
	assert_in(out, "rtc takes 1.00 us below the OS, and 30.0 us from inside");
	assert_in(out, "get_time was not called below the OS\n");
	assert_in(out, "note: stage:");
	assert_int_equal(compare("--stage", "acpi"), 2);
	assert_in(err, "no stage acpi to use as the floor");
}

/* A run with one core has no other that could be stopped. */
TEST_F(start, teardown, test_alone)
{
	struct record_service r = called("handoff", "rtc", 20, 0);

	r.others = 0;
	begin("Rack");
	put(&r);
	save_run(FLOOR);
	for (unsigned stops = 0; stops < 2; stops++) {
		begin("Rack");
		put_called("os", "rtc", 30, stops);
		save_run(INSIDE);
		assert_int_equal(compare(NULL, NULL), 0);
		assert_in(out, stops ? "others are stopped from inside; whether by firmware is not "
				       "known\n"
				     : "whom it stops is not known: no other core sampled\n");
	}
}

TEST_F(start, teardown, test_refused)
{
	lay_both();
	begin("Blade");
	put_called("os", "rtc", 30, 0);
	save_run(INSIDE);
	assert_int_equal(compare(NULL, NULL), 2);
	assert_in(out, "refused: other-machine");
	assert_not_in(out, "takes");
	assert_int_equal(compare("--force", NULL), 0);
	assert_in(out, "rtc takes 20.0 us below the OS");
}

static const uint64_t two_gaps[][2] = { { 20000, 2 } };
static const struct record_cpu cpu_with_gaps = { .stage = "handoff",
						 .exposure_ns = 1000000000,
						 .noise_ns = 40000,
						 .max_ns = 20000,
						 .gaps = 2,
						 .histogram = { two_gaps, 1 } };

/* A floor of gaps has nothing to set calls beside, and one of calls has no noise. */
TEST_F(start, teardown, test_only_one_side_has_calls)
{
	struct record_cpu cpu = cpu_with_gaps;

	lay_both();
	begin("Rack");
	record_send(&capture.link, RECORD_CPU, &cpu);
	save_run(FLOOR);
	assert_int_equal(compare(NULL, NULL), 2);
	assert_in(out, "refused: no-calls: ");
	lay_both();
	cpu.stage = "os";
	begin("Rack");
	record_send(&capture.link, RECORD_CPU, &cpu);
	save_run(INSIDE);
	assert_int_equal(compare(NULL, NULL), 2);
	assert_in(out, "refused: no-common-core: ");
}

/* Gaps and calls of one machine, in a file each of two runs: each finds its own. */
TEST_F(start, teardown, test_both_in_a_file)
{
	struct record_cpu cpu = cpu_with_gaps;

	lay_both();
	for (unsigned file = FLOOR; file <= INSIDE; file++) {
		static char calls[65536];

		load(path[file], calls);
		run_sid = SID + 1;
		begin("Rack");
		run_sid = SID;
		cpu.stage = file == FLOOR ? "handoff" : "os";
		record_send(&capture.link, RECORD_CPU, &cpu);
		save_run(file);
		capture_text(&capture, calls);
		save(file);
	}
	assert_int_equal(compare(NULL, NULL), 0);
	assert_in(out, "rtc takes 20.0 us below the OS");
	assert_in(out, "below the OS: 40.000 us");
	assert_not_in(out, "refused");
}

TEST_F(start, teardown, test_other_forms)
{
	lay_both();
	assert_int_equal(compare("--format", "json"), 0);
	printed_read();
	assert_printed_count("compared|0|services", 8);
	assert_printed_is("compared|0|services|3|what", "get_time");
	assert_printed_is("compared|0|services|3|before|value", "9600000.0");
	assert_printed_is("compared|0|services|3|after|value", "50000.0");
	assert_in(json_string_value(printed_at("compared|0|services|3|why")),
		  "where 7 of 100 failed");
	assert_printed_is("compared|0|services|7|before", "null");
	assert_int_equal(compare("--format", "junit"), 0);
	assert_in(out, "name=\"service rtc\" time=\"0.000\">\n      <system-out>rtc takes 20.0 us");
	assert_in(out, "name=\"service next_variable\" time=\"0.000\">\n      <skipped "
		       "message=\"next_variable was not called from");
}

/* Names in a capture may come from anyone. */
TEST_F(start, teardown, test_hostile_names)
{
	begin("Rack");
	put_called("handoff", "evil\x1b[2J", 20, 0);
	save_run(FLOOR);
	begin("Rack");
	put_called("os", "evil\x1b[2J", 30, 0);
	put_not_called("os", "rtc", "bad\x1b]0;\a");
	put_called("os", NULL, 30, 0);
	save_run(INSIDE);
	compare(NULL, NULL);
	assert_in(out, "evil?[2J takes 20.0 us");
	assert_null(strpbrk(out, "\x1b\a"));
}

TEST_GROUP(make_folder, remove_folder);
