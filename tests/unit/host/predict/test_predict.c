/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`, on captures whose slowdown can be worked out by hand. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/printed.h"

#define PREDICT(...) RUN(&predict_subcommand, "predict", __VA_ARGS__)

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/*
 * A stage of two cores for 100 s: each has 100 gaps of 1 ms, of which `shared` begin at the same
 * time on both. Records of all gaps, unless `gaps` is false.
 */
static void write_run(const char *stage, unsigned shared, bool gaps)
{
	static const uint64_t pairs[][2] = { { 1000000, 100 } };

	if (!capture.link.sent[RECORD_BEGIN])
		SEND_BEGIN(.config = "threshold=2us", .clock = { .hz = 1000 * MS });
	for (unsigned core = 0; core < 2; core++) {
		for (unsigned i = 0; gaps && i < 100; i++)
			SEND_GAP(.stage = stage, .cpu = core, .cause = "smi", .len_ns = 1 * MS,
				 .t_ns = i * S + (i < shared ? 0 : core * 500 * MS));
		SEND_CPU(.stage = stage, .cpu = core, .exposure_ns = 100 * S, .gaps = 100,
			 .noise_ns = 100 * MS, .max_ns = 1 * MS, .histogram = { pairs, 1 });
	}
}

static void write_and_save(const char *stage, unsigned shared, bool gaps)
{
	write_run(stage, shared, gaps);
	save_run(0);
}

/* The prediction of the first file with an option, as JSON. */
static void predict(const char *option, const char *value)
{
	assert_int_equal(PREDICT("--json", path[0], option, value), 0);
	assert_string_equal(err, "");
	printed_read();
}

/* Slowdown on so many nodes. */
static double slowed(unsigned nodes, const char *column)
{
	size_t i = 0;

	while (json_integer_value(printed_at("curve|%zu|nodes", i)) != nodes)
		assert_true(++i < json_array_size(printed_at("curve")));
	return json_real_value(printed_at("curve|%zu|%s", i, column));
}

/* A step of 1 ms, hit with probability p by events of 1 ms that come `rate` a second per node. */
static double by_hand(double rate, double nodes)
{
	double step = 1;

	/*
	 * Lengths are in ms. A single node is late by its share. The equation is solved by trying.
	 */
	while (step < 1 + (1 - exp(-nodes * step * rate / 1000)) + rate / 1000 * step -
			      (1 - exp(-step * rate / 1000)))
		step += 1e-5;
	return step;
}

TEST_F(start, teardown, test_merged)
{
	write_and_save("handoff", 100, true);
	predict(NULL, NULL);
	assert_printed_is("how", "merged");
	assert_printed_is("runs|0|sid", "0123456789abcdef");
	assert_number("events", 100, 0);
	assert_number("threshold_ns", 2000, 0);
	assert_number("longest_ns", 1e6, 0);
	assert_near(slowed(1, "slowdown"), 1 / (1 - 0.001), 1e-6);
	assert_near(slowed(100, "slowdown"), by_hand(1, 100), 1e-4);
	assert_near(slowed(100000, "slowdown"), 2.0, 0.005);
	/* Each step of 100 us waits for 1 ms. */
	predict("--grain", "100us");
	assert_near(slowed(100000, "slowdown"), 11, 0.1);
}

/* Half of the gaps coincide: 150 events on the node. */
TEST_F(start, teardown, test_merged_in_part)
{
	write_and_save("handoff", 50, true);
	predict(NULL, NULL);
	assert_number("events", 150, 0);
	assert_near(slowed(100, "slowdown"), by_hand(1.5, 100), 1e-4);
}

/* Without all gap records, the relation between cores is unknown: no two gaps coincide. */
TEST_F(start, teardown, test_apart)
{
	write_and_save("handoff", 100, false);
	predict(NULL, NULL);
	assert_printed_is("how", "apart");
	assert_number("events", 200, 1e-9);
	assert_near(slowed(100, "slowdown"), by_hand(1, 200), 1e-3);
	/* Each core's own time, also where every core is a domain. */
	assert_int_equal(PREDICT(path[0]), 0);
	assert_in(out, " 2 cores, 100 s each, ");
}

/* The bound counts 100 events as up to 118.1 (95 %), and 3 of what was not seen. */
TEST_F(start, teardown, test_bound)
{
	write_and_save("handoff", 100, true);
	predict(NULL, NULL);
	assert_number("unseen_ns", 1e6, 0);
	assert_number("unseen_hz", 0.029957, 1e-5);
	assert_near(slowed(10, "bound"), by_hand(1.1808 + 0.02996, 10), 2e-4);
	for (size_t i = 0; i < json_array_size(printed_at("curve")); i++)
		assert_true(json_real_value(printed_at("curve|%zu|bound", i)) >
			    json_real_value(printed_at("curve|%zu|slowdown", i)));
	/* Events of 1 s every 33 s on 100,000 nodes: each step waits for one. */
	predict("--unseen", "1s");
	assert_in_range((uint64_t)slowed(100000, "bound"), 1000, 1040);
}

/*
 * 100 gaps in two of twelve windows are bursts of 500/11, with 11 degrees of freedom: Student's
 * limit is 1.7959, not 1.6449, and 100 events may be up to 328.6.
 */
TEST_F(start, teardown, test_bound_of_storms)
{
	static const uint64_t pairs[][2] = { { 1000000, 100 } };

	SEND_BEGIN(.config = "threshold=2us", .clock = { .hz = 1000 * MS });
	for (uint64_t n = 0; n < 12; n++)
		SEND_WINDOW(.stage = "handoff", .n = n + 1, .windows = 1, .start_ns = n * 10 * S,
			    .len_ns = 10 * S, .gaps = n == 3 || n == 4 ? 50 : 0);
	SEND_CPU(.stage = "handoff", .exposure_ns = 120 * S, .gaps = 100, .noise_ns = 100 * MS,
		 .max_ns = 1 * MS, .histogram = { pairs, 1 });
	save_run(0);
	predict(NULL, NULL);
	assert_near(slowed(10, "slowdown"), by_hand(100.0 / 120, 10), 1e-4);
	assert_near(slowed(10, "bound"), by_hand(328.6 / 120 + 2.9957 / 120, 10), 2e-4);
}

/* A quiet machine has no slowdown, and a bound that shows how little this proves. */
TEST_F(start, teardown, test_quiet)
{
	SEND_CPU(.stage = "bare", .exposure_ns = 100 * S);
	save_run(0);
	predict("--unseen", "1ms");
	assert_near(slowed(100000, "slowdown"), 1, 0);
	assert_near(slowed(10, "bound"), by_hand(0.02996, 10), 1e-4);
	assert_int_equal(PREDICT(path[0]), 0);
	assert_in(out, "the longest n/a\n");
	assert_in(out, "   100000     1.0000 ");
	assert_not_in(out, "an upper limit");
}

TEST_F(start, teardown, test_text)
{
	write_run("acpi", 0, true);
	write_and_save("handoff", 100, true);
	assert_int_equal(PREDICT("--nodes", "300", "--grain", "1ms", path[0]), 0);
	assert_in(out, "0.log: run 0123456789abcdef\n"
		       "stage:   handoff, 2 cores, 100 s each, gaps from 2.00 us on\n");
	assert_in(out, "noise:   200 gaps, overlapping ones merged to events: 1 a second on a "
		       "node, 0.1 % of the time, the longest 1.00 ms\n");
	assert_in(out, "job:     steps of 1.00 ms");
	assert_in(out, "every 33.4 s\n");
	assert_in(out, "\n      200 ");
	assert_in(out, "\n      300     1.");
	assert_in(out, "\n      500 ");
	/* On many nodes each step of 1 ms waits for 1 ms: 2, of which 1.2 is certain. */
	assert_in(out, "\na SLOWDOWN above 1.2 is an upper limit");
	assert_int_equal(PREDICT("--stage", "acpi", path[0]), 0);
	assert_in(out, "merged to events: 2 a second");
}

TEST_F(start, teardown, test_refused)
{
	static const char *const bad[][2] = {
		{ "--nodes", "0" },        { "--nodes", "many" },   { "--nodes", "100000001" },
		{ "--nodes", "-1" },       { "--grain", "1" },      { "--grain", "0s" },
		{ "--grain", "1 parsec" }, { "--unseen", "never" },
	};

	write_and_save("handoff", 100, true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(PREDICT(bad[i][0], bad[i][1], path[0]), 2);
		assert_in(err, bad[i][0]);
		assert_in(err, ": accepted: ");
		assert_string_equal(out, "");
	}
	assert_int_equal(PREDICT("--stage", "bare", path[0]), 2);
	assert_in(err, "stage bare was not measured; measured stages: handoff\n");
	assert_int_equal(PREDICT("--run", "42", path[0]), 2);
	assert_in(err, "has no run with that sid; it has: 0123456789abcdef\n");
	assert_int_equal(PREDICT("/nonexistent"), 2);
	assert_in(err, "/nonexistent: No such file");
	assert_int_equal(PREDICT(path[0], path[0]), 2);
	assert_in(err, "extra argument ");
}

/* A prediction from a part of the records has an exit code of its own. */
TEST_F(start, teardown, test_incomplete)
{
	write_run("handoff", 100, true);
	save(0);
	assert_int_equal(PREDICT(path[0]), 3);
	assert_in(out, "SLOWDOWN");
	assert_in(err, "there is no end record");
	SEND_END(.verdict = "none");
	capture_lose(&capture, 5);
	save(0);
	assert_int_equal(PREDICT(path[0]), 3);
	assert_in(out, "assuming gaps never overlap");
	assert_in(err, "lost: 1 of ");
}

/* End a run with this core, from which nothing is predicted. */
static void refuse(const struct record_cpu *cpu, const char *why)
{
	record_send(&capture.link, RECORD_CPU, cpu);
	save_run(0);
	assert_int_equal(PREDICT(path[0]), 2);
	assert_in(err, why);
}

/* Impossible numbers result in a message, not in a crash or a hang. */
TEST_F(start, teardown, test_hostile)
{
	static const uint64_t wild[][2] = { { UINT64_MAX, UINT64_MAX }, { 0, 1 }, { 5, 0 } };
	struct record_cpu cpu = { .stage = "bare\x1b[2J",
				  .exposure_ns = UINT64_MAX,
				  .gaps = UINT64_MAX,
				  .max_ns = UINT64_MAX,
				  .histogram = { wild, 1 } };

	/* 2^64 - 1 events of 2^64 - 1 ns, in 2^64 - 1 ns. */
	refuse(&cpu, "no prediction: noise takes ");

	/* A histogram that does not hold what the core counted. */
	start_again();
	cpu.histogram.count = 3;
	refuse(&cpu, "the histogram of cpu 0 does not hold its 18446744073709551615 gaps");

	start_again();
	cpu = (struct record_cpu){ .stage = "bare\x1b[2J", .gaps = 2 };
	refuse(&cpu, "its cores have no exposure");

	start_again();
	cpu.exposure_ns = 100 * S;
	for (unsigned late = 2; late-- > 0;)
		SEND_GAP(.stage = cpu.stage, .cause = "smi", .len_ns = UINT64_MAX,
			 .t_ns = late ? UINT64_MAX : 0);
	refuse(&cpu, "no prediction: noise takes ");
	assert_int_equal(PREDICT("--stage", "bare", path[0]), 2);
	assert_in(err, "measured stages: bare?[2J\n");
}

TEST_GROUP(make_folder, remove_folder);
