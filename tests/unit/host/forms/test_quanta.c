/* SPDX-License-Identifier: BSD-2-Clause */
/* `show --format ftq` and `fwq`, by hand, and as `compare`'s readers read them. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/tool_text.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

/* Two windows of 5 ms, 3 ms apart; on core 0 gaps of 200, 300 and 50 us. */
static void write_run(uint64_t counted, uint64_t len_ns)
{
	static const uint64_t gaps[][2] = { { 1500 * US, 200 * US },
					    { 3900 * US, 300 * US },
					    { 9250 * US, 50 * US } };
	const struct record_begin begin = { .config = "threshold=1us gaps=all",
					    .clock = { .hz = 1000 * MS } };
	struct record_end end = { .verdict = "none" };

	record_send(&capture.link, RECORD_BEGIN, &begin);
	for (uint64_t n = 0; n < 2; n++) {
		const struct record_window window = { .stage = "bare",
						      .n = n + 1,
						      .windows = 1,
						      .start_ns = n * 8 * MS,
						      .len_ns = n ? len_ns : 5 * MS,
						      .gaps = n ? 1 : 2 };

		record_send(&capture.link, RECORD_WINDOW, &window);
	}
	for (size_t i = 0; i < 3; i++) {
		const struct record_gap gap = {
			.stage = "bare", .t_ns = gaps[i][0], .len_ns = gaps[i][1], .cause = "smi"
		};

		record_send(&capture.link, RECORD_GAP, &gap);
	}
	for (uint32_t core = 0; core < 2; core++) {
		const struct record_cpu cpu = { .stage = "bare",
						.cpu = core,
						.exposure_ns = 10 * MS,
						.gaps = core ? 0 : counted };

		record_send(&capture.link, RECORD_CPU, &cpu);
	}
	record_send(&capture.link, RECORD_END, &end);
	save(0);
}

TEST_F(start, teardown, test_ftq)
{
	struct range sum;

	write_run(3, 5 * MS);
	assert_int_equal(RUN(&show_subcommand, "show", "--format", "ftq", path[0]), 0);
	assert_string_equal(err, "");
	assert_in(out, "# noisefloor: threshold=1000ns cpus=0\n"
		       "# Frequency 1000.000000\n# Ticks per ns: 1\n# thread 0, core 0\n"
		       "0 1000000\n1000000 800000\n2000000 1000000\n3000000 900000\n"
		       "4000000 800000\n5000000 1000000\n6000000 950000\n7000000 1000000\n"
		       "8000000 1000000\n9000000 1000000\n"
		       "# noisefloor: threshold=1000ns cpus=1\n");
	assert_int_equal(tool_string(out), 2);
	assert_string_equal(tool_reported, "");
	sum = tool_at(0, 0)->sum_ns;
	/* To 1 ns on either side of each quantum; the last has no end. */
	assert_in_range(550 * US, sum.low, sum.high);
	assert_in_range(sum.high - sum.low, 0, 2 * 9);
	assert_in_range(300 * US, 0, tool_at(0, 0)->max_ns.high);
	assert_exact(tool_at(0, 0)->exposure_ns, 9 * MS);
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_int_equal(tool_at(1, 1)->sum_ns.low, 0);
	tool_forget();
}

TEST_F(start, teardown, test_fwq)
{
	write_run(3, 5 * MS);
	assert_int_equal(RUN(&show_subcommand, "show", "--format", "fwq", path[0]), 0);
	assert_string_equal(err, "");
	assert_in(out, "# noisefloor: threshold=1000ns cpus=0 hz=1000000000\n"
		       "1000000\n1200000\n1000000\n1300000\n1000000\n1050000\n1000000\n1000000\n"
		       "1000000\n"
		       "# noisefloor: threshold=1000ns cpus=1 hz=1000000000\n1000000\n");
	assert_int_equal(tool_string(out), 2);
	assert_string_equal(tool_reported, "");
	assert_exact(tool_at(0, 0)->sum_ns, 550 * US);
	assert_range(tool_at(0, 0)->max_ns, 0, 300 * US);
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_exact(tool_at(1, 1)->sum_ns, 0);
	assert_exact(tool_at(1, 1)->exposure_ns, 10 * MS);
	tool_forget();
}

/* Part of the gaps, or no end of windows: nothing rather than something else. */
TEST_F(start, teardown, test_refused)
{
	write_run(4, 5 * MS);
	assert_int_equal(RUN(&show_subcommand, "show", "--format", "ftq", path[0]), 2);
	assert_in(err,
		  "3 of 4 gaps are in the report; gaps=all sends all; stage bare is left out\n");
	assert_not_in(err, "temporary file");
	assert_string_equal(out, "");
	start_again();
	write_run(3, UINT64_C(1) << 60);
	assert_int_equal(RUN(&show_subcommand, "show", "--format", "fwq", path[0]), 2);
	assert_in(err, "more than 134217728 quanta; stage bare is left out");
	assert_string_equal(out, "");
}

TEST_GROUP(make_folder, remove_folder);
