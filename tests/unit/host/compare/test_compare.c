/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor compare` from its arguments to its exit code, and the arithmetic under it. */
#include "core/records/record.h"

#include "host/subcommands.h"
#include "host/compare/floor.h"
#include "host/tools/tool_format.h"
#include "host/compare/split.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"
#include "tests/unit/printed.h"

#include "tests/unit/tool_text.h"

#define S          UINT64_C(1000000000)
#define floor_path path[0]
#define os_path    path[1]

/*
 * One second of osnoise on core 0: ten noises of 20 us, four of 7 us with an interrupt of
 * 5 us in each: 228 us. Core 1: one of 30 us, of which 25 us an interrupt. 23 lines.
 */
static char one_second[1 << 18];

static void make_folder_and_second(void)
{
	make_folder();
	load(TOOL_DATA "osnoise-one-second.trace", one_second);
}

/* Run `compare FLOOR OS [option [value]]`: its exit code. */
static int compare_files(const char *option, const char *value, const char *from, const char *to)
{
	return RUN(&compare_subcommand, "compare", from, to, option, value);
}

static int compare(const char *option, const char *os)
{
	save(0);
	save_text(os_path, os);
	return compare_files(option, NULL, floor_path, os_path);
}

/* Core 0: 100 gaps of 20 us in 10 s. Core 1: none. */
static void write_cores(const char *stage)
{
	static const uint64_t pairs[][2] = { { 20000, 100 } };

	SEND_CPU(.stage = stage, .exposure_ns = 10 * S, .noise_ns = 2000000, .max_ns = 20000,
		 .gaps = 100, .histogram = { pairs, 1 });
	SEND_CPU(.stage = stage, .cpu = 1, .exposure_ns = 10 * S);
}

static void write_begin(const char *product, const char *hypervisor)
{
	SEND_BEGIN(.version = "9.8", .machine = { .vendor = "Acme", .product = product },
		   .hypervisor = hypervisor, .config = "threshold=1us");
}

static void write_end(void)
{
	SEND_END(.verdict = "none");
}

static void write_run(const char *stage)
{
	write_begin("Anvil", NULL);
	write_cores(stage);
	write_end();
}

static void write_floor(void)
{
	write_run("handoff");
}

#define STATED "# noisefloor: threshold=1us\n"

#define NOISE "o-9 [000] .... 9.1: sample_threshold: start 9.1 duration 200000 ns interference 0\n"
#define LINE  "o-9 [000] .... 9.9: 1000000 200 99.98000 200 1 0 0 0 0\n"

/* A tenth of the floor's 2000 us belongs to one second; the rest is what remains of 228. */
TEST_F(start, teardown, test_text)
{
	write_floor();
	assert_int_equal(compare(NULL, one_second), 0);
	assert_string_equal(err, "");
	assert_in(out, "run 0123456789abcdef, stage handoff, threshold 1us, 2 cores\n"
		       "machine: Acme Anvil\n");
	/*
	 * The floor's part is known as well as test_expect() has it, 40.344 to 40.425 us at least,
	 * and at most all that was seen; core 1 may have had one unseen gap of 30 us. Interrupts
	 * may hide 20 of the 40 us, so that 20 are left at least: of 208, at most 188 are
	 * unexplained.
	 */
	assert_in(out, "/1.log: osnoise, threshold 1us (stated), exposure stated\n"
		       "CPU  EXPOSURE(s)  NOISE(us)  BELOW(us)  NMI(us)  IRQ(us)  SOFTIRQ(us)\n"
		       "  0        1.000    228.000     40-228    0.000   20.000        0.000\n"
		       "  1        1.000     30.000       0-30    0.000   25.000        0.000\n"
		       "all        2.000    258.000     40-258    0.000   45.000        0.000\n"
		       "CPU  THREAD(us)  UNEXPLAINED(us)  BELOW(%)  MAX(us)  BELOW-MAX(us)\n"
		       "  0       0.000            0-188    17-100   20.000         20.000\n"
		       "  1       0.000              0-5     0-100   30.000          0.000\n"
		       "all       0.000            0-193    15-100   30.000         20.000\n");
	/* 200 / 258 */
	assert_in(out, "\nbelow the OS: 200.000 us, 77.51 % of the noise; at 95 % 40-258 us, "
		       "15-100 %; added by the OS: 0-218 us\n");
	/* Everything is stated and nothing is unsound, so there is no note. */
	assert_not_in(out, "note:");
	assert_not_in(out, "refused");
}

#define TURBOSTAT "5.000000 sec\nCore CPU Busy% IRQ SMI C1\n- - 4.06 8637 60 9\n"

/* turbostat has only SMIs: 35 in 5 s and 12 in 60 s below, which counts none on core 1. */
TEST_F(start, teardown, test_smis)
{
	static const char smis[] = TURBOSTAT "0 0 4.00 916 35 4\n0 1 4.20 1024 25 5\n";

	write_begin("Anvil", NULL);
	SEND_CPU(.stage = "handoff", .exposure_ns = 60 * S, .smi = { 12, true });
	SEND_CPU(.stage = "handoff", .cpu = 1, .exposure_ns = 60 * S);
	write_end();
	assert_int_equal(compare(NULL, smis), 0);
	assert_string_equal(err, "");
	assert_in(out, "SMI/s  BELOW-SMI/s\n");
	assert_in(out, " 7.00         0.20\n");
	assert_in(out, " 5.00          n/a\n");
	assert_not_in(out, "below the OS");
	assert_int_equal(compare("--json", smis), 0);
	printed_read();
	assert_printed_is("compared|0|cores|1|smi", "25");
	/* A number that is too large becomes the largest. */
	assert_int_equal(compare(NULL, TURBOSTAT "0 0 4.00 916 18446744073709551615 4\n"), 0);
	assert_in(out, " 184467440737095516.15 ");
	assert_int_equal(compare(NULL, one_second), 0);
	assert_not_in(out, "SMI/s");
}

TEST_F(start, teardown, test_json)
{
	static const char *const exact[][2] = {
		{ "noise_ns|value", "228000" }, { "floor_ns|value", "200000" },
		{ "floor_ns|high", "228000" },  { "irq_ns|value", "20000" },
		{ "nmi_ns|value", "0" },        { "unexplained_ns|value", "8000" },
		{ "in_causes_ns|value", "0" },  { "floor_ppm|value", "877192" }, /* 200 / 228 */
		{ "exposure", "stated" },
	};
	char name[60];

	write_floor();
	assert_int_equal(compare("--json", one_second), 0);
	printed_read();
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		snprintf(name, sizeof(name), "compared|0|cores|0|%s", exact[i][0]);
		assert_printed_is(name, exact[i][1]);
	}
	/* See test_expect. */
	assert_number("compared|0|cores|0|floor_ns|low", (40344 + 40425) / 2.0, 41);
	assert_number("compared|0|cores|0|added_ns|high",
		      228000 - printed_number("compared|0|cores|0|floor_ns|low"), 0);
	/* The noises of both cores may have been the same. */
	assert_printed_is("compared|0|cores|1|events|value", "1");
	assert_printed_is("compared|0|all|events", "null");
	assert_printed_is("floor|stage", "handoff");
	assert_printed_is("floor|whole", "true");
}

/*
 * 100 gaps of 20 us, a tenth of the time: 10 expected. The 95 % limits of a Poisson mean of
 * which 100 were counted are 81.36 and 121.63 (tables; Garwood 1936); around a tenth of these,
 * 8.136 - 1.96 * 2.852 + 0.474 - 1 = 2.019 and 12.163 + 1.96 * 3.488 + 0.474 + 1 = 20.47 gaps.
 */
TEST_F(start, teardown, test_expect)
{
	const uint64_t pair[][2] = { { 20000, 100 } };
	struct floor_sum sum = { 0 };
	struct range share;

	floor_add(&sum,
		  &(struct record_cpu){ .exposure_ns = 10 * S,
					.noise_ns = 2000000,
					.max_ns = 20000,
					.gaps = 100,
					.histogram = { pair, 1 } },
		  1000, UINT64_MAX);
	assert_exact(sum.noise_ns, 2000000);
	share = floor_expect(&sum, 1, range_exact(S), 50000);
	assert_int_equal(share.value.value, 200000);
	assert_in_range(share.low, 40344, 40425);
	assert_in_range(share.high, 409000, 409800);
	/* In bursts of four the same gaps are 25 events of 80 us: both bounds further out. */
	share = floor_expect(&sum, 4, range_exact(S), 50000);
	assert_int_equal(share.value.value, 200000);
	assert_int_equal(share.low, 0);
	assert_in_range(share.high, 500000, 1000000);
	/* An exposure known within bounds. */
	share = floor_expect(&sum, 1, range_of(0, S), 50000);
	assert_int_equal(share.low, 0);
	assert_in_range(share.high, 409000, 409800);
}

/* No gap of that length in 10 s: in 20 s up to 6, each as long as the longest that was seen. */
TEST_F(start, teardown, test_expect_of_none)
{
	struct floor_sum sum = { 0 };
	struct range share;

	floor_add(&sum, &(struct record_cpu){ .exposure_ns = 10 * S }, 1000, UINT64_MAX);
	share = floor_expect(&sum, 1, range_exact(20 * S), 50000);
	assert_int_equal(share.value.value, 0);
	assert_range(share, 0, 300000);
}

/* Gaps from a length on: exact by what is below, and bounds where a bucket is divided. */
TEST_F(start, teardown, test_floor_from)
{
	/* 2000 (bucket to 2033): 3; 6400 (to 6502): 2; 64000: 1 of 64500. Noise is exact. */
	const uint64_t pair[][2] = { { 2000, 3 }, { 6400, 2 }, { 64000, 1 } };
	struct record_cpu core = { .exposure_ns = S,
				   .noise_ns = 3 * 2010 + 2 * 6450 + 64500,
				   .max_ns = 64500,
				   .gaps = 6,
				   .histogram = { pair, 3 } };
	static const struct {
		uint64_t shortest, longest, low, high;
	} cases[] = {
		{ 1000, UINT64_MAX, 83430, 83430 },
		/* Without the three of 2000 to 2033, of which the sum is at least 77400. */
		{ 5000, UINT64_MAX, 83430 - 3 * 2033, 83430 - 3 * 2000 },
		/* The two of 6400 to 6502 count or not: 83430 - 3 * 2033 - 2 * 6502 without them.
		 */
		{ 6450, UINT64_MAX, 64327, 83430 - 3 * 2000 },
		{ 100000, UINT64_MAX, 0, 0 },
		/* All but the one of 64000 to 64500. */
		{ 1000, 7000, 83430 - 64500, 3 * 2033 + 2 * 6502 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct floor_sum sum = { 0 };

		floor_add(&sum, &core, cases[i].shortest, cases[i].longest);
		assert_range(sum.noise_ns, cases[i].low, cases[i].high);
		assert_int_equal(sum.max_ns, 64500);
	}
}

/* Gaps of 10 or 40 us: the bounds hold what comes in another exposure, 95 times in 100. */
TEST_F(start, teardown, test_coverage)
{
	static const double means[] = { 2, 10, 60, 400 }, times[] = { 0.1, 1, 4 };
	const unsigned trials = 400;
	uint64_t seed = 7;

	for (unsigned m = 0; m < 4; m++) {
		for (unsigned t = 0; t < 3; t++) {
			unsigned held = 0;

			for (unsigned i = 0; i < trials; i++) {
				const uint64_t pair[][2] = {
					{ 10000, draw_poisson(&seed, means[m] / 2) },
					{ 40000, draw_poisson(&seed, means[m] / 2) }
				};
				uint64_t seen =
					draw_poisson(&seed, times[t] * means[m] / 2) * 10000 +
					draw_poisson(&seed, times[t] * means[m] / 2) * 40000;
				struct record_cpu core = { .exposure_ns = S,
							   .noise_ns = pair[0][1] * 10000 +
								       pair[1][1] * 40000,
							   .max_ns = 40000,
							   .histogram = { pair, 2 } };
				struct floor_sum sum = { 0 };
				struct range share;

				floor_add(&sum, &core, 0, UINT64_MAX);
				share = floor_expect(&sum, 1,
						     range_exact((uint64_t)(times[t] * (double)S)),
						     40000);
				held += seen >= share.low && seen <= share.high;
			}
			if (held * 100 < trials * 95)
				fail_msg("mean %g, times %g: %u of %u", means[m], times[t], held,
					 trials);
		}
	}
}

/* Outputs of tools: sysjitter's figures of one core or several. */
#define SYSJITTER(cores, threshold, runtime, count, max, total)                                    \
	"core_i: " cores "\nthreshold(ns): " threshold "\nruntime(ns): " runtime "\nint_n: " count \
	"\nint_max(ns): " max "\nint_total(ns): " total "\n"

#define ONE(core, count, max, total) SYSJITTER(core, "1000", "1000000000", count, max, total)
#define TWO(cores, max, total) \
	SYSJITTER(cores, "1000 1000", "1000000000 1000000000", "9 9", max, total)
#define HISTOGRAM(seconds)                                       \
	"# RTLA osnoise histogram\n# Duration: 0 00:00:" seconds \
	"\nIndex CPU-000\n20 5\nover: 0\n"                       \
	"count: 5\nmax: 20\n"
#define CYCLICTEST(max) "T: 0 (  1) P:9 I:1 C: 5 Min: 2 Act: 5 Avg: 3 Max: " max "\n"
#define DETOUR          "[1.5] Irq: CPU: 0   Pid: 7 [a]   Duration: 350000   IRQ: 1 [x]\n"

/* Each case: why the comparison is unsound, and the name of that flag; no other flag is set. */
TEST_F(start, teardown, test_flags)
{
	static const struct {
		const char *os, *name;
		int code;
	} cases[] = {
		{ ONE("7", "9", "20000", "400000"), "refused: no-common-core", 2 },
		{ ONE("0", "9", "20000", "400000"), "note: causes-not-stated", 0 },
		{ ONE("0", "9", "20000", "400000"), "note: cores-apart", 0 },
		{ SYSJITTER("0", "500", "1000000000", "9", "20000", "400000"),
		  "note: threshold-lower", 0 },
		{ SYSJITTER("0", "5000", "1000000000", "9", "20000", "400000"),
		  "note: threshold-higher", 0 },
		{ SYSJITTER("0", "1000", "20000000000", "900", "20000", "9000000"),
		  "note: short-floor", 0 },
		{ ONE("0", "9", "19999", "40000"), "note: floor-longer", 0 },
		{ ONE("0", "1", "20000", "20000"), "note: floor-above-noise", 0 },
		{ NOISE LINE, "note: threshold-assumed", 0 },
		{ NOISE, "note: exposure-assumed", 0 },
		{ "# RTLA osnoise histogram\nIndex CPU-000\n0 5\nover: 0\ncount: 5\nmax: 0\n",
		  "note: exposure-unknown", 0 },
		{ HISTOGRAM("01"), "note: noise-bounds", 0 },
		{ CYCLICTEST("28"), "note: wakeup-latency", 0 },
		{ CYCLICTEST("18"), "note: floor-longer", 0 },
		{ DETOUR, "note: blind-to-floor", 0 },
		{ "# tracer: osnoise\n# osnoise is tainted!\n" LINE, "note: tainted", 0 },
	};

	write_floor();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(compare(NULL, cases[i].os), cases[i].code);
		assert_in(out, cases[i].name);
	}
	/* The note is absent if it does not apply. */
	assert_int_equal(compare(NULL, cases[1].os), 0);
	assert_not_in(out, "note: threshold");
	assert_not_in(out, "floor-");
	assert_not_in(out, "exposure-");
	assert_not_in(out, "short-");
	assert_not_in(out, "noise-bounds");
}

/* The time watched is at least 0.2 ms, and at least 1 s and less than 2 s. */
TEST_F(start, teardown, test_what_is_concluded_of_the_time)
{
	write_floor();
	assert_int_equal(compare(NULL, NOISE), 0);
	assert_in(out, "\nCPU  EXPOSURE(s) ");
	assert_in(out, "\n  0          n/a ");
	assert_int_equal(compare(NULL, HISTOGRAM("01")), 0);
	assert_in(out, "\n  0          0-2 ");
}

/* No time is attributed to a floor that the tool cannot see. */
TEST_F(start, teardown, test_a_tool_that_cannot_see_the_floor)
{
	write_floor();
	assert_int_equal(compare(NULL, DETOUR), 0);
	assert_in(out, "BELOW(us)  IRQ(us)");
	assert_in(out, "    350.000        n/a  350.000 ");
	assert_not_in(out, "added by the OS");
}

static void assert_floor_flag(const char *name, int code)
{
	assert_int_equal(compare(NULL, one_second), code);
	assert_in(out, name);
	capture_free(&capture);
	start();
}

/* Flags about the floor. */
TEST_F(start, teardown, test_floor_flags)
{
	write_begin("Anvil", "KVM");
	write_cores("handoff");
	write_end();
	assert_floor_flag("note: hypervisor", 0);
	write_run("bare");
	assert_floor_flag("note: stage: ", 0);
	write_begin("Anvil", NULL);
	write_cores("handoff");
	assert_floor_flag("note: floor-cut", 3);
	write_floor();
	capture_lose(&capture, 2);
	assert_floor_flag("note: floor-damaged", 3);
	write_begin("Anvil", NULL);
	SEND_PAUSE(.stage = "handoff", .clock = "rtc");
	write_cores("handoff");
	write_end();
	assert_floor_flag("note: floor-clock: ", 0);
	write_floor();
	capture.link.sid++;
	capture.link.seq = 0;
	memset(capture.link.sent, 0, sizeof(capture.link.sent));
	write_floor();
	assert_floor_flag("note: several-runs", 0);
}

TEST_F(start, teardown, test_no_floor)
{
	assert_int_equal(compare(NULL, one_second), 2);
	assert_in(err, "/0.log: no noisefloor run with cpu records");
	assert_string_equal(out, "");
	write_run("os");
	assert_int_equal(compare(NULL, one_second), 2);
	assert_in(err, "no stage below an OS to use as the floor; measured: os");
	save_text(os_path, one_second);
	assert_int_equal(compare_files("--stage", "acpi", floor_path, os_path), 2);
	assert_in(err, "no stage acpi to use as the floor; measured: os");
	assert_int_equal(compare_files(NULL, NULL, "/nonexistent", os_path), 2);
	assert_in(err, "/nonexistent: No such file");
	assert_string_equal(out, "");
	/* The JSON has the reason. */
	assert_int_equal(compare_files("--json", NULL, "/nonexistent", os_path), 2);
	printed_read();
	assert_printed_is("floor", "null");
	assert_printed_is("complaints|0|text", "No such file or directory");
	assert_printed_is("verdict", "error");
}

TEST_F(start, teardown, test_stage_is_chosen)
{
	write_begin("Anvil", NULL);
	write_cores("handoff");
	write_cores("firmware");
	write_end();
	assert_int_equal(compare(NULL, one_second), 0);
	assert_in(out, "stage handoff");
	assert_int_equal(compare_files("--stage", "firmware", floor_path, os_path), 0);
	assert_in(out, "stage firmware");
	assert_in(out, "note: stage: ");
}

/* noisefloor itself under an OS: the same machine or not. */
TEST_F(start, teardown, test_own_records)
{
	static const uint64_t pairs[][2] = { { 20000, 10 }, { 40000, 1 } };

	write_floor();
	save(0);
	for (int other = 0; other < 2; other++) {
		start_again();
		write_begin(other ? "Hammer" : "Anvil", NULL);
		SEND_CPU(.stage = "os", .exposure_ns = S, .noise_ns = 240000, .max_ns = 40000,
			 .gaps = 11,
			 .cause = { [CAUSE_NMI] = { 1, 40000 }, [CAUSE_UNKNOWN] = { 10, 200000 } },
			 .histogram = { pairs, 2 });
		save_run(1);
		assert_int_equal(compare_files(NULL, NULL, floor_path, os_path), other ? 2 : 0);
		if (other) {
			assert_in(out, "refused: other-machine");
			assert_not_in(out, "240.000");
			assert_int_equal(compare_files("--force", NULL, floor_path, os_path), 0);
			assert_in(out, "note: other-machine");
		}
		/* 40 of the 240 are an NMI; the floor is at least that of test_expect. */
		assert_in(out, "NOISE(us)  BELOW(us)  NMI(us)  UNEXPLAINED(us)");
		assert_in(out,
			  "  0        1.000    240.000     40-240   40.000            0-200    "
			  "16-100\nCPU  MAX(us)  BELOW-MAX(us)\n  0   40.000         20.000\n");
		assert_in(out, "below the OS: 200.000 us, 83.33 % of the noise;");
	}
	/* The floor's own file is no measurement from inside. */
	assert_int_equal(compare_files(NULL, NULL, floor_path, floor_path), 2);
	assert_in(err, "run 0123456789abcdef was not measured from inside an OS");
}

/* Core 1 of the stage linux has 50 gaps of 20 us, and core 0 none: beside the floor, and as one. */
TEST_F(start, teardown, test_what_linux_has_left)
{
	static const uint64_t pairs[][2] = { { 20000, 50 } };

	write_floor();
	save(0);
	start_again();
	write_begin("Anvil", NULL);
	SEND_CPU(.stage = "linux", .exposure_ns = 10 * S, .smi = { 0, true });
	SEND_CPU(.stage = "linux", .cpu = 1, .exposure_ns = 10 * S, .noise_ns = 1000000,
		 .max_ns = 20000, .gaps = 50, .smi = { 0, true }, .histogram = { pairs, 1 });
	save_run(1);
	assert_int_equal(compare_files(NULL, NULL, floor_path, os_path), 0);
	assert_in(out, "note: left-by-linux: this is the stage linux");
	assert_in(out,
		  "\nlinux         2      10.000       2.50      0.00        50.0        20.0\n"
		  "handoff to linux:\n"
		  "  PER SECOND AND CORE  ");
	assert_in(out, "; added by Linux's drivers: ");
	assert_not_in(out, "note: stage: ");
	assert_not_in(out, "by the OS");

	save_text(floor_path, "");
	assert_int_equal(rename(os_path, floor_path), 0);
	save_text(os_path, one_second);
	assert_int_equal(compare_files(NULL, NULL, floor_path, os_path), 0);
	assert_in(out, ", stage linux, ");
	assert_not_in(out, "note: stage: ");
}

/* A floor of `cores` equal cores in 10 s each, and what a tool saw on one core or two. */
static struct {
	uint64_t pair[1][2];
	struct record_cpu core[2];
	struct result_stage stage;
	struct result run;
	struct floor floor;
} plain;

static struct tool_core seen[2];
static struct tool inside;
static struct split_result split;

static void lay_floor(size_t cores, uint64_t length, uint64_t count)
{
	plain.pair[0][0] = length;
	plain.pair[0][1] = count;
	plain.stage = (struct result_stage){ .cpu = plain.core, .cpus = cores };
	plain.run.ended = plain.run.has_end = true;
	plain.floor = (struct floor){ .run = &plain.run,
				      .stage = &plain.stage,
				      .stage_name = "handoff",
				      .threshold_ns = 1000,
				      .burst = 1 };
	for (uint32_t i = 0; i < cores; i++)
		plain.core[i] = (struct record_cpu){ .cpu = i,
						     .exposure_ns = 10 * S,
						     .noise_ns = length * count,
						     .max_ns = length,
						     .histogram = { plain.pair, 1 } };
}

static void see(struct range exposure_ns, struct range sum_ns, struct range max_ns)
{
	inside = (struct tool){ .tool = "x", .core = seen, .cores = 1 };
	seen[0] = (struct tool_core){ .exposure_ns = exposure_ns,
				      .sum_ns = sum_ns,
				      .max_ns = max_ns };
}

/* Compare the first of the tool's cores with the floor. */
static const struct split_row *split_by(struct range threshold_ns)
{
	inside.threshold_ns = threshold_ns;
	split_free(&split);
	split_make(&split, &plain.floor, &inside, false);
	return split.row;
}

static void free_split(void)
{
	split_free(&split);
}

/* Gaps of 2 us only: with a threshold of 1 or 5 us they are in the noise or not. */
TEST_F(NULL, free_split, test_threshold_range)
{
	const struct split_row *row;

	lay_floor(1, 2000, 10000);
	see(range_exact(10 * S), range_exact(90000000), range_exact(90000));
	row = split_by(range_of(1000, 5000));
	assert_int_equal(row->figure[SPLIT_BELOW].low, 0);
	assert_in_range(row->figure[SPLIT_BELOW].high, 20000000, 22000000);
	assert_in_range(split_by(range_exact(1000))->figure[SPLIT_BELOW].low, 18000000, 20000000);
	/* The tool counts from 500 ns on, the floor from 1 us: 50 ms of 500 ns may be its, too. */
	see(range_exact(10 * S), (struct range){ 0 }, (struct range){ 0 });
	seen[0].floor_ns = 1000;
	tool_count(seen, 500, 500, 100000);
	tool_count(seen, 90000, 90000, 400);
	row = split_by(range_exact(500));
	assert_true(split.flags & 1u << SPLIT_THRESHOLD_LOWER);
	assert_int_equal(row->figure[SPLIT_NOISE].low, 86000000);
	assert_in_range(row->figure[SPLIT_BELOW].high, 70000000, 72000000);
	/* The sum of what takes 2 us or more is also one of what takes 1 us or more. */
	seen[0].floor_ns = 2000;
	assert_in_range(split_by(range_exact(500))->figure[SPLIT_BELOW].high, 70000000, 72000000);
}

/*
 * The threshold may be 5 us, which is above the longest gap that was seen: no gap was then in both.
 */
TEST_F(NULL, free_split, test_longest_below_threshold)
{
	const struct split_row *row;

	/*
	 * Gaps of 5 us are not in the noise; up to three unseen ones are, each as long as the
	 * longest.
	 */
	lay_floor(1, 5000, 10000);
	see(range_exact(10 * S), range_of(138000, 147990), range_of(3000, 3999));
	row = split_by(range_of(1000, 5000));
	assert_range(row->figure[SPLIT_BELOW], 0, 3 * 3999);
	assert_range(row->figure[SPLIT_ADDED], 138000 - 3 * 3999, 147990);
	/* Gaps of 2 us may be in the noise. */
	lay_floor(1, 2000, 10);
	row = split_by(range_of(1000, 5000));
	assert_int_equal(row->figure[SPLIT_BELOW].low, 0);
	assert_in_range(row->figure[SPLIT_BELOW].high, 20000, 147990);
}

/* A gap of 5 ms in the floor, of which nothing as long was seen: only the rest came there. */
TEST_F(NULL, free_split, test_longer_than_seen)
{
	const uint64_t pair[][2] = { { 20000, 100 }, { 5000000, 1 } };
	const struct split_row *row;

	lay_floor(1, 20000, 100);
	plain.core[0].histogram = (struct record_pairs){ pair, 2 };
	plain.core[0].noise_ns = 7000000;
	plain.core[0].max_ns = 5000000;
	see(range_exact(S), range_exact(90000000), range_of(30000, 30999));
	row = split_by(range_exact(1000));
	assert_int_equal(row->figure[SPLIT_BELOW].value.value, 200000);
	assert_int_equal(row->figure[SPLIT_BELOW_MAX].high, 5000000);
	assert_true(split.flags & 1u << SPLIT_FLOOR_LONGER);
	seen[0].max_ns = range_of(5000000, 5000999);
	assert_int_equal(split_by(range_exact(1000))->figure[SPLIT_BELOW].value.value, 700000);
	assert_false(split.flags & 1u << SPLIT_FLOOR_LONGER);
}

/*
 * A tool that does not name cores: both cores' floor, 200 gaps of 20 us in 20 s. As an SMI
 * hits both, that is as 100 events of 40 us: of 5 s worth, at least 81.36 / 2 = 40.68, less
 * 1.96 * 6.378 and 0.526: 27.65 events.
 */
TEST_F(NULL, free_split, test_any_core)
{
	const struct split_row *row;

	lay_floor(2, 20000, 100);
	see(range_exact(10 * S), range_exact(90000000), range_exact(90000));
	seen[0].cpu = TOOL_ANY_CPU;
	row = split_by(range_exact(1000));
	assert_int_equal(row->figure[SPLIT_BELOW].value.value, 2000000);
	assert_in_range(row->figure[SPLIT_BELOW].low, 1103000, 1109000);
}

/* One thread moved between both cores for 6 s: 3 s on each. */
TEST_F(NULL, free_split, test_shared_exposure)
{
	const struct split_row *row;

	lay_floor(2, 20000, 100);
	see((struct range){ 0 }, range_exact(90000000), range_exact(90000));
	inside.shared_ns = range_exact(6 * S);
	row = split_by(range_exact(1000));
	assert_exact(row->figure[SPLIT_EXPOSURE], 3 * S);
	assert_int_equal(row->figure[SPLIT_BELOW].value.value, 600000);
	assert_true(split.flags & 1u << SPLIT_EXPOSURE_ASSUMED);
}

/*
 * Five windows of 1 s with 0, 0, 100, 0 and 0 gaps: chi-square 100^2 / 20 - 100 = 400 with 4
 * degrees of freedom, over two cores: bursts of 50. As many in each window are none.
 */
TEST(test_burst)
{
	struct result_window window[5];
	struct result_stage stage = { .cpus = 2, .window = window, .windows = 5 };

	for (unsigned i = 0; i < 5; i++)
		window[i] = (struct result_window){ .len_ns = S, .gaps = i == 2 ? 100 : 0 };
	assert_true(fabs(floor_burst(&stage) - 50) < 1e-6);
	stage.windows = 4;
	assert_true(floor_burst(&stage) == 1);
	stage.windows = 5;
	stage.cpus = 0;
	assert_true(floor_burst(&stage) == 1);
	stage.cpus = 2;
	for (unsigned i = 0; i < 5; i++)
		window[i].gaps = 20;
	assert_true(floor_burst(&stage) == 1);
}

/* One core has how long its interrupts took, one has not: the sum has what is certain. */
TEST_F(NULL, free_split, test_causes_of_one)
{
	lay_floor(2, 20000, 100);
	see(range_exact(S), range_exact(900000), range_exact(90000));
	seen[1] = seen[0];
	seen[1].cpu = 1;
	seen[0].cause_ns[TOOL_IRQ] = range_exact(100000);
	inside.cores = 2;
	split_by(range_exact(1000));
	assert_exact(split.row[0].figure[SPLIT_CAUSE + TOOL_IRQ], 100000);
	/* Interrupts may have taken all that the other core cannot explain: all but what is below.
	 */
	assert_range(split.all.figure[SPLIT_CAUSE + TOOL_IRQ], 100000,
		     100000 + split.row[1].figure[SPLIT_UNEXPLAINED].high);
	/* 200 us of floor each, of one core's 800 us without interrupts and the other's 900 us */
	assert_int_equal(split.all.figure[SPLIT_BELOW].value.value, 400000);
	assert_int_equal(split.all.figure[SPLIT_UNEXPLAINED].value.value, 600000 + 700000);
	assert_exact(split.all.figure[SPLIT_NOISE], 1800000);
}

/* The UUID decides where both have one; zeros are none. */
TEST_F(start, teardown, test_machines)
{
	static const struct {
		const char *uuid[2], *product;
		bool other;
	} cases[] = {
		{ { "4c4c4544-0051", "4C4C4544-0051" }, "Hammer", false },
		{ { "4c4c4544-0051", "4c4c4544-0052" }, "Anvil", true },
		{ { "4c4c4544-0051", NULL }, "Anvil", false },
		{ { "4c4c4544-0051", NULL }, "Hammer", true },
		{ { "00000000-0000", "4c4c4544-0052" }, "Anvil", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned side = 0; side < 2; side++) {
			start_again();
			SEND_BEGIN(.machine = { .vendor = "Acme",
						.product = side ? cases[i].product : "Anvil",
						.uuid = cases[i].uuid[side] });
			write_cores(side ? "os" : "handoff");
			save_run(side);
		}
		assert_int_equal(compare_files(NULL, NULL, floor_path, os_path),
				 cases[i].other ? 2 : 0);
		assert_int_equal(strstr(out, "other-machine") != NULL, cases[i].other);
	}
}

/* A core that the floor lacks is shown with the tool's figures. */
TEST_F(start, teardown, test_core_apart)
{
	write_floor();
	assert_int_equal(compare("--json", SYSJITTER("0 7", "1000 1000", "1000000000 2000000000",
						     "9 9", "20000 20000", "400000 500000")),
			 0);
	printed_read();
	assert_printed_is("compared|0|cores|1|cpu", "7");
	assert_printed_is("compared|0|cores|1|exposure_ns|value", "2000000000");
	assert_printed_is("compared|0|cores|1|exposure", "stated");
	assert_printed_is("compared|0|cores|1|noise_ns|value", "500000");
	assert_printed_is("compared|0|cores|1|floor_ns", "null");
}

#define OSLAT(max, mhz)                                                                        \
	"oslat V 2.90\nCore:   0\nCounter Freq:  " mhz " (MHz)\n001 (us): 9000\n002 (us): 5\n" \
	"Maximum: " max " (us)\nDuration: 1.000 (sec)\n"

/* The floor's longest gap has 20 us, its noise is 200 ppm; what the OS has stands in the case. */
TEST_F(start, teardown, test_limits)
{
	static const struct {
		const char *option, *value, *os;
		int code;
		const char *printed;
	} cases[] = {
		{ "--max", "25us", ONE("0", "9", "24000", "40000"), 0,
		  "limit 25.000 us met: the machine allows 20.000 us, the OS uses 24.000 us\n" },
		{ "--max", "25us", ONE("0", "9", "25000", "40000"), 0, "verdict: pass\n" },
		{ "--max", "25us", ONE("0", "9", "31000", "40000"), 1,
		  "limit 25.000 us exceeded: the machine allows 20.000 us, the OS uses 31.000 us: "
		  "tune the OS\n" },
		{ "--max", "15us", ONE("0", "9", "31000", "40000"), 1,
		  ": the machine itself exceeds it, no OS tuning will help\n" },
		{ "--max", "15us", ONE("0", "9", "14000", "40000"), 1, "no OS tuning will help\n" },
		/* Cut to 25 whole us. */
		{ "--max", "25500ns", OSLAT("25", "2500"), 3,
		  "limit 25.500 us undecided: the machine allows 20.000 us, the OS uses 25-26 us: "
		  "whether the OS meets it is not known\n" },
		{ "--max", "26us", OSLAT("25", "2500"), 0, "verdict: pass\n" },
		{ "--max", "24us", OSLAT("25", "2500"), 1, "tune the OS\n" },
		/* No gaps of 1 us or more: shorter ones were seen by neither side. */
		{ "--max", "500ns", ONE("1", "0", "0", "0"), 3,
		  "the machine allows 0-1 us, the OS uses 0-1 us: whether the machine allows" },
		{ "--max", "1us", ONE("1", "0", "0", "0"), 0, "verdict: pass\n" },
		/* The floor does not have core 7: what the machine allows there is not known. */
		{ "--max", "25us", TWO("0 7", "24000 2000000", "40000 4000000"), 1,
		  "limit 25.000 us exceeded: the machine allows 20- us, the OS uses 2000.000 "
		  "us: tune the OS; whether the machine allows it is not known\n" },
		{ "--max", "25us", TWO("0 7", "24000 24000", "40000 40000"), 3,
		  "limit 25.000 us undecided: the machine allows 20- us, the OS uses 24.000 "
		  "us: whether the machine allows it is not known\n" },
		{ "--max", "15us", TWO("0 7", "14000 14000", "40000 40000"), 1,
		  "the machine itself exceeds it, no OS tuning will help\n" },
		{ "--max-noise", "400", TWO("0 7", "24000 24000", "40000 40000"), 3,
		  "noise, limit 400 ppm undecided: the machine allows 200- ppm, the OS uses" },
		{ "--max", "25us", TWO("0 1", "24000 24000", "40000 40000"), 0,
		  "limit 25.000 us met: the machine allows 20.000 us, the OS uses 24.000 us\n" },
		{ "--max-noise", "400", ONE("0", "20", "20000", "400000"), 0,
		  "noise, limit 400 ppm met: the machine allows 200 ppm, the OS uses 400 ppm\n" },
		{ "--max-noise", "399", ONE("0", "20", "20000", "400000"), 1, "tune the OS\n" },
		{ "--max-noise", "199", ONE("0", "20", "20000", "400000"), 1,
		  "no OS tuning will help\n" },
		{ "--max-noise", "300", CYCLICTEST("28"), 3,
		  "the OS uses n/a: whether the OS meets it is not known\n" },
		{ "--max", "28us", CYCLICTEST("30"), 1, "the OS uses 30-31 us: tune the OS\n" },
		{ "--preset", "rhel-rt", ONE("0", "9", "31000", "40000"), 1,
		  "limit 10.000 us exceeded: the machine allows 20.000 us" },
		{ "--preset", "bits", ONE("0", "9", "31000", "40000"), 0,
		  "31.000 us, but in less time than the preset requires\n" },
	};

	write_floor();
	save(0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		save_text(os_path, cases[i].os);
		print_message("%s %s\n", cases[i].option, cases[i].value);
		assert_int_equal(
			compare_files(cases[i].option, cases[i].value, floor_path, os_path),
			cases[i].code);
		assert_in(out, cases[i].printed);
	}
	/* Without limits there is no verdict. */
	assert_int_equal(compare_files(NULL, NULL, floor_path, os_path), 0);
	assert_not_in(out, "verdict");
}

/* The preset requires 15 s: the floor has 20, and the OS what is likely where that is concluded. */
TEST_F(start, teardown, test_likely_time)
{
	static const struct {
		const char *os;
		bool is_short;
	} cases[] = {
		{ "o-9 [000] .... 9.1: sample_threshold: start 9.1 duration 30000 ns interference "
		  "0\n",
		  true },
		{ HISTOGRAM("20"), false },
		{ HISTOGRAM("14"), true },
	};

	write_begin("Anvil", NULL);
	SEND_CPU(.stage = "handoff", .exposure_ns = 20 * S);
	save_run(0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		save_text(os_path, cases[i].os);
		assert_int_equal(compare_files("--preset", "bits", floor_path, os_path), 0);
		assert_int_equal(strstr(out, "in less time than the preset requires\n") != NULL,
				 cases[i].is_short);
	}
}

/* A limit is a test of its own. */
TEST_F(start, teardown, test_limits_for_ci)
{
	static const char *const forms[][2] = {
		{ "--format=junit", "<failure message=\"longest gap, limit 25.000 us exceeded: " },
		{ "--format=json", "\"verdict\": \"fail\"" },
	};

	write_floor();
	save(0);
	save_text(os_path, ONE("0", "9", "31000", "40000"));
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(compare_files("--max=25us", forms[i][0], floor_path, os_path), 1);
		assert_in(out, forms[i][1]);
	}
}

/* The rate of the TSC: 2500 MHz as the floor has it, 0.4 % apart, or 3.9 %. */
TEST_F(start, teardown, test_clock)
{
	static const struct {
		const char *os;
		bool other;
	} cases[] = {
		{ "cpu_mhz: 2499\n" ONE("0", "9", "20000", "400000"), false },
		{ ONE("0", "9", "20000", "400000") "cpu_mhz: 2597\n", true },
		{ ONE("0", "9", "20000", "400000") "cpu_mhz: 2490\n", false },
		{ OSLAT("2", "2597"), true },
		{ OSLAT("2", "2491"), false },
		{ OSLAT("2", "0"), false },
	};

	SEND_BEGIN(.config = "threshold=1us", .clock = { .hz = 2500000000 });
	write_cores("handoff");
	write_end();
	for (size_t i = 1; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s", cases[i].os);
		compare(NULL, cases[i].os);
		assert_int_equal(strstr(out, "refused: other-machine") != NULL, cases[i].other);
	}
}

/* Several outputs in one file: 23 lines, another tracer's line, 6, 2, of which one is broken. */
TEST_F(start, teardown, test_several)
{
	static char text[sizeof(one_second) + 4096];

	write_floor();
	snprintf(text, sizeof(text), "%s# tracer: wakeup_rt\n%s%s", one_second,
		 ONE("0", "9", "20000", "400000"), "");
	assert_int_equal(compare(NULL, text), 0);
	assert_in(out, "/1.log: osnoise, ");
	assert_in(out, "/1.log:25: sysjitter, ");
	/* A line that cannot be read is more than what is left out: nothing is compared. */
	strcat(text, "hwlatdetect:  test duration 9 seconds\nMax Latency: x\n");
	assert_int_equal(compare(NULL, text), 2);
	assert_not_in(out, "osnoise, ");
	assert_in(err, "/1.log:32: hwlatdetect: not understood: \"Max Latency: x\"");
	/* The tracer counts gaps longer than the stated threshold: from 11 us on. */
	compare(NULL, "hwlatdetect:  test duration 9 seconds\n   detector: tracer\n   parameters:\n"
		      "        Latency threshold: 10us\n        Sample window: 1000000us\n"
		      "        Sample width: 500000us\n\nStarting test\ntest finished\n"
		      "Max Latency: 48us\nSamples recorded: 1\nSamples exceeding threshold: 1\n");
	assert_in(out, "hwlatdetect, threshold > 10us (stated), ");
	/* One that a line before the output states is the shortest gap itself. */
	compare(NULL, "# noisefloor: threshold=500ns\nhwlatdetect:  test duration 9 seconds\n"
		      "Max Latency: 48us\nSamples recorded: 1\nSamples exceeding threshold: 1\n");
	assert_in(out, "hwlatdetect, threshold 500ns (stated), ");
}

/* More cores than a screen has lines. */
TEST_F(start, teardown, test_many_cores)
{
	char text[40000], *at = text;

	write_begin("Anvil", NULL);
	for (unsigned i = 0; i < 40; i++)
		SEND_CPU(.stage = "handoff", .cpu = i, .exposure_ns = S);
	write_end();
	at += sprintf(at, STATED "# tracer: osnoise\n");
	for (unsigned i = 0; i < 40; i++)
		at += sprintf(at, "o-9 [%03u] .... 9.9: 1000000 %u 99.0 %u 1 0 0 0 0\n", i, 100 + i,
			      100 + i);
	assert_int_equal(compare(NULL, text), 0);
	assert_in(out, "the 16 cores with the most noise, of 40:\n");
	/* Each sum is cut to whole us. */
	assert_in(out, "\n 39        1.000    139-140");
	assert_in(out, "\n 24        1.000    124-125");
	assert_not_in(out, "\n 23        1.000");
	/* 40 * 100 + 39 * 40 / 2, and less than 40 more */
	assert_in(out, "\nall       40.000  4780-4820");
}

/* A file may have any name, and need not be one's own. */
TEST_F(start, teardown, test_hostile_name)
{
	char evil[80];

	snprintf(evil, sizeof(evil), "%s/\x1b]0;evil\a", folder);
	write_floor();
	save(0);
	save_text(evil, one_second);
	assert_int_equal(compare_files(NULL, NULL, floor_path, evil), 0);
	assert_in(out, "?]0;evil?: osnoise");
	assert_null(strpbrk(out, "\x1b\a"));
	save_text(evil, "nothing\n");
	assert_int_equal(compare_files(NULL, NULL, floor_path, evil), 2);
	assert_in(err, "?]0;evil?");
	assert_null(strpbrk(err, "\x1b\a"));
	unlink(evil);
	assert_int_equal(compare_files(NULL, NULL, floor_path, evil), 2);
	assert_in(err, "?]0;evil?: No such file");
	assert_null(strpbrk(err, "\x1b\a"));
}

TEST_GROUP(make_folder_and_second, remove_folder);
