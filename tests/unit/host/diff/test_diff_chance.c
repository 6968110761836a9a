/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor diff` on many pairs of simulated runs: how often it reports a change where there is
 * none, however events come, and whether it finds one.
 */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"
#include "tests/unit/printed.h"
#include "tests/unit/rounds.h"

#include "core/gaps/hist.h"

#define DIFF(...) RUN(&diff_subcommand, "diff", __VA_ARGS__)

#define S       UINT64_C(1000000000)
#define CORES   2
#define WINDOWS 300 /* at most, of 1 s */
#define EVENTS  20000
/* DIFF_PAIRS=500, which take minutes, for figures. */
#define PAIRS (getenv("DIFF_PAIRS") ? (unsigned)atoi(getenv("DIFF_PAIRS")) : 50u)
#define FEW   5

/* ---- The machine ---- */

struct machine {
	double events;     /* mean number per run */
	unsigned seconds;  /* length of a run, in windows of 1 s */
	double on, off;    /* storms and the pauses between, s, the means; on 0: none */
	unsigned burst;    /* events per burst, within `spread` s */
	double spread;     /* s */
	double run_spread; /* between equal runs: standard deviation of logarithms */
	bool heavy;        /* lengths: Pareto's of shape 1; else all alike */
	bool all;          /* gaps are in the report */
};

struct event {
	double at; /* s */
	uint64_t len_ns;
	bool smi; /* an event of all cores; else a gap of one */
};

static uint64_t seed;
static struct event events[EVENTS];
static size_t count;

static void add_event(const struct machine *m, double at)
{
	double length = m->heavy ? 5000 / draw_uniform(&seed) : 5000;

	if (at < 0 || at >= m->seconds)
		return;
	assert_true(count < EVENTS);
	events[count++] = (struct event){ at, (uint64_t)fmin(length, 1e8), draw_bits(&seed) & 1 };
}

/* Bursts that began before the run reach into it. */
static void add_bursts(const struct machine *m, double from, double to, double per_s)
{
	for (double at = from - m->spread;;) {
		at -= log(draw_uniform(&seed)) * m->burst / per_s;
		if (at >= to)
			break;
		for (unsigned i = 0; i < m->burst; i++)
			add_event(m, m->burst > 1 ? at + m->spread * draw_uniform(&seed) : at);
	}
}

static void make_events(const struct machine *m, double factor)
{
	double per_s = m->events * factor * exp(m->run_spread * draw_normal(&seed)) / m->seconds;
	double share = m->on / (m->on + m->off), at = 0;
	bool on = draw_uniform(&seed) <= share;

	count = 0;
	if (!(m->on > 0)) {
		add_bursts(m, 0, m->seconds, per_s);
		return;
	}
	while (at < m->seconds) {
		double until = at - log(draw_uniform(&seed)) * (on ? m->on : m->off);

		if (on)
			add_bursts(m, at, until, per_s / share);
		at = until;
		on = !on;
	}
}

static void send_windows(const struct machine *m)
{
	static struct record_window w[WINDOWS];

	memset(w, 0, sizeof(w));
	for (size_t i = 0; i < count; i++) {
		struct record_window *of = &w[(size_t)events[i].at];

		of->gaps += events[i].smi ? CORES : 1;
		of->smi.value += events[i].smi ? CORES : 0;
	}
	for (uint64_t n = 0; n < m->seconds; n++) {
		w[n].stage = "handoff";
		w[n].n = n + 1;
		w[n].windows = 1;
		w[n].start_ns = n * S;
		w[n].len_ns = S;
		w[n].smi.known = w[n].nmi.known = true;
		record_send(&capture.link, RECORD_WINDOW, &w[n]);
	}
}

static bool is_of(const struct event *e, uint32_t core)
{
	return e->smi || e->len_ns % CORES == core;
}

static void send_gaps(const struct machine *m, uint32_t core)
{
	for (size_t i = 0; m->all && i < count; i++) {
		enum cause cause = events[i].smi ? CAUSE_SMI : CAUSE_UNKNOWN;

		if (is_of(&events[i], core))
			SEND_GAP(.stage = "handoff", .cpu = core,
				 .t_ns = (uint64_t)(events[i].at * (double)S),
				 .len_ns = events[i].len_ns, .cause = cause_name(cause));
	}
}

/* List the buckets that are not empty. */
static size_t list_pairs(const struct hist *h, uint64_t pairs[HIST_BUCKETS][2])
{
	size_t n = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		if (!h->count[i])
			continue;
		pairs[n][0] = hist_low(i);
		pairs[n++][1] = h->count[i];
	}
	return n;
}

static void send_core(const struct machine *m, uint32_t core)
{
	static uint64_t pairs[HIST_BUCKETS][2];
	struct hist h = { { 0 } };
	struct record_cpu cpu = { .stage = "handoff",
				  .cpu = core,
				  .exposure_ns = m->seconds * S,
				  .smi.known = true,
				  .nmi.known = true,
				  .mce.known = true };

	for (size_t i = 0; i < count; i++) {
		if (!is_of(&events[i], core))
			continue;
		h.count[hist_bucket(events[i].len_ns)]++;
		cpu.gaps++;
		cpu.smi.value += events[i].smi;
		cpu.cause[events[i].smi ? CAUSE_SMI : CAUSE_UNKNOWN].gaps++;
		cpu.max_ns = events[i].len_ns > cpu.max_ns ? events[i].len_ns : cpu.max_ns;
	}
	cpu.histogram = (struct record_pairs){ pairs, list_pairs(&h, pairs) };
	record_send(&capture.link, RECORD_CPU, &cpu);
}

static void write_run(const struct machine *m, double factor, unsigned file)
{
	make_events(m, factor);
	start_again();
	SEND_BEGIN(.config = "threshold=1us", .clock = { .hz = S });
	send_windows(m);
	for (uint32_t core = 0; core < CORES; core++)
		send_gaps(m, core);
	for (uint32_t core = 0; core < CORES; core++)
		send_core(m, core);
	save_run(file);
}

/* ---- How often a row is reported as changed ---- */

static int diff_pair(const char *spread)
{
	if (spread)
		return DIFF("--spread", spread, path[0], path[1]);
	return DIFF(path[0], path[1]);
}

static unsigned changed(const struct machine *m, double factor, const char *spread, unsigned pairs)
{
	unsigned n = 0;

	for (unsigned i = 0; i < pairs; i++) {
		int code;

		seed = 1000 * (i + 1);
		write_run(m, 1, 0);
		write_run(m, factor, 1);
		code = diff_pair(spread);
		assert_string_equal(err, "");
		assert_in_range(code, 0, 1);
		n += !strstr(out, "\noutcome: same: ");
	}
	print_message("  changed in %u of %u pairs\n", n, pairs);
	return n;
}

#define USUAL .events = 600, .seconds = 60, .burst = 1

static const struct machine plain = { USUAL };

/*
 * 1 in 100 is promised; of 50, 1 leaves room for the luck of these seeds. If 1 in 10 is changed,
 * 97 % of all sets have more; of sets of 20, which may have none, 88 %. With the gaps themselves in
 * the report, which takes longer, each row has times of its own.
 */
TEST_F(start, teardown, test_no_change)
{
	static const struct machine rows[] = {
		{ USUAL },
		{ .events = 600, .seconds = 60, .burst = 20, .spread = 5 },
		{ USUAL, .on = 10, .off = 30 },
		{ .events = 600, .seconds = 120, .burst = 1, .on = 20, .off = 60 },
		{ .events = 600, .seconds = 300, .burst = 1, .on = 20, .off = 60 },
		{ USUAL, .heavy = true },
		{ USUAL, .heavy = true, .all = true },
		{ USUAL, .heavy = true, .all = true, .on = 10, .off = 30 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned pairs = rows[i].all ? rounds(1, PAIRS * 2 / 5) : rounds(FEW, PAIRS);

		print_message("machine %zu\n", i);
		assert_in_range(changed(&rows[i], 1, NULL, pairs), 0, pairs / 50);
	}
}

/* A storm and a pause are longer than the run: the only promise is that few changes are false. */
TEST_F(start, teardown, test_too_long_storms)
{
	const struct machine m = { USUAL, .on = 20, .off = 60 };
	const unsigned pairs = rounds(FEW, PAIRS);

	assert_in_range(changed(&m, 1, NULL, pairs), 0, pairs / 20);
}

/* Equal runs differ by 30 %, which diff is given or not. */
TEST_F(start, teardown, test_stated_spread)
{
	const struct machine m = { USUAL, .run_spread = log(1.3) };
	const unsigned pairs = rounds(FEW, PAIRS);

	assert_in_range(changed(&m, 1, "30", pairs), 0, pairs / 20);
	assert_true(changed(&m, 1, NULL, pairs) > pairs / 4);
}

/* 200 events, then 400: twice the rate. */
TEST_F(start, teardown, test_twice)
{
	const struct machine m = { .events = 200, .seconds = 60, .burst = 1 };
	const unsigned pairs = rounds(FEW, PAIRS);

	assert_true(changed(&m, 2, NULL, pairs) >= pairs * 8 / 10);
	/* A known difference of equal runs hides the change only if it is large. */
	assert_true(changed(&m, 2, "5", pairs) >= pairs * 8 / 10);
	assert_in_range(changed(&m, 2, "50", pairs), 0, pairs / 50);
}

/* More bursts are found, too, if there are many: 50, then 500. */
TEST_F(start, teardown, test_more_bursts)
{
	const struct machine m = { .events = 1000, .seconds = 300, .burst = 20, .spread = 0.1 };
	const unsigned pairs = rounds(FEW, PAIRS);

	assert_true(changed(&m, 10, NULL, pairs) >= pairs * 8 / 10);
}

/*
 * Too few windows do not show how events are distributed: no change is reported, but the reason is.
 */
TEST_F(start, teardown, test_too_few_windows)
{
	struct machine m = plain;

	m.seconds = 4;
	seed = 7;
	write_run(&m, 1, 0);
	write_run(&m, 10, 1);
	assert_int_equal(diff_pair(NULL), 0);
	assert_in(out, "  gaps                 not judged: 4 windows, 5 are needed\n");
	assert_in(out, "outcome: same: ");
	assert_int_equal(DIFF("--json", path[0], path[1]), 0);
	assert_in(out, "\"change\":null,\"why\":\"4 windows, 5 are needed\"");
	assert_int_equal(DIFF("--format", "junit", path[0], path[1]), 0);
	assert_in(out, "4 windows, 5 are needed");
	/* Equal runs are compared. */
	write_run(&m, 1, 1);
	assert_int_equal(diff_pair(NULL), 0);
	assert_not_in(out, "not judged");
	m.seconds = 5;
	write_run(&m, 1, 0);
	write_run(&m, 10, 1);
	assert_int_equal(diff_pair(NULL), 1);
	assert_not_in(out, "not judged");
}

enum {
	COUNTERS = 0
#define COUNTED(...) +1
#include "core/cause/counted_rows.h"
};

/* Check that a burst has no more events than there were. */
static void assert_bursts(unsigned seconds)
{
	static const char *const rows[] = { "gaps",
					    "SMIs",
					    "NMIs",
					    "machine checks",
					    "gaps over ",
					    "gaps, cause smi",
					    "gaps, cause unknown" };
	unsigned bursts = 0;

	/* Gaps, long gaps, two causes, the longest; and each counter. */
	assert_printed_count("findings", 5 + COUNTERS);
	assert_non_null(printed_at("findings|what=longest gap"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const json_t *row = printed_at("findings|what=%s", rows[i]);
		const char *why = json_string_value(json_object_get(row, "why"));
		double before = json_number_value(
			printed_at("findings|what=%s|before|value", rows[i]));
		double after = json_number_value(
			printed_at("findings|what=%s|after|value", rows[i]));
		double size = 0;

		assert_non_null(row);
		if (!why)
			continue;
		bursts++;
		assert_int_equal(sscanf(why, "in bursts of %lf", &size), 1);
		if (size > fmax(before, after) * seconds * 1.0001)
			fail_msg("%s: more in\n%s", rows[i], out);
	}
	assert_true(bursts > 0);
}

/* Each row has its own limits: events that did not occur have none of the others' bursts. */
TEST_F(start, teardown, test_limits_of_a_row)
{
	const struct machine m = {
		.events = 600, .seconds = 120, .burst = 1, .on = 10, .off = 30, .heavy = true
	};

	seed = 7;
	write_run(&m, 1, 0);
	write_run(&m, 1, 1);
	assert_int_equal(DIFF("--json", path[0], path[1]), 0);
	/* -ln(0.025) in 120 s. */
	assert_in(out, "\"what\":\"NMIs\",\"unit\":\"1/s\",\"before\":{\"value\":0.0,\"low\":0.0,"
		       "\"high\":0.03074");
	printed_read();
	assert_bursts(m.seconds);
}

TEST_F(start, teardown, test_spread_refused)
{
	write_run(&plain, 1, 0);
	write_run(&plain, 1, 1);
	assert_int_equal(diff_pair("0"), 2);
	assert_in(err, "--spread");
	assert_int_equal(diff_pair("1001"), 2);
	assert_int_equal(diff_pair("30"), 0);
	assert_in(out, "equal runs are taken to differ by 30 %\n");
}

TEST_GROUP(make_folder, remove_folder);
