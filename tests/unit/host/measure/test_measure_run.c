/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor measure` on the machine at hand, at a small scale, and its file read back. The
 * machine is noisy, so that nothing is asserted about lengths or numbers of gaps, but for those
 * that the test makes itself.
 */
#define _GNU_SOURCE /* timegm() */
#include "host/subcommands.h"
#include "host/measure/linux.h"
#include "host/capture/result.h"
#include "host/lib/monotonic.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/host/measure/all_cores.h"

#include "clock_now.h"
#include "core/lib/ticks.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define MS UINT64_C(1000000)

/* The file of the run is path[1]. */
#define FILE_OF_RUN 1

#define MEASURE(...) RUN(&measure_subcommand, "measure", __VA_ARGS__)

static struct reader *reader;
static struct result *run; /* run in the file; NULL: none was read */
static struct result_stage *os;

static void end(void)
{
	if (run)
		reader_free(reader);
	run = NULL;
	teardown();
}

static void hear_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file;
	fail_msg("line %llu: %s", (unsigned long long)line, text);
}

/* Read the whole file, whose text is then in `out`; each record that the end counts is there. */
static void listen_to(const char *file)
{
	static const struct capture_want want = { .keep = RESULT_ALL, .complain = hear_complaint };

	end();
	reader = reader_new(file, &want);
	reader_feed(reader, out, load(file, out));
	reader_finish(reader);
	run = reader_run(reader, 0);
	assert_non_null(run);
	result_sort(run);
	assert_true(result_is_whole(run));
	assert_int_equal(run->stages, 1);
	os = result_find_stage(run, "os");
	assert_non_null(os);
}

/* Windows come before gaps in a file; one tick more for rounding. */
static bool is_in_window(uint64_t from, uint64_t until, uint64_t slack)
{
	for (size_t i = 0; i < os->windows; i++)
		if (from + slack >= os->window[i].start_ns &&
		    until <= os->window[i].start_ns + os->window[i].len_ns + slack)
			return true;
	return false;
}

static uint64_t length_of_windows(void)
{
	uint64_t length = 0;

	for (size_t i = 0; i < os->windows; i++)
		length += os->window[i].len_ns;
	return length;
}

static void assert_core(const struct record_cpu *c)
{
	uint64_t count = 0;

	for (size_t i = 0; i < c->histogram.count; i++)
		count += c->histogram.at[i][1];
	assert_int_equal(count, c->gaps);
	assert_true(c->max_ns <= c->noise_ns && c->noise_ns <= c->exposure_ns);
	/*
	 * The time is less by the recording, which may be delayed; a core may begin and end a
	 * little later.
	 */
	assert_true(c->exposure_ns > 0 && c->exposure_ns <= length_of_windows() + MS);
}

/* Check the sums that hold in any run. */
static void assert_sums(void)
{
	uint64_t gaps = 0, noise = 0, in_windows = 0, in_gaps = 0;

	for (size_t i = 0; i < os->windows; i++)
		in_windows += os->window[i].gaps;
	for (size_t i = 0; i < os->cpus; i++) {
		assert_core(&os->cpu[i]);
		gaps += os->cpu[i].gaps;
		noise += os->cpu[i].noise_ns;
	}
	assert_int_equal(gaps, in_windows);
	for (size_t i = 0; i < os->gaps; i++) {
		const struct result_gap *g = &os->gap[i];

		assert_true(is_in_window(g->t_ns, g->t_ns + g->len_ns, 2));
		assert_true(g->len_ns + 1 >= result_threshold(run));
		assert_int_equal(g->cause, CAUSE_UNKNOWN);
		in_gaps += g->len_ns;
	}
	/* No counter is read at a gap: none has a number behind its cause. */
	for (const char *at = out; (at = strstr(at, "\"type\":\"gap\"")); at = strchr(at, '\n')) {
		at = strstr(at, "\"cause\":");
		assert_true(strcspn(at, "0123456789") > (size_t)(strstr(at, "\"crc\"") - at));
	}
	if (run->end.gaps_unsent)
		return;
	assert_int_equal(os->gaps, gaps);
	/* Each is cut to a whole ns. */
	assert_true(in_gaps <= noise && noise - in_gaps <= gaps);
}

/* "2025-01-31T12:34:56+01:00", in s since 1970. */
static time_t time_of(const char *text)
{
	struct tm tm = { .tm_isdst = 0 };
	int zone, minutes;

	assert_int_equal(sscanf(text, "%d-%d-%dT%d:%d:%d%d:%d", &tm.tm_year, &tm.tm_mon,
				&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &zone, &minutes),
			 8);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return timegm(&tm) - zone * 3600 - (text[19] == '-' ? -60 : 60) * minutes;
}

TEST_F(start, end, test_run)
{
	time_t before = time(NULL);
	struct cpulist allowed;
	uint32_t found;

	/* East of UTC by that much, as POSIX has it. */
	setenv("TZ", "XST-5:45", 1);
	assert_exit(
		MEASURE("duration=200ms", "window=50ms", "threshold=2us", "-o", path[FILE_OF_RUN]),
		0);
	assert_string_equal(err, "");
	assert_in(out, "stage os");
	assert_in(out, "verdict: none");
	listen_to(path[FILE_OF_RUN]);
	assert_true(linux_allowed(&allowed, &found));
	assert_int_equal(os->cpus, cpulist_count(&allowed));
	for (size_t i = 0; i < os->cpus; i++)
		assert_true(cpulist_has(&allowed, os->cpu[i].cpu));
	assert_int_equal(os->windows, 4);
	assert_true(length_of_windows() >= 200 * MS);
	assert_memory_equal(run->begin.os, "Linux ", 6);
	assert_in(run->begin.began, "+05:45");
	assert_true(time_of(run->begin.began) >= before && time_of(run->begin.began) <= time(NULL));
	assert_in(out, "stage os: a pinned thread per core, interrupts on");
	assert_sums();
}

/*
 * Measure a single core, which is not the first if there are several; the output is standard
 * output.
 */
TEST_F(start, end, test_last_core)
{
	struct cpulist allowed;
	char cpus[30];
	uint32_t found;

	assert_true(linux_allowed(&allowed, &found));
	snprintf(cpus, sizeof(cpus), "cpus=%u", (unsigned)cpulist_last(&allowed));
	assert_exit(MEASURE("duration=60ms", "window=20ms", "gaps=3", cpus, "-o", "-"), 0);
	assert_in(err, "stage os");
	listen_to(out_path);
	assert_int_equal(os->cpus, 1);
	assert_int_equal(os->cpu[0].cpu, cpulist_last(&allowed));
	assert_true(os->gaps <= 3);
	assert_sums();
}

TEST_F(start, end, test_limit)
{
	assert_exit(MEASURE("duration=50ms", "max=1h", "-o", path[FILE_OF_RUN]), 0);
	listen_to(path[FILE_OF_RUN]);
	assert_string_equal(run->end.verdict, "pass");
	/* No Linux goes without any interrupt for as long as it takes. */
	assert_exit(MEASURE("duration=5s", "stop=1us", "threshold=1us", "-o", path[FILE_OF_RUN]),
		    3);
	listen_to(path[FILE_OF_RUN]);
	assert_string_equal(run->end.verdict, "incomplete");
	assert_in(run->end.reasons[0], "stop: a gap of");
}

/* The file is not touched when something is wrong beforehand. */
TEST_F(start, end, test_refusals)
{
	static const char *const args[][2] = {
		{ "serial=off", "serial= does not apply from inside an OS" },
		{ "cpus=4000", "names cores that do not exist" },
		{ "threshold=1ns", "is not above the sampling loop's own interval" },
		{ "tracers=osnoise", "unknown key `tracers`" },
		{ "duration=1", "needs a unit" },
		{ "fast", "`fast` has no value" },
		{ "max=1us threshold=5us", "is below threshold=5us" },
		{ "--fast", "unrecognized option '--fast'" },
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		save(FILE_OF_RUN);
		assert_exit(MEASURE(args[i][0], "-o", path[FILE_OF_RUN]), 2);
		assert_in(err, args[i][1]);
		assert_int_equal(load(path[FILE_OF_RUN], out), 0);
	}
	assert_exit(MEASURE("duration=1s"), 2);
	assert_in(err, "no --output");
	assert_exit(MEASURE("-o", "/nowhere/file"), 2);
	assert_in(err, "/nowhere/file: No such file");
	assert_exit(MEASURE("duration=20ms", "-o", "/dev/full"), 2);
	assert_in(err, "not all of it could be written");
}

#define RUN_BY(run, ...) \
	run_by(run, &measure_subcommand, (const char *const[]){ __VA_ARGS__, NULL })

/* A user's process: no SCHED_FIFO, no locked memory, no counters; it measures, and reports that. */
static int as_nobody(const struct options_subcommand *s, int argc, char **argv)
{
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 98;
	return options_run(s, argc, argv);
}

TEST_F(start, end, test_without_privilege)
{
	if (getuid() != 0)
		skip();
	assert_int_equal(RUN_BY(as_nobody, "measure", "duration=50ms", "window=10ms", "-o", "-"),
			 0);
	listen_to(out_path);
	assert_in(out, "SCHED_FIFO is not available: other tasks take the core in turn: ");
	assert_not_in(out, "for the rest of the system between");
	assert_sums();
}

/* Send a signal to the command after it has computed for a while; and another one, if requested. */
static int ending;
static bool again;

static void pass_on(int number)
{
	(void)number;
	kill(getpid(), ending);
}

static int killed(const struct options_subcommand *s, int argc, char **argv)
{
	const struct itimerval timer = { .it_value = { .tv_usec = 900000 },
					 .it_interval = { .tv_usec = again ? 400000 : 0 } };

	signal(SIGPROF, pass_on);
	assert_int_equal(setitimer(ITIMER_PROF, &timer, NULL), 0);
	return options_run(s, argc, argv);
}

/* The current window is measured to its end, and the end record names the signal. */
TEST_F(start, end, test_signals)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = { { SIGINT, "SIGINT ended" }, { SIGTERM, "SIGTERM ended" } };

	for (unsigned i = 0; i < 2; i++) {
		ending = signals[i].number;
		assert_int_equal(RUN_BY(killed, "measure", "duration=1h", "max=1h", "window=100ms",
					"gaps=10", "-o", path[FILE_OF_RUN]),
				 3);
		listen_to(path[FILE_OF_RUN]);
		assert_string_equal(run->end.verdict, "incomplete");
		assert_in(run->end.reasons[0], signals[i].name);
		assert_null(run->end.reasons[1]); /* no limit that was reached */
		assert_true(os->windows > 0);
		for (size_t w = 0; w < os->windows; w++)
			assert_true(os->window[w].len_ns >= 100 * MS);
		assert_sums();
	}
}

/* A window of an hour ends when a second signal comes. */
TEST_F(start, end, test_second_signal)
{
	ending = SIGINT;
	again = true;
	assert_int_equal(RUN_BY(killed, "measure", "duration=1h", "max=1h", "quiet=yes", "gaps=10",
				"-o", path[FILE_OF_RUN]),
			 3);
	listen_to(path[FILE_OF_RUN]);
	assert_in(run->end.reasons[0], "SIGINT ended the run");
	assert_null(run->end.reasons[1]); /* no limit that was reached */
	assert_int_equal(os->windows, 1);
	assert_sums();
}

/* Signals hold up the thread of the only core at times that the test knows: each is in a gap. */
#define BURN_NS  300000
#define SLACK_NS 20000
#define STRIKES  200

static struct strikes {
	_Atomic unsigned count;
	struct {
		uint64_t begin, end;
	} at[STRIKES];
} * strikes; /* the child's, too */

static void burn(int number)
{
	uint64_t begin = clock_now(), from_ns = monotonic_ns();
	unsigned n = atomic_load(&strikes->count);

	(void)number;
	while (monotonic_ns() - from_ns < BURN_NS)
		;
	if (n < STRIKES) {
		strikes->at[n].begin = begin;
		strikes->at[n].end = clock_now();
		atomic_store(&strikes->count, n + 1);
	}
}

static int struck(const struct options_subcommand *s, int argc, char **argv)
{
	const struct itimerval every = { .it_interval = { .tv_usec = 10000 },
					 .it_value = { .tv_usec = 10000 } };

	signal(SIGALRM, burn);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	return options_run(s, argc, argv);
}

static void assert_gap_around(uint64_t from, uint64_t until)
{
	size_t i = 0;

	while (i < os->gaps && (os->gap[i].t_ns > from + SLACK_NS ||
				os->gap[i].t_ns + os->gap[i].len_ns + SLACK_NS < until))
		i++;
	if (i == os->gaps)
		fail_msg("no gap covers a signal from %llu to %llu ns in\n%s",
			 (unsigned long long)from, (unsigned long long)until, out);
	assert_true(os->gap[i].len_ns >= BURN_NS - 2 * SLACK_NS);
}

TEST_F(start, end, test_signals_are_gaps)
{
	struct cpulist allowed;
	unsigned inside = 0;
	uint32_t found;
	char cpus[30];

	strikes = mmap(NULL, sizeof(*strikes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_true(strikes != MAP_FAILED);
	assert_true(linux_allowed(&allowed, &found));
	snprintf(cpus, sizeof(cpus), "cpus=%u", (unsigned)cpulist_last(&allowed));
	assert_int_equal(RUN_BY(struck, "measure", "duration=400ms", "window=100ms",
				"threshold=20us", cpus, "-o", path[FILE_OF_RUN]),
			 0);
	listen_to(path[FILE_OF_RUN]);
	assert_sums();
	for (unsigned i = 0; i < strikes->count; i++) {
		uint64_t zero = run->begin.begin_tsc, hz = run->begin.clock.hz;
		uint64_t from = ticks_to_ns(strikes->at[i].begin - zero, hz);
		uint64_t until = ticks_to_ns(strikes->at[i].end - zero, hz);

		if (strikes->at[i].begin < zero || !is_in_window(from, until, 0))
			continue;
		assert_gap_around(from, until);
		inside++;
	}
	assert_true(inside > 0);
}

TEST_GROUP(make_folder_and_input, remove_folder);
