/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random runs of several tools in one text, as people pass them on: joined with or without a word
 * between them, quoted, broken by a mail's program or a terminal, with lists cut. However that is
 * done, a limit that the runs exceed is never met: what is broken is refused.
 */
#include "host/compare/compare.h"

#include "core/lib/splitmix.h"
#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tool_text.h"

#define CORES_MAX 4
#define RUNS_MAX  5
#define TEXT_MAX  65536
#define S         UINT64_C(1000000000)

static uint64_t seed;

static uint64_t bits(void)
{
	return splitmix_next(&seed);
}

/* Returns a random number below `most`, of any order of magnitude. */
static uint64_t any(uint64_t most)
{
	return (bits() >> bits() % 64) % most;
}

static bool one_in(unsigned n)
{
	return bits() % n == 0;
}

static char text[TEXT_MAX];
static size_t used;
static uint64_t worst_us; /* worst of all runs */
static bool tidy;         /* no row is broken */

/* ---- How a line is passed on ---- */

static struct {
	const char *quote;
	bool quotes_rest; /* the part that was broken off is quoted, too */
	size_t columns;   /* width at which rows are broken; 0: not broken */
	bool words;       /* between words */
} style;

static void put(const char *prefix, const char *line, size_t bytes)
{
	assert_true(used + bytes + 8 < TEXT_MAX);
	used += (size_t)sprintf(text + used, "%s%.*s\n", prefix, (int)bytes, line);
}

/* Length of the line's first row. */
static size_t row_of(const char *line, size_t room)
{
	size_t bytes = strlen(line), end = room;

	if (!style.columns || bytes <= room)
		return bytes;
	while (style.words && end && line[end] != ' ')
		end--;
	return end ? end : room;
}

static void pass_on(const char *line)
{
	const char *prefix = style.quote;

	for (size_t bytes;; line += bytes) {
		bytes = row_of(line, style.columns - strlen(prefix));
		put(prefix, line, bytes);
		tidy = tidy && !line[bytes];
		if (!line[bytes])
			return;
		while (style.words && line[bytes] == ' ')
			bytes++;
		prefix = style.quotes_rest ? style.quote : "";
	}
}

static void line_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void line_of(const char *format, ...)
{
	char line[300];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pass_on(line);
}

static void choose_style(void)
{
	static const char *const quotes[] = { "", "", "> ", "> > " };

	style.quote = quotes[bits() % 4];
	style.quotes_rest = one_in(2);
	style.words = one_in(2);
	style.columns = one_in(2) ? 0 : style.words ? 74 : 80;
}

/* Print the lines between two runs, if any. */
static void separate(void)
{
	static const char *const between[] = { "", "root@rack7:~# ./again",
					       "And then:", "$ sudo cyclictest -m -p 90 -q" };

	const char *line = between[bits() % 4];

	if (one_in(2))
		put(style.quote, line, strlen(line));
}

/* ---- The tools ---- */

struct core {
	uint64_t count, noise_us, max_us;
};

static struct core core[CORES_MAX];
static uint32_t cores;

static void see_us(uint64_t us)
{
	worst_us = us > worst_us ? us : worst_us;
}

/* Continue the run: more of each kind, and rarely a longer maximum. */
static void go_on(uint64_t seconds)
{
	for (uint32_t n = 0; n < cores; n++) {
		uint64_t us = 1 + any(90000);

		core[n].count += seconds * 1000;
		core[n].noise_us += us + any(1000);
		if (us > core[n].max_us && one_in(2))
			core[n].max_us = us;
		see_us(core[n].max_us);
	}
}

static void print_cyclictest(void)
{
	uint64_t pid = 100 + any(30000), min = 1 + bits() % 9;

	for (uint64_t draws = 1 + bits() % 3; draws; draws--) {
		go_on(1 + bits() % 60);
		for (uint32_t n = 0; n < cores; n++)
			line_of("T:%2u (%5llu) P:80 I:10000 C:%7llu Min:%7llu Act:%5llu "
				"Avg:%5llu Max:%8llu",
				n, (unsigned long long)(pid + n), (unsigned long long)core[n].count,
				(unsigned long long)min, 9ULL, 9ULL,
				(unsigned long long)core[n].max_us);
	}
}

static void print_timerlat(void)
{
	uint64_t s = one_in(2) ? 1 : 1 + bits() % 600;

	for (uint64_t draws = 1 + bits() % 3; draws; draws--, s++) {
		go_on(1);
		line_of("%50s", "Timer Latency");
		line_of("  0 00:%02u:%02u   |          IRQ Timer Latency (us)        |         "
			"Thread Timer Latency (us)",
			(unsigned)(s / 60), (unsigned)(s % 60));
		for (uint32_t n = 0; n < cores; n++)
			line_of("%3u #%-9llu | %8u %9u %9u %9u | %8u %9u %9u %9llu", n,
				(unsigned long long)core[n].count, 0, 0, 0, 0, 10, 3, 9,
				(unsigned long long)core[n].max_us);
	}
}

