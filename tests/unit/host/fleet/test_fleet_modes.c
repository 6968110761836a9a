/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet list` and `status` over runs of mode=stretch and services beside one of gaps.
 */
#include "host/fleet/fleet.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/services_run.h"
#include "tests/unit/stretch_run.h"
#include "tests/unit/tree.h"

#include <stdlib.h>
#include <unistd.h>

#define LIST(...)   RUN(&fleet_list, "list", __VA_ARGS__)
#define STATUS(...) RUN(&fleet_status, "status", __VA_ARGS__)

#define GAPS_UUID "6f9619ff-8b86-d011-b42d-00c04fc96400"

static char runs[80];

static void begin(void)
{
	snprintf(runs, sizeof(runs), "%s/runs", folder);
	start();
}

static void end(void)
{
	tree_drop(runs);
	teardown();
}

/* Store the capture as a collector does. */
static void store(void)
{
	save(0);
	assert_true(RUN(&fleet_import, "import", "--dir", runs, path[0]) != 2);
}

static void store_end(const char *verdict, const char *remark)
{
	capture_free(&capture);
	capture_start(&capture, 42);
	SEND_BEGIN(.machine = { .uuid = GAPS_UUID }, .config = "mode=gaps max=none");
	SEND_CPU(.stage = "bare", .exposure_ns = 1000000000);
	SEND_END(.verdict = verdict, .remark = remark);
	store();
}

static void store_both(void)
{
	struct stretch_run run = a_stretch_run;

	run.config = "mode=stretch kernel=l2 max_stretch=none";
	run.verdict = "none";
	run.reason = NULL;
	stretch_run_send(&run);
	store();
	store_end("none", NULL);
}

/* A run of mode=stretch looked for no gaps: it is no peer, and its `none` names the mode. */
TEST_F(begin, end, test_stretch_is_no_quiet_run)
{
	store_both();
	assert_int_equal(LIST(runs), 0);
	assert_in(out, "2 machines, 2 runs; 1 of the machines have no figures\n"
		       "The latest run of 1 of them is of mode=stretch, which has no gaps to "
		       "compare\n\n");
	assert_in(out, "stage bare\n  1 machines: 1 none\n");
	assert_in(out, "0 of 1 machines differ\n");
	LIST("--json", runs);
	assert_in(out, "\"stretch\": 1");
	assert_int_equal(STATUS("--dir", runs, STRETCH_RUN_UUID), 0);
	assert_string_equal(out, STRETCH_RUN_UUID " none 0123456789abcdef 8 lines, mode=stretch\n");
	STATUS("--json", "--dir", runs, STRETCH_RUN_UUID);
	assert_in(out, "\"mode\": \"stretch\"");
	/* The output for a run of mode=gaps has no mode. */
	assert_int_equal(STATUS("--dir", runs, GAPS_UUID), 0);
	assert_string_equal(out, GAPS_UUID " none 000000000000002a 3 lines\n");
	STATUS("--json", "--dir", runs, GAPS_UUID);
	assert_not_in(out, "mode");
	tree_drop(runs);
	store_end("none", NULL);
	LIST(runs);
	assert_not_in(out, "stretch");
	LIST("--json", runs);
	assert_not_in(out, "stretch");
}

/* A run of mode=services is no peer, either, whatever its calls stop. */
TEST_F(begin, end, test_services_are_no_quiet_run)
{
	const struct record_service service = { .service = "get_time",
						.others = 3,
						.calls = 100,
						.stops = true,
						.stopped = 3,
						.longest_ns = { 1000000, true } };
	const struct record_begin begin = { .machine = { .uuid = STRETCH_RUN_UUID },
					    .config = "mode=services max=none" };

	services_run_send(&begin, &service, 1);
	store();
	store_end("none", NULL);
	assert_int_equal(LIST(runs), 0);
	assert_in(out, "2 machines, 2 runs; 1 of the machines have no figures\n"
		       "The latest run of 1 of them is of mode=services, which has no gaps to "
		       "compare\n\n");
	assert_in(out, "0 of 1 machines differ\n");
	assert_int_equal(STATUS("--dir", runs, STRETCH_RUN_UUID), 0);
	assert_string_equal(out,
			    STRETCH_RUN_UUID " none 0123456789abcdef 4 lines, mode=services\n");
}

/* Store the run of machine `n`: calls of set_variable as given, and the same get_time for all. */
static void store_calls(unsigned n, const char *bios, uint64_t p50_ns, bool stops)
{
	const struct record_service service[] = {
		{ .service = "set_variable",
		  .calls = 10,
		  .stops = stops,
		  .p50_ns = { p50_ns, true },
		  .max_ns = { 2 * p50_ns, true } },
		{ .service = "get_time",
		  .calls = 100,
		  .p50_ns = { 1000, true },
		  .max_ns = { 9000, true } },
		{ .service = "rtc", .why = "there is none" },
	};
	char uuid[40], sid[24];
	const struct record_begin begin = {
		.machine = { .uuid = uuid, .product = "Box", .bios_version = bios },
		.config = "mode=services"
	};

	snprintf(uuid, sizeof(uuid), "6f9619ff-8b86-d011-b42d-00c04fc96%03u", n);
	snprintf(sid, sizeof(sid), "%016u", n);
	capture_free(&capture);
	capture_start(&capture, strtoull(sid, NULL, 16));
	services_run_send(&begin, service, 3);
	store();
}

/* For each BIOS: the number of machines on which a service stops other cores, and its duration. */
TEST_F(begin, end, test_services_of_a_fleet)
{
	store_calls(1, "2.0", 1000000, true);
	store_calls(2, "1.0", 3000000, false);
	store_calls(3, "2.0", 5000000, true);
	store_calls(4, "2.0", 2000000, false);
	assert_int_equal(LIST(runs), 0);
	assert_in(
		out,
		"Box, BIOS 1.0, stage handoff, get_time: 1 machines, stops others on 0; median "
		"1.00 us, most 9.00 us (6f9619ff-8b86-d011-b42d-00c04fc96002)\n"
		"Box, BIOS 1.0, stage handoff, set_variable: 1 machines, stops others on 0; median "
		"3.00 ms, most 6.00 ms (6f9619ff-8b86-d011-b42d-00c04fc96002)\n"
		"Box, BIOS 2.0, stage handoff, get_time: 3 machines, ");
	assert_in(out, "Box, BIOS 2.0, stage handoff, set_variable: 3 machines, stops others on 2; "
		       "median 2.00 ms, most 10.0 ms (6f9619ff-8b86-d011-b42d-00c04fc96003)\n");
	assert_not_in(out, "rtc");
	LIST("--json", runs);
	assert_in(out, "\"service\": \"set_variable\",\n      \"nodes\": 3,\n      \"stops\": 2,\n"
		       "      \"p50_ns\": 2000000,\n      \"max_ns\": 10000000,\n");
}

/* The remark is printed with each verdict that has one. */
TEST_F(begin, end, test_remark)
{
	store_end("pass", "2 s is too short");
	assert_int_equal(STATUS("--dir", runs, GAPS_UUID), 0);
	assert_string_equal(out,
			    GAPS_UUID " pass 000000000000002a 3 lines: but 2 s is too short\n");
	STATUS("--json", "--dir", runs, GAPS_UUID);
	assert_in(out, "\"remark\": \"2 s is too short\"");
	assert_int_equal(LIST(runs), 0);
	assert_in(out, "1 machines: 1 pass (1 of them shorter than the preset requires)\n");
	LIST("--json", runs);
	assert_in(out, "\"remarks\": 1");
	tree_drop(runs);
	store_end("pass", NULL);
	STATUS("--dir", runs, GAPS_UUID);
	assert_string_equal(out, GAPS_UUID " pass 000000000000002a 3 lines\n");
	STATUS("--json", "--dir", runs, GAPS_UUID);
	assert_in(out, "\"remark\": null");
	LIST(runs);
	assert_in(out, "1 machines: 1 pass\n");
	LIST("--json", runs);
	assert_in(out, "\"remarks\": 0");
	/* Only a pass has a remark. */
	tree_drop(runs);
	store_end("fail", "2 s is too short");
	assert_int_equal(STATUS("--dir", runs, GAPS_UUID), 1);
	assert_not_in(out, "short");
}

TEST_GROUP(make_folder, remove_folder);
