/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet` and `status` over runs of mode=stretch and services beside one of gaps. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/services_run.h"
#include "tests/unit/stretch_run.h"

#include <sys/stat.h>

#define GAPS_UUID "6f9619ff-8b86-d011-b42d-00c04fc96400"

static char runs[80], file[2][128];

/* What the capture has, as a collector stores it. */
static void store(unsigned n, const char *sid)
{
	snprintf(file[n], sizeof(file[n]), "%s/%s.jsonl", runs, sid);
	save(0);
	assert_int_equal(rename(path[0], file[n]), 0);
}

static void store_gaps(void)
{
	const struct record_begin begin = { .machine = { .uuid = GAPS_UUID },
					    .config = "mode=gaps max=none" };
	const struct record_cpu cpu = { .stage = "bare", .exposure_ns = 1000000000 };
	const struct record_end end = { .verdict = "none" };

	capture_free(&capture);
	capture_start(&capture, 42);
	record_send(&capture.link, RECORD_BEGIN, &begin);
	record_send(&capture.link, RECORD_CPU, &cpu);
	record_send(&capture.link, RECORD_END, &end);
	store(1, "000000000000002a");
}

static void store_both(void)
{
	struct stretch_run run = a_stretch_run;

	run.config = "mode=stretch kernel=l2 max_stretch=none";
	run.verdict = "none";
	run.reason = NULL;
	snprintf(runs, sizeof(runs), "%s/runs", folder);
	assert_int_equal(mkdir(runs, 0700), 0);
	stretch_run_send(&run);
	store(0, "0123456789abcdef");
	store_gaps();
}

static void remove_both(void)
{
	unlink(file[0]);
	unlink(file[1]);
	assert_int_equal(rmdir(runs), 0);
}

/* It has no gaps because it looked for none: it is no peer, and its `none` names the mode. */
TEST_F(start, teardown, test_stretch_is_no_quiet_run)
{
	store_both();
	assert_int_equal(RUN(&fleet_subcommand, "fleet", runs), 0);
	assert_in(out, "2 machines, 2 runs; 1 of the machines have no figures; 0 files not read\n"
		       "The latest run of 1 of them is of mode=stretch, which has no gaps to "
		       "compare\n\n");
	assert_in(out, "stage bare\n  1 machines: 1 none\n");
	assert_in(out, "0 of 1 machines differ\n");
	RUN(&fleet_subcommand, "fleet", "--json", runs);
	assert_in(out, "\"stretch\": 1");
	assert_int_equal(RUN(&status_subcommand, "status", "--dir", runs, STRETCH_RUN_UUID), 0);
	assert_string_equal(out, STRETCH_RUN_UUID " none 0123456789abcdef 8 lines, mode=stretch\n");
	RUN(&status_subcommand, "status", "--json", "--dir", runs, STRETCH_RUN_UUID);
	assert_in(out, "\"mode\": \"stretch\"");
	/* A run of gaps is as it was. */
	assert_int_equal(RUN(&status_subcommand, "status", "--dir", runs, GAPS_UUID), 0);
	assert_string_equal(out, GAPS_UUID " none 000000000000002a 3 lines\n");
	RUN(&status_subcommand, "status", "--json", "--dir", runs, GAPS_UUID);
	assert_not_in(out, "mode");
	unlink(file[0]);
	RUN(&fleet_subcommand, "fleet", runs);
	assert_not_in(out, "stretch");
	RUN(&fleet_subcommand, "fleet", "--json", runs);
	assert_not_in(out, "stretch");
	remove_both();
}

/* Nor is one of services, whatever their calls stop. */
TEST_F(start, teardown, test_services_are_no_quiet_run)
{
	const struct record_service service = { .service = "get_time",
						.others = 3,
						.calls = 100,
						.stops = true,
						.stopped = 3,
						.longest_ns = { 1000000, true } };
	const struct record_begin begin = { .machine = { .uuid = STRETCH_RUN_UUID },
					    .config = "mode=services max=none" };

	snprintf(runs, sizeof(runs), "%s/runs", folder);
	assert_int_equal(mkdir(runs, 0700), 0);
	services_run_send(&begin, &service, 1);
	store(0, "0123456789abcdef");
	store_gaps();
	assert_int_equal(RUN(&fleet_subcommand, "fleet", runs), 0);
	assert_in(out, "2 machines, 2 runs; 1 of the machines have no figures; 0 files not read\n"
		       "The latest run of 1 of them is of mode=services, which has no gaps to "
		       "compare\n\n");
	assert_in(out, "0 of 1 machines differ\n");
	assert_int_equal(RUN(&status_subcommand, "status", "--dir", runs, STRETCH_RUN_UUID), 0);
	assert_string_equal(out,
			    STRETCH_RUN_UUID " none 0123456789abcdef 4 lines, mode=services\n");
	remove_both();
}

static void store_end(const char *verdict, const char *remark)
{
	const struct record_begin begin = { .machine = { .uuid = GAPS_UUID } };
	const struct record_cpu cpu = { .stage = "bare", .exposure_ns = 1000000000 };
	const struct record_end end = { .verdict = verdict, .remark = remark };

	capture_free(&capture);
	capture_start(&capture, 42);
	record_send(&capture.link, RECORD_BEGIN, &begin);
	record_send(&capture.link, RECORD_CPU, &cpu);
	record_send(&capture.link, RECORD_END, &end);
	store(0, "000000000000002a");
}

/* Wherever the verdict is, and nowhere else. */
TEST_F(start, teardown, test_remark)
{
	snprintf(runs, sizeof(runs), "%s/runs", folder);
	assert_int_equal(mkdir(runs, 0700), 0);
	store_end("pass", "2 s is too short");
	assert_int_equal(RUN(&status_subcommand, "status", "--dir", runs, GAPS_UUID), 0);
	assert_string_equal(out,
			    GAPS_UUID " pass 000000000000002a 3 lines: but 2 s is too short\n");
	RUN(&status_subcommand, "status", "--json", "--dir", runs, GAPS_UUID);
	assert_in(out, "\"remark\": \"2 s is too short\"");
	assert_int_equal(RUN(&fleet_subcommand, "fleet", runs), 0);
	assert_in(out, "1 machines: 1 pass (1 of them shorter than the preset requires)\n");
	RUN(&fleet_subcommand, "fleet", "--json", runs);
	assert_in(out, "\"remarks\": 1");
	store_end("pass", NULL);
	RUN(&status_subcommand, "status", "--dir", runs, GAPS_UUID);
	assert_string_equal(out, GAPS_UUID " pass 000000000000002a 3 lines\n");
	RUN(&status_subcommand, "status", "--json", "--dir", runs, GAPS_UUID);
	assert_in(out, "\"remark\": null");
	RUN(&fleet_subcommand, "fleet", runs);
	assert_in(out, "1 machines: 1 pass\n");
	RUN(&fleet_subcommand, "fleet", "--json", runs);
	assert_in(out, "\"remarks\": 0");
	/* A remark is a pass's. */
	store_end("fail", "2 s is too short");
	assert_int_equal(RUN(&status_subcommand, "status", "--dir", runs, GAPS_UUID), 1);
	assert_not_in(out, "short");
	unlink(file[0]);
	assert_int_equal(rmdir(runs), 0);
}

TEST_GROUP(make_folder, remove_folder);