static void print_osnoise(void)
{
	uint64_t s = one_in(2) ? 1 : 1 + bits() % 600;

	for (uint64_t draws = 1 + bits() % 3; draws; draws--, s++) {
		go_on(1);
		line_of("%64s", "Operating System Noise");
		line_of("duration:   0 00:%02u:%02u | time is in us", (unsigned)(s / 60),
			(unsigned)(s % 60));
		for (uint32_t n = 0; n < cores; n++)
			line_of("%3u #%-5llu %12llu %12llu    98.10640 %12llu %12llu %12u %12u "
				"%12u %12u %12u",
				n, (unsigned long long)s, (unsigned long long)s * 1000000,
				(unsigned long long)core[n].noise_us,
				(unsigned long long)core[n].noise_us,
				(unsigned long long)core[n].max_us, 7, 0, 7, 0, 7);
	}
}

/* Print hwlatdetect's output, from which anything may have been cut. */
static void print_hwlatdetect(void)
{
	uint64_t us[6], samples = bits() % 6, longest = 0;
	bool cut = one_in(2);

	line_of("hwlatdetect:  test duration 900 seconds");
	line_of("   detector: tracer");
	line_of("        Latency threshold: 10us");
	for (uint64_t i = 0; i < samples; i++) {
		us[i] = 11 + any(90000);
		longest = us[i] > longest ? us[i] : longest;
	}
	see_us(longest);
	if (samples)
		line_of("Max Latency: %lluus", (unsigned long long)longest);
	else
		line_of("Max Latency: Below threshold");
	line_of("Samples recorded: %u", (unsigned)samples);
	line_of("Samples exceeding threshold: %u", (unsigned)samples);
	for (uint64_t i = 0; i < samples; i++) {
		if (!cut || one_in(2))
			line_of("ts: 1646837351.55, inner:%llu, outer:5, cpu:%u",
				(unsigned long long)us[i], (unsigned)(i % cores));
	}
}

/* ---- What is concluded ---- */

/* Judge the text that was read, by a limit. */
static enum verdict judge_text(uint64_t limit_us)
{
	static struct record_cpu quiet[CORES_MAX];
	static struct result_stage stage = { .cpu = quiet, .cpus = CORES_MAX };
	static struct result run = { .ended = true, .has_end = true };
	const struct floor floor = { .run = &run,
				     .stage = &stage,
				     .stage_name = "handoff",
				     .threshold_ns = 1000,
				     .burst = 1 };
	const struct compare_limits limits = { .limit = { [LIMIT_MAX] = limit_us * 1000 } };
	struct split_result *split;
	enum verdict verdict;
	int code;

	for (uint32_t n = 0; n < CORES_MAX; n++)
		quiet[n] = (struct record_cpu){ .cpu = n, .exposure_ns = 10 * S };
	split = split_make_all(&floor, &tools, true, &code);
	verdict = compare_judge(&limits, split, tools.count);
	split_free_all(split, tools.count);
	return tools.failed ? VERDICT_ERROR : verdict;
}

static void make_text(void)
{
	static void (*const print[])(void) = { print_cyclictest, print_timerlat, print_osnoise,
					       print_hwlatdetect };

	used = worst_us = 0;
	tidy = true;
	cores = 1 + (uint32_t)(bits() % CORES_MAX);
	for (uint64_t runs = 1 + bits() % RUNS_MAX; runs; runs--) {
		choose_style();
		memset(core, 0, sizeof(core));
		print[bits() % 4]();
		separate();
	}
}

TEST(test_never_met)
{
	unsigned met = 0, exceeded = 0;

	for (uint64_t n = 0; n < rounds(300, 10000); n++) {
		enum verdict below, above;

		seed = n << 20;
		make_text();
		tool_bytes("in", text, used);
		/* Whole us: what was printed as 17 is less than 18. */
		below = judge_text(worst_us > 1 ? worst_us - 1 : 1);
		above = judge_text(arith_max(worst_us, 10) + 1);
		if (below == VERDICT_PASS && worst_us > 1)
			fail_msg("a longest of %llu us is met by less, of seed %#llx:\n%s%s",
				 (unsigned long long)worst_us, (unsigned long long)(n << 20),
				 tool_reported, text);
		if (tidy && (above != VERDICT_PASS || (below != VERDICT_FAIL && worst_us > 1)))
			fail_msg("a longest of %llu us: %s and %s, of seed %#llx:\n%s%s",
				 (unsigned long long)worst_us, verdict_name(below),
				 verdict_name(above), (unsigned long long)(n << 20), tool_reported,
				 text);
		met += above == VERDICT_PASS;
		exceeded += below == VERDICT_FAIL;
		tool_forget();
	}
	/* A text without broken rows is read. */
	assert_true(met > rounds(30, 1000) && exceeded > rounds(30, 1000));
}
