/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor hunt` on runs that have no gaps but times: of fixed work, and of firmware's calls. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"
#include "tests/unit/printed.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tree.h"

#define S     UINT64_C(1000000000)
#define CORES 2
#define RUNS  12 /* off and on in turns: as few as prove anything */
#define SEEDS rounds(5, 100)

static uint64_t seed;

static void send_begin(const char *config)
{
	const struct record_begin begin = { .config = config,
					    .machine = { "V", "Box", "B", .uuid = "u-1" },
					    .clock = { .hz = 2 * S } };

	record_send(&capture.link, RECORD_BEGIN, &begin);
}

/* Of 50 us, by a clock of 2 GHz. */
static void send_quanta(double alone, double all, uint64_t work)
{
	send_begin("mode=stretch kernel=l2");
	for (unsigned n = 0; n < 2 * CORES; n++) {
		struct record_stretch r = { .stage = "handoff",
					    .kernel = "l2",
					    .phase = n < CORES ? "alone" : "all",
					    .cpu = n % CORES,
					    .quanta = 1000,
					    .work = work,
					    .best = (uint64_t)(100000 * (n < CORES ? alone : all)),
					    .mean = 10000 };

		record_send(&capture.link, RECORD_STRETCH, &r);
	}
}

static void send_calls(double times)
{
	struct record_service r = { .stage = "handoff",
				    .service = "get_time",
				    .calls = 100,
				    .p50_ns = { (uint64_t)(30000 * times), true } };

	send_begin("mode=services services=get_time");
	record_send(&capture.link, RECORD_SERVICE, &r);
}

static void keep(unsigned n, bool on)
{
	const struct record_end end = { .verdict = "none" };
	char file[40], text[80];

	record_send(&capture.link, RECORD_END, &end);
	snprintf(file, sizeof(file), "d/run%02u.jsonl", n);
	tree_write_bytes(file, capture.bytes, capture.count);
	capture_free(&capture);
	snprintf(file, sizeof(file), "d/run%02u.bios.json", n);
	snprintf(text, sizeof(text), "{\"Attributes\": {\"Turbo\": \"%s\"}}", on ? "Off" : "On");
	tree_write(file, text);
}

/* `alone` and `all` are what the setting does to them; runs differ by 1 %. */
static void write_runs(double alone, double all)
{
	for (unsigned n = 0; n < RUNS; n++) {
		bool on = n % 2;

		capture_start(&capture, n + 1);
		send_quanta((on ? alone : 1) * exp(0.01 * draw_normal(&seed)),
			    (on ? all : 1) * exp(0.01 * draw_normal(&seed)), 8192);
		keep(n, on);
	}
}

static void hunted(void)
{
	assert_int_equal(RUN(&hunt_subcommand, "hunt", "--json", tree_path("d")), 0);
	printed_read();
}

/* The factor that was found of a time; 0: none was. */
static double found(const char *rate)
{
	const char *how = json_string_value(printed_at("changes|0|findings|what=%s|change", rate));

	if (!how || strcmp(how, "same") == 0)
		return 0;
	return json_number_value(printed_at("changes|0|findings|what=%s|factor", rate));
}

/* 1 %, in six runs each: the factor's standard error is 0.6 %. */
TEST_F(tree_make, tree_remove, test_a_setting_that_slows_work)
{
	for (unsigned i = 0; i < SEEDS; i++) {
		double factor;

		seed = 1000 * i;
		write_runs(1.1, 1);
		hunted();
		factor = found("l2 alone");
		if (fabs(factor - 1.1) > 0.03 || found("l2 all") != 0)
			fail_msg("seed %u: alone %g times, all %g", i, factor, found("l2 all"));
	}
}

TEST_F(tree_make, tree_remove, test_a_setting_that_does_nothing)
{
	unsigned any = 0;

	for (unsigned i = 0; i < SEEDS; i++) {
		seed = 1000 * i + 1;
		write_runs(1, 1);
		hunted();
		any += found("l2 alone") != 0 || found("l2 all") != 0;
	}
	/* 100 at a level of 1 in 100 are at most 4, but for 0.4 % of all sets of seeds. */
	assert_in_range(any, 0, 4);
}

/* By hand: best 50 us, and 1 % more on the mean. */
TEST_F(tree_make, tree_remove, test_text)
{
	for (unsigned n = 0; n < RUNS; n++) {
		capture_start(&capture, n + 1);
		send_quanta(n % 2 ? 1.2 : 1, 1, 8192);
		keep(n, n % 2);
	}
	assert_int_equal(RUN(&hunt_subcommand, "hunt", tree_path("d")), 0);
	assert_string_equal(err, "");
	assert_in(out, "\nTurbo: On -> Off\n  RATE      IN 6 RUNS  IN 6 RUNS  CHANGE\n");
	assert_in(out, "\n  l2 alone    50.5 us    60.6 us  +20.0 %, p ");
	assert_in(out, ": more\n");
	/* The same in all runs. */
	assert_not_in(out, "l2 all");
	assert_not_in(out, "SMI");
}

/* By how much times differ by chance, two do not show. */
TEST_F(tree_make, tree_remove, test_two_runs)
{
	for (unsigned n = 0; n < 2; n++) {
		capture_start(&capture, n + 1);
		send_quanta(n ? 2 : 1, 1, 8192);
		keep(n, n);
	}
	assert_int_equal(RUN(&hunt_subcommand, "hunt", tree_path("d")), 0);
	assert_in(out,
		  "\n  l2 alone    50.5 us     101 us  not judged: so few runs may differ by ");
	assert_in(out, "below 0.01: 0\nruns with equal settings differ by:\n");
}

/* Work of another length is other work. */
TEST_F(tree_make, tree_remove, test_other_work)
{
	for (unsigned n = 0; n < RUNS; n++) {
		capture_start(&capture, n + 1);
		send_quanta(n % 2 ? 2 : 1, 1, n == 5 ? 4096 : 8192);
		keep(n, n % 2);
	}
	assert_int_equal(RUN(&hunt_subcommand, "hunt", tree_path("d")), 3);
	assert_in(err, "run05.jsonl: none of the first run's work; left out\n");
	assert_in(out, "\n  RATE      IN 6 RUNS  IN 5 RUNS  CHANGE\n");
	assert_in(out, "\n  l2 alone    50.5 us     101 us  +100.0 %, p ");
}

TEST_F(tree_make, tree_remove, test_calls)
{
	for (unsigned n = 0; n < RUNS; n++) {
		capture_start(&capture, n + 1);
		send_calls((n % 2 ? 3 : 1) * (1 + 0.001 * n));
		keep(n, n % 2);
	}
	hunted();
	assert_true(fabs(found("get_time call") - 3) < 0.02);
}

/* What a run of another mode has is nothing that these have. */
TEST_F(tree_make, tree_remove, test_mixed_modes)
{
	capture_start(&capture, 1);
	send_quanta(1, 1, 8192);
	keep(0, false);
	capture_start(&capture, 2);
	send_calls(1);
	keep(1, true);
	assert_int_equal(RUN(&hunt_subcommand, "hunt", tree_path("d")), 2);
	assert_in(err, "run01.jsonl has another mode: services, not stretch\n");
}

TEST_GROUP(make_folder, remove_folder);
