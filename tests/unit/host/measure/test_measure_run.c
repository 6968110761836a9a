/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor measure` on the machine at hand, at a small scale, and its file read back. The
 * machine is noisy, so that nothing is asserted about lengths or numbers of gaps, but for those
 * that the test makes itself.
 */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "host/subcommands.h"
#include "host/measure/linux.h"
#include "host/capture/reader.h"
#include "host/lib/signals.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/host/measure/all_cores.h"
#include "tests/unit/tree.h"

#include "clock_now.h"
#include "core/lib/ticks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

#define MS UINT64_C(1000000)

/* The file of the run is path[1]. */
#define FILE_OF_RUN 1

/* What is in its records. */
static struct {
	unsigned complaints, begins, stages, ends, cpus, windows;
	uint64_t gaps, events;
	uint64_t begin_hz, gaps_in_sums, gaps_in_windows, noise_in_sums, noise_in_gaps;
	uint64_t threshold_ns, length_ns;
	struct {
		uint64_t from, until;
	} window[64];
	struct record_cpu cpu[CPULIST_MAX];
	char verdict[20], reasons[8000], os[200], config[800], began[40], logs[8000];
	bool gap_outside, gap_short, counted_in_gap;
	struct record_end end;
	uint64_t records[RECORD_TYPES];
	struct cpulist cores;
	char why[200]; /* of the last service */
} heard;

static void hear_complaint(void *ctx, uint64_t line, const char *text)
{
	(void)ctx, (void)line, (void)text;
	heard.complaints++;
}

/* Windows come before gaps in a file; one tick more for rounding. */
static void hear_gap(const struct record_gap *g)
{
	bool inside = false;

	for (unsigned i = 0; i < heard.windows; i++)
		inside = inside || (g->t_ns + 2 >= heard.window[i].from &&
				    g->t_ns + g->len_ns <= heard.window[i].until + 2);
	heard.gap_outside = heard.gap_outside || !inside;
	heard.gap_short = heard.gap_short || g->len_ns + 1 < heard.threshold_ns;
	heard.counted_in_gap = heard.counted_in_gap || g->smi.known || g->nmi.known || g->mce.known;
	assert_string_equal(g->cause, "unknown");
	heard.noise_in_gaps += g->len_ns;
	heard.gaps++;
}

static void hear_cpu(const struct record_cpu *c)
{
	uint64_t count = 0;

	assert_true(heard.cpus < CPULIST_MAX);
	for (size_t i = 0; i < c->histogram.count; i++)
		count += c->histogram.at[i][1];
	assert_int_equal(count, c->gaps);
	assert_true(c->noise_ns <= c->exposure_ns);
	assert_true(c->max_ns <= c->noise_ns);
	assert_string_equal(c->stage, "os");
	heard.gaps_in_sums += c->gaps;
	heard.noise_in_sums += c->noise_ns;
	cpulist_add(&heard.cores, c->cpu);
	heard.cpu[heard.cpus++] = *c;
}

static void hear_window(const struct record_window *w)
{
	assert_true(heard.windows < 64);
	heard.window[heard.windows].from = w->start_ns;
	heard.window[heard.windows++].until = w->start_ns + w->len_ns;
	heard.length_ns += w->len_ns;
	heard.gaps_in_windows += w->gaps;
}

static void hear(void *ctx, struct reader_run *run, const struct reader_record *r)
{
	const union record *u = r->record;

	(void)ctx, (void)run;
	heard.records[r->type]++;
	switch (r->type) {
	case RECORD_BEGIN:
		heard.begin_hz = u->begin.clock.hz;
		snprintf(heard.os, sizeof(heard.os), "%s", u->begin.os);
		snprintf(heard.began, sizeof(heard.began), "%s", u->begin.began);
		snprintf(heard.config, sizeof(heard.config), "%s", u->begin.config);
		break;
	case RECORD_STAGE:
		assert_string_equal(u->stage.stage, "os");
		break;
	case RECORD_WINDOW:
		hear_window(&u->window);
		break;
	case RECORD_GAP:
		hear_gap(&u->gap);
		break;
	case RECORD_CPU:
		hear_cpu(&u->cpu);
		break;
	case RECORD_SERVICE:
		assert_string_equal(u->service.stage, "os");
		snprintf(heard.why, sizeof(heard.why), "%s", u->service.why ? u->service.why : "");
		break;
	case RECORD_LOG:
		strncat(heard.logs, u->log.text, sizeof(heard.logs) - strlen(heard.logs) - 2);
		strcat(heard.logs, "\n");
		break;
	case RECORD_END:
		heard.end = u->end;
		snprintf(heard.verdict, sizeof(heard.verdict), "%s", u->end.verdict);
		for (unsigned i = 0; i < RECORD_STRINGS && u->end.reasons[i]; i++) {
			strncat(heard.reasons, u->end.reasons[i],
				sizeof(heard.reasons) - strlen(heard.reasons) - 2);
			strcat(heard.reasons, "\n");
		}
		break;
	default:
		break;
	}
}

/* All of the file; each record that the end counts is there. */
static void listen_to(const char *file, uint64_t threshold_ns)
{
	const struct reader_hooks hooks = { .wanted = UINT32_MAX,
					    .record = hear,
					    .complain = hear_complaint };
	struct reader *r = reader_new(&hooks);
	size_t bytes = load(file, out);

	memset(&heard, 0, sizeof(heard));
	heard.threshold_ns = threshold_ns;
	reader_feed(r, out, bytes);
	reader_finish(r);
	reader_free(r);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(heard.records[RECORD_BEGIN], 1);
	assert_int_equal(heard.records[RECORD_STAGE], 1);
	assert_int_equal(heard.records[RECORD_END], 1);
	assert_memory_equal(heard.records, heard.end.records, sizeof(heard.records));
}

/* What must hold of any run. */
static void assert_sums(void)
{
	assert_true(heard.gaps_in_sums == heard.gaps_in_windows);
	assert_false(heard.gap_outside);
	assert_false(heard.gap_short);
	assert_false(heard.counted_in_gap);
	for (unsigned i = 0; i < heard.cpus; i++) {
		/* Less what recording took, which may be held up; a core may begin and end a little
		 * later. */
		assert_true(heard.cpu[i].exposure_ns <= heard.length_ns + MS);
		assert_true(heard.cpu[i].exposure_ns > 0);
	}
	if (heard.end.gaps_unsent)
		return;
	assert_int_equal(heard.gaps, heard.gaps_in_sums);
	/* Each is cut to a whole ns. */
	assert_true(heard.noise_in_gaps <= heard.noise_in_sums);
	assert_true(heard.noise_in_sums - heard.noise_in_gaps <= heard.gaps);
}

static unsigned allowed_cores(struct cpulist *allowed)
{
	uint32_t found;
	unsigned n = 0;

	assert_true(linux_allowed(allowed, &found));
	for (uint32_t i = 0; i < found; i++)
		n += cpulist_has(allowed, i);
	return n;
}

/* "2025-01-31T12:34:56+01:00", in s since 1970. */
static time_t time_of(const char *text)
{
	struct tm tm = { .tm_isdst = 0 };
	int zone, minutes;

	assert_int_equal(strlen(text), 25);
	assert_int_equal(sscanf(text, "%d-%d-%dT%d:%d:%d%d:%d", &tm.tm_year, &tm.tm_mon,
				&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &zone, &minutes),
			 8);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return timegm(&tm) - zone * 3600 - (text[19] == '-' ? -60 : 60) * minutes;
}

TEST_F(start, teardown, test_run)
{
	time_t before = time(NULL);
	struct cpulist allowed;

	/* East of UTC by that much, as POSIX has it. */
	setenv("TZ", "XST-5:45", 1);
	assert_exit(RUN(&measure_subcommand, "measure", "duration=200ms", "window=50ms",
			"threshold=2us", "-o", path[FILE_OF_RUN]),
		    0);
	assert_string_equal(err, "");
	assert_in(out, "stage os");
	assert_in(out, "verdict: none");
	listen_to(path[FILE_OF_RUN], 2000);
	assert_int_equal(heard.cpus, allowed_cores(&allowed));
	assert_memory_equal(&heard.cores, &allowed, sizeof(allowed));
	assert_int_equal(heard.windows, 4);
	assert_true(heard.length_ns >= 200 * MS);
	assert_memory_equal(heard.os, "Linux ", 6);
	assert_in(heard.began, "+05:45");
	assert_true(time_of(heard.began) >= before && time_of(heard.began) <= time(NULL));
	assert_in(heard.logs, "stage os: a pinned thread per core, interrupts on");
	assert_sums();
}

/* One core alone, which is not the first where there are several. */
TEST_F(start, teardown, test_last_core)
{
	struct cpulist allowed;
	char cpus[30];

	allowed_cores(&allowed);
	snprintf(cpus, sizeof(cpus), "cpus=%u", (unsigned)cpulist_last(&allowed));
	assert_exit(RUN(&measure_subcommand, "measure", "duration=60ms", "window=20ms", "gaps=3",
			cpus, "-o", path[FILE_OF_RUN]),
		    0);
	listen_to(path[FILE_OF_RUN], 1000);
	assert_int_equal(heard.cpus, 1);
	assert_int_equal(heard.cpu[0].cpu, cpulist_last(&allowed));
	assert_true(heard.gaps <= 3);
	assert_sums();
}

TEST_F(start, teardown, test_limit)
{
	assert_exit(RUN(&measure_subcommand, "measure", "duration=50ms", "max=1h", "-o",
			path[FILE_OF_RUN]),
		    0);
	listen_to(path[FILE_OF_RUN], 1000);
	assert_string_equal(heard.verdict, "pass");
	/* No Linux goes without any interrupt for as long as it takes. */
	assert_exit(RUN(&measure_subcommand, "measure", "duration=5s", "stop=1us", "threshold=1us",
			"-o", path[FILE_OF_RUN]),
		    3);
	listen_to(path[FILE_OF_RUN], 1000);
	assert_string_equal(heard.verdict, "incomplete");
	assert_in(heard.reasons, "stop: a gap of");
}

/* One that Linux calls for nobody: what was named is to be there. */
TEST_F(start, teardown, test_service_that_is_never_called)
{
	assert_exit(RUN(&measure_subcommand, "measure", "services=next_variable", "threshold=5us",
			"-o", path[FILE_OF_RUN]),
		    3);
	assert_in(out, "next_variable           n/a  Linux asks for the names once");
	listen_to(path[FILE_OF_RUN], 5000);
	assert_int_equal(heard.records[RECORD_SERVICE], 1);
	assert_in(heard.why, "Linux asks for the names once");
	assert_in(heard.config, "mode=services");
	assert_in(heard.logs, "the length of a call is that of a system call");
	assert_in(heard.reasons, "next_variable: Linux asks");
	assert_string_equal(heard.verdict, "incomplete");
}

/* Of all there are this machine may have any, or none. */
TEST_F(start, teardown, test_all_services)
{
	assert_exit(RUN(&measure_subcommand, "measure", "services=all", "service_calls=2",
			"threshold=5us", "-o", path[FILE_OF_RUN]),
		    0);
	listen_to(path[FILE_OF_RUN], 5000);
	assert_int_equal(heard.records[RECORD_SERVICE], 17);
	assert_string_equal(heard.verdict, "none");
}

TEST_F(start, teardown, test_standard_output)
{
	assert_exit(RUN(&measure_subcommand, "measure", "duration=20ms", "gaps=0", "-o", "-"), 0);
	assert_in(err, "stage os");
	listen_to(out_path, 1000);
}

/* The file is not touched when something is wrong beforehand. */
TEST_F(start, teardown, test_refusals)
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
		assert_exit(
			RUN(&measure_subcommand, "measure", args[i][0], "-o", path[FILE_OF_RUN]),
			2);
		assert_in(err, args[i][1]);
		assert_int_equal(load(path[FILE_OF_RUN], out), 0);
	}
	assert_exit(RUN(&measure_subcommand, "measure", "duration=1s"), 2);
	assert_in(err, "no --output");
	assert_exit(RUN(&measure_subcommand, "measure", "-o", "/nowhere/file"), 2);
	assert_in(err, "/nowhere/file: No such file");
	assert_exit(RUN(&measure_subcommand, "measure", "duration=20ms", "-o", "/dev/full"), 2);
	assert_in(err, "not all of it could be written");
}

#define RUN_BY(run, ...) \
	run_by(run, &measure_subcommand, (const char *const[]){ __VA_ARGS__, NULL })

static int without_tsc(const struct options_subcommand *s, int argc, char **argv)
{
	int code;

	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	code = options_run(s, argc, argv);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	return code;
}

TEST_F(start, teardown, test_unreadable_tsc)
{
	assert_int_equal(RUN_BY(without_tsc, "measure", "duration=1s", "-o", path[FILE_OF_RUN]), 2);
	assert_in(err, "may not read the TSC");
}

/* A user's process: no SCHED_FIFO, no locked memory, no counters; it measures, and reports that. */
static int as_nobody(const struct options_subcommand *s, int argc, char **argv)
{
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 98;
	return options_run(s, argc, argv);
}

TEST_F(start, teardown, test_without_privilege)
{
	if (getuid() != 0)
		skip();
	assert_int_equal(RUN_BY(as_nobody, "measure", "duration=50ms", "window=10ms", "-o", "-"),
			 0);
	listen_to(out_path, 1000);
	assert_in(heard.logs, "SCHED_FIFO is not available: other tasks take the core in turn: ");
	assert_not_in(heard.logs, "for the rest of the system between");
	assert_sums();
}

/* A signal to the command when it is at work; `again`: and again, until it has ended. */
struct killer {
	pid_t pid;
	int number;
	bool again;
	_Atomic bool ended;
};

static uint64_t computed_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000 * MS + (uint64_t)used.tv_nsec;
}

/* It takes signals, and has computed for a while since, however long that took. */
static void wait_at_work(int number)
{
	struct sigaction taken = { .sa_handler = SIG_DFL };
	uint64_t since;

	while (taken.sa_handler == SIG_DFL) {
		usleep(10000);
		sigaction(number, NULL, &taken);
	}
	for (since = computed_ns(); computed_ns() - since < 600 * MS;)
		usleep(10000);
}

static void *kill_later(void *arg)
{
	struct killer *k = arg;
	const struct timespec wait = { .tv_nsec = 400 * (long)MS };

	wait_at_work(k->number);
	do {
		nanosleep(&wait, NULL);
		kill(k->pid, k->number);
	} while (k->again && !atomic_load(&k->ended));
	return NULL;
}

static struct killer killer;

static int killed(const struct options_subcommand *s, int argc, char **argv)
{
	pthread_t thread;

	killer.pid = getpid();
	pthread_create(&thread, NULL, kill_later, &killer);
	argc = options_run(s, argc, argv);
	atomic_store(&killer.ended, true);
	pthread_join(thread, NULL);
	return argc;
}

/* The current window is measured to its end, and the end record has who ended it. */
TEST_F(start, teardown, test_signals)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = { { SIGINT, "SIGINT ended" }, { SIGTERM, "SIGTERM ended" } };

	for (unsigned i = 0; i < 2; i++) {
		killer = (struct killer){ .number = signals[i].number };
		assert_int_equal(RUN_BY(killed, "measure", "duration=1h", "window=100ms", "gaps=10",
					"-o", path[FILE_OF_RUN]),
				 3);
		listen_to(path[FILE_OF_RUN], 1000);
		assert_string_equal(heard.verdict, "incomplete");
		assert_in(heard.reasons, signals[i].name);
		assert_true(heard.windows > 0);
		for (unsigned w = 0; w < heard.windows; w++)
			assert_true(heard.window[w].until - heard.window[w].from >= 100 * MS);
		assert_sums();
	}
}

/* An hour's window ends when it comes again. */
TEST_F(start, teardown, test_second_signal)
{
	killer = (struct killer){ .number = SIGINT, .again = true };
	assert_int_equal(RUN_BY(killed, "measure", "duration=1h", "quiet=yes", "gaps=10", "-o",
				path[FILE_OF_RUN]),
			 3);
	listen_to(path[FILE_OF_RUN], 1000);
	assert_in(heard.reasons, "SIGINT ended the run");
	assert_int_equal(heard.windows, 1);
	assert_sums();
}

/*
 * The platform itself, with its thread held up by signals of which the test knows when:
 * each is in a gap of its core, and each core's thread is where it belongs.
 */
#define BURN_NS 300000
#define STRIKES 200

static struct {
	uint64_t hz, burn;
	struct {
		uint64_t begin, end;
	} at[STRIKES];
	_Atomic unsigned count;
} truth;

static void burn(int number)
{
	uint64_t begin = clock_now();
	unsigned n = atomic_load(&truth.count);

	(void)number;
	while (clock_now() - begin < truth.burn)
		;
	if (n < STRIKES) {
		truth.at[n].begin = begin;
		truth.at[n].end = clock_now();
		atomic_store(&truth.count, n + 1);
	}
}

/* To this thread, which blocks nothing: a timer of the process prefers the first one. */
static void strike_every(long ms)
{
	const struct itimerval timer = { .it_interval = { .tv_usec = 1000 * ms },
					 .it_value = { .tv_usec = 1000 * ms } };

	signal(SIGALRM, burn);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static const struct gap *gap_around(const struct cpu *cpu, uint64_t begin, uint64_t end,
				    uint64_t slack)
{
	for (size_t i = 0; i < cpu->ring.used; i++) {
		const struct gap *g = &cpu->ring.slot[i];

		if (g->start <= begin + slack && g->start + g->ticks + slack >= end)
			return g;
	}
	return NULL;
}

static struct config options;
static struct linux_platform platform;
static struct report report;
static struct run run;
static struct {
	uint64_t from, until;
} stretch[64];
static unsigned stretches;

static void (*own_count)(struct platform *p, bool after);

/* When the leading core's windows were. */
static void note_window(struct platform *p, bool after)
{
	own_count(p, after);
	if (!after || stretches == 64)
		return;
	stretch[stretches].from = p->cpu[0].window_start;
	stretch[stretches++].until = p->cpu[0].window_end;
}

static void ignore_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)line, (void)bytes;
}

static void ignore_mistake(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
	fail();
}

static void measure(void)
{
	run = (struct run){ .config = &options, .platform = &platform.platform, .report = &report };
	platform.platform.begin_tsc = platform.platform.now();
	own_count = platform.platform.count;
	platform.platform.count = note_window;
	run_prepare(&run);
	run_stage(&run, "os");
	run_finish(&run);
}

static void open_platform(void)
{
	static char *args[] = { "duration=400ms", "window=100ms", "threshold=20us" };
	struct linux_clock_facts facts;
	struct linux_clock clock;
	struct cpulist allowed;
	uint32_t found;
	char reason[400];
	struct text why;

	text_init(&why, reason, sizeof(reason));
	linux_clock_look(&facts);
	if (!linux_clock_judge(&facts, &clock, &why))
		fail_msg("%s", reason);
	truth.hz = clock.rate.hz;
	assert_int_equal(linux_options_read(&options, args, 3, ignore_mistake, NULL), 0);
	assert_true(linux_allowed(&allowed, &found));
	assert_int_equal(linux_options_check(&options, &allowed, found, ignore_mistake, NULL), 0);
	report = (struct report){ .config = &options,
				  .platform = &platform.platform,
				  .line = ignore_line };
	assert_null(linux_platform_open(&platform, &options, clock.rate.hz, "", &report));
}

static void assert_pinned(void)
{
	struct verdict_reasons reasons = { .count = 0 };

	linux_platform_check(&platform, &reasons);
	assert_int_equal(reasons.count, 0);
	for (uint32_t i = 0; i < platform.platform.cpus; i++) {
		assert_int_equal(platform.thread[i].not_pinned, 0);
		assert_false(atomic_load(&platform.thread[i].moved));
		assert_true(platform.platform.cpu[i].measured);
	}
}

/* The gap before it, and where in its window. */
static void fail_uncovered(uint64_t begin, uint64_t end, unsigned w)
{
	const struct gap_ring *ring = &platform.platform.cpu[0].ring;
	const struct gap *last = NULL;

	for (size_t i = 0; i < ring->used; i++)
		if (ring->slot[i].start <= end)
			last = &ring->slot[i];
	fail_msg("no gap covers a signal of %lld ticks, %lld after its window's start and %lld "
		 "before its end; the last that began by then did so at %lld and took %lld",
		 (long long)(end - begin), (long long)(begin - stretch[w].from),
		 (long long)(stretch[w].until - end), last ? (long long)(last->start - begin) : -1,
		 last ? (long long)last->ticks : -1);
}

/* Of those in a window of the leading core. */
static unsigned assert_strikes(void)
{
	uint64_t slack = ticks_from_ns(20000, truth.hz);
	unsigned inside = 0;

	for (unsigned i = 0; i < truth.count; i++) {
		uint64_t begin = truth.at[i].begin, end = truth.at[i].end;

		for (unsigned w = 0; w < stretches; w++) {
			const struct gap *gap;

			if (begin < stretch[w].from || end > stretch[w].until)
				continue;
			gap = gap_around(&platform.platform.cpu[0], begin, end, slack);
			if (!gap)
				fail_uncovered(begin, end, w);
			assert_true(gap->ticks >= truth.burn - 2 * slack);
			assert_int_equal(gap->cause, CAUSE_UNKNOWN);
			inside++;
		}
	}
	return inside;
}

TEST(test_signals_are_gaps)
{
	const struct sched_param other = { .sched_priority = 0 };
	cpu_set_t before;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	open_platform();
	truth.burn = ticks_from_ns(BURN_NS, truth.hz);
	strike_every(10);
	measure();
	strike_every(0);
	assert_pinned();
	assert_int_equal(platform.platform.cpu[0].ring.dropped, 0);
	assert_true(assert_strikes() > 0);
	linux_platform_close(&platform);
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &other), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	munlockall();
}

TEST_GROUP(make_folder_and_input, remove_folder);
