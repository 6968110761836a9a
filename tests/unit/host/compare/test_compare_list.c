/* SPDX-License-Identifier: BSD-2-Clause */
/* `compare --list` of a mail with several runs. */
#include "core/records/record.h"

#include "host/subcommands.h"

#include "tests/unit/printed.h"

#define MAIL                                                                              \
	"[    0.000000] Linux version 6.1.0-56-rt-amd64 (gcc-12) #1 SMP PREEMPT_RT\n"     \
	"root@rack7:~# cyclictest -m -q -l 900\n"                                         \
	"T: 0 ( 1234) P:80 I:10000 C: 900 Min:      4 Act:    5 Avg:    6 Max:   61102\n" \
	"root@rack7:~# uname -a\n"                                                        \
	"Linux rack7 5.14.0-rt #1 SMP x86_64 GNU/Linux\n"                                 \
	"root@rack7:~# rtla osnoise top -q\n"                                             \
	"                 Operating System Noise\n"                                       \
	"duration:   0 00:00:05 | time is in us\n"                                        \
	"  0 #5 5000000 700 99.98600 300 20 9 0 9 0 9\n"                                  \
	"  1 #5 5000000 700 99.98600 300 31 9 0 9 0 9\n"                                  \
	"hwlatdetect:  test duration 900 seconds\n"                                       \
	"Max Latency: 48us\nSamples recorded: 37\n"

/* A floor without a gap. */
static void save_floor(unsigned file)
{
	SEND_BEGIN(.version = "9.8", .config = "threshold=1us");
	for (uint32_t n = 0; n < 2; n++)
		SEND_CPU(.stage = "handoff", .cpu = n, .exposure_ns = 1000000000);
	save_run(file);
}

TEST_F(start, teardown, test_mail)
{
	save_text(path[0], MAIL);
	assert_int_equal(RUN(&compare_subcommand, "compare", "--list", path[0]), 0);
	assert_string_equal(err, "");
	assert_in(out, "RUN  LINE  CORES  EXPOSURE(s)      MAX(us)  TOOL\n"
		       "  1     3      1          n/a  61102-61103  cyclictest\n"
		       "  2     7      2        5.000        31-32  rtla osnoise top\n"
		       "  3    11      1      450.000        48-49  hwlatdetect\n");
	assert_in(out, "run 1: command: cyclictest -m -q -l 900\n");
	assert_in(out, "run 2: command: rtla osnoise top -q\n");
	assert_in(out, "run 2: threshold not stated: assumed\n");
	assert_in(out, "run 3: exposure not stated: assumed\n");
	assert_in(out, "run 3: partly-listed: ");
	/* Wake-up latencies need neither exposure nor threshold. */
	assert_not_in(out, "run 1: exposure");
	assert_not_in(out, "run 1: threshold");
	assert_not_in(out, "run 2: exposure");
	/* No line of the mail has hwlatdetect's command. */
	assert_not_in(out, "run 3: command");
	RUN(&compare_subcommand, "compare", "--list", "--json", path[0]);
	printed_read();
	assert_printed_count("runs", 3);
	assert_printed_count("complaints", 0);
	assert_printed_is("runs|1|run", "2");
	assert_printed_is("runs|1|line", "7");
	assert_printed_is("runs|1|max_ns|high", "31999");
	assert_printed_is("runs|1|exposure", "stated");
	assert_printed_is("runs|1|machine", "null");
}

/* Times watched: exact, between bounds, with a lower bound only, without any. */
#define BOUNDS                                                                                    \
	"                 Operating System Noise\n"                                               \
	"duration:   0 00:00:05 | time is in us\n"                                                \
	"  0 #5 1500000 700 99.98600 300 20 9 0 9 0 9\n"                                          \
	"# RTLA osnoise histogram\n"                                                              \
	"# Duration:   0 00:00:01\n"                                                              \
	"Index   CPU-000\n"                                                                       \
	"20            5\n"                                                                       \
	"over:         0\n"                                                                       \
	"count:        5\n"                                                                       \
	"max:         20\n"                                                                       \
	"# tracer: osnoise\n"                                                                     \
	"o-9 [000] .... 9.1: sample_threshold: start 9.1 duration 1500000000 ns interference 0\n" \
	"# tracer: hwlat\n"                                                                       \
	"h-9 [001] d... 8.9: #1 inner/outer(us): 9/11 ts:1581527668.970010500\n"

TEST_F(start, teardown, test_bounds)
{
	save_text(path[0], BOUNDS);
	RUN(&compare_subcommand, "compare", "--list", path[0]);
	assert_in(out, "RUN  LINE  CORES  EXPOSURE(s)      MAX(us)  TOOL\n"
		       "  1     1      1        1.500        20-21  rtla osnoise top\n"
		       "  2     4      1          0-2        20-40  rtla osnoise hist\n"
		       "  3    11      1         1.5-  1500000.000  osnoise\n"
		       "  4    13      1          n/a        11-12  hwlat\n");
	RUN(&compare_subcommand, "compare", "--list", "--json", path[0]);
	printed_read();
	assert_printed_is("runs|0|exposure_ns|high", "1500000000");
	/* Five gaps of 20 us or more took 0.1 ms of it. */
	assert_printed_is("runs|1|exposure_ns|low", "100000");
	assert_printed_is("runs|2|exposure_ns|high", "null");
	assert_printed_is("runs|2|exposure_ns|low", "1500000000");
	/* The upper bound is unknown, but there is an estimate: half of the window. */
	assert_printed_is("runs|3|exposure_ns|high", "null");
	assert_true(json_is_integer(printed_at("runs|3|exposure_ns|value")));
}

/* Run numbers continue across files, and noisefloor's own runs are numbered as well. */
TEST_F(start, teardown, test_several_files)
{
	save_floor(0);
	save_text(path[1], MAIL);
	assert_int_equal(RUN(&compare_subcommand, "compare", "--list", path[0], path[1]), 0);
	assert_in(out, "  1     1      2        1.000    0.000  noisefloor 9.8\n");
	assert_in(out, "  2     3      1          n/a  61102-61103  cyclictest\n");
	save_text(path[1], "Lorem ipsum\n");
	assert_int_equal(RUN(&compare_subcommand, "compare", "--list", path[1]), 2);
	assert_in(err, "no known output");
	save_text(path[1], "hwlatdetect:  test duration 900 seconds\nSamples recorded: 1\n"
			   "ts: 1646837351.5, inner:48, outer:5, cpu:3\n");
	assert_int_equal(RUN(&compare_subcommand, "compare", "--list", path[1]), 3);
	assert_in(out, "run 1: cut-off: ");
}

/* Options that a list would ignore are refused. */
TEST_F(start, teardown, test_options_of_a_comparison)
{
	static const char *const options[][2] = {
		{ "--stage", "handoff" }, { "--run", "1" },   { "--force", NULL },
		{ "--preset", "bits" },   { "--max", "1us" }, { "--max-noise", "1" },
	};

	save_text(path[0], MAIL);
	for (size_t n = 0; n < sizeof(options) / sizeof(options[0]); n++) {
		assert_int_equal(RUN(&compare_subcommand, "compare", "--list", path[0],
				     options[n][0], options[n][1]),
				 2);
		assert_in(err, "compare: --list compares nothing; accepted with it: --format");
		assert_string_equal(out, "");
	}
	assert_int_equal(RUN(&compare_subcommand, "compare", "--list", "-f", "junit", path[0]), 2);
	assert_in(err, "compare: --list has two formats: text, json");
}

TEST_GROUP(make_folder, remove_folder);
