/* SPDX-License-Identifier: BSD-2-Clause */
/* The prediction of mode=gaps: gaps, by their records or by histograms, to the noise of a node. */
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/lib/json_name.h"
#include "host/predict/predict.h"
#include "host/statistics/chance.h"

#include "core/gaps/hist.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 256
#define TAIL           0.05

/* ---- The noise of a node: how many events of which length, in what time ---- */

struct noise {
	bool merged;          /* gaps that overlap are one event; else no two are assumed to */
	uint32_t of;          /* cores */
	uint64_t gaps;        /* sum over all cores */
	unsigned domains;     /* noise domains of a node: 1, or its cores unless merged */
	double exposure_ns;   /* sum of all domains */
	double events;        /* sum of all domains */
	double longest_ns;    /* 0: none seen */
	double unseen_ns;     /* the length of the event that may have been missed */
	struct spread spread; /* spread of the merged events */
	struct dispersion bursts;
	struct predict_sums sums;
	/* For predict_slowdown(): as seen, and with every rate at its 95 % upper limit. */
	size_t seen_count; /* `bound` has one more */
	struct predict_point seen[HIST_BUCKETS], bound[HIST_BUCKETS + 1];
};

static void add_noise(struct noise *n, double count, double length_ns)
{
	n->events += count;
	n->longest_ns = fmax(n->longest_ns, length_ns);
	predict_gather(&n->sums, length_ns, count);
}

static void add_event(void *ctx, const struct event *e)
{
	struct noise *n = ctx;

	if (!e->length)
		return;
	add_noise(n, 1, (double)e->length);
	spread_add(&n->spread, e->start);
}

static void add_events(struct noise *n, const struct result *run, struct result_stage *stage)
{
	spread_start(&n->spread, stage);
	result_stage_sort_gaps(stage);
	result_stage_merge(stage, RESULT_STAGE_ALL_CAUSES, result_stage_slack(run, stage),
			   add_event, n);
	n->bursts = spread_end(&n->spread, 1);
}

/* The length assumed for a bucket that begins at `low`: its middle. */
static double middle(uint64_t low, uint64_t max_ns)
{
	return fmin((double)low * (1 + 0.5 / HIST_SUB), (double)max_ns);
}

static bool add_histogram(struct noise *n, const struct record_cpu *cpu)
{
	uint64_t counted = 0;

	for (size_t i = 0; i < cpu->histogram.count; i++) {
		uint64_t low = cpu->histogram.at[i][0], count = cpu->histogram.at[i][1];

		if (count > UINT64_MAX - counted)
			return false;
		counted += count;
		if (count && middle(low, cpu->max_ns) >= 1)
			add_noise(n, (double)count, middle(low, cpu->max_ns));
	}
	/* The longest is known exactly, and the asymptote depends on it. */
	if (counted)
		n->longest_ns = fmax(n->longest_ns, (double)cpu->max_ns);
	return counted == cpu->gaps;
}

static bool add_histograms(struct noise *n, const struct result_stage *stage, struct text *why)
{
	n->bursts = spread_of_counter(stage, SPREAD_GAPS, 1);
	for (size_t i = 0; i < stage->cpus; i++) {
		const struct record_cpu *cpu = &stage->cpu[i];

		if (add_histogram(n, cpu))
			continue;
		text_add(why, "the histogram of cpu %u does not hold its %llu gaps", cpu->cpu,
			 (unsigned long long)cpu->gaps);
		return false;
	}
	return true;
}

/* False if the records are insufficient; *why has what is missing. Sorts the stage's gaps. */
static bool add_gaps(struct noise *n, const struct result *run, struct result_stage *stage,
		     struct text *why)
{
	memset(n, 0, sizeof(*n));
	n->merged = result_stage_has_all_gaps(stage, why);
	n->of = (uint32_t)stage->cpus;
	n->domains = n->merged ? 1 : n->of;
	for (size_t i = 0; i < stage->cpus; i++) {
		n->exposure_ns += (double)stage->cpu[i].exposure_ns / n->of * n->domains;
		n->gaps += stage->cpu[i].gaps;
	}
	text_reset(why);
	if (n->exposure_ns < 1) {
		text_add(why, "its cores have no exposure");
		return false;
	}
	if (!n->merged)
		return add_histograms(n, stage, why);
	add_events(n, run, stage);
	return true;
}

/* The 95 % upper limit of the rate of unseen events: 3/exposure. */
static double unseen_hz(const struct noise *n)
{
	return poisson_upper(0, TAIL) / n->exposure_ns * NS_PER_S;
}

/*
 * Upper limit for a count of the `seen` longest events. They come in as many bursts as all events,
 * with their share of each burst.
 */
static double upper_limit(const struct noise *n, double seen)
{
	struct dispersion d = n->bursts;

	d.size = 1 + (d.size - 1) * seen / n->events;
	return dispersion_upper(&d, seen, TAIL);
}

/*
 * Fill in n->seen and n->bound: seen lengths with every rate at its 95 % upper limit, in bursts as
 * the windows show them, and an event of n->unseen_ns that occurs at a rate of 3/exposure: low
 * enough to have been missed.
 */
static void list_rates(struct noise *n)
{
	double seen = 0, limit = 0, per_event = NS_PER_S / n->exposure_ns;
	size_t at = 0;

	n->seen_count = predict_points(&n->sums, n->seen);
	/* The limit of each length's cumulative rate: a class has what it adds to the one above. */
	for (size_t i = 0; i < n->seen_count; i++) {
		double length_ns = n->seen[i].at, upper;

		seen += n->seen[i].mass;
		upper = upper_limit(n, seen) * per_event;
		n->seen[i].mass *= per_event;
		n->bound[i] = (struct predict_point){ length_ns, upper - limit };
		limit = upper;
		at += length_ns > n->unseen_ns;
	}
	memmove(&n->bound[at + 1], &n->bound[at], (n->seen_count - at) * sizeof(*n->bound));
	n->bound[at] = (struct predict_point){ n->unseen_ns, unseen_hz(n) };
}

/* Unseen events are assumed to be no shorter than the threshold. */
static bool read_noise(struct noise *n, const struct predict_result *p, struct result_stage *stage)
{
	const struct capture_select *s = p->selected;
	double asked = (double)p->options->unseen_ns, share;
	TEXT_DEFINE(why, LINE_MAX_BYTES);

	if (!add_gaps(n, s->run, stage, &why)) {
		fprintf(stderr, "%s: no prediction: %s\n", s->capture.name, why.buf);
		return false;
	}
	n->unseen_ns = asked > 0 ? asked : fmax(n->longest_ns, (double)result_threshold(s->run));
	list_rates(n);
	share = predict_noise_share(n->seen, n->seen_count);
	if (share > SLOWDOWN_SHARE_MAX)
		fprintf(stderr, "%s: no prediction: noise takes %.1f %% of the time\n",
			s->capture.name, share * 100);
	return share <= SLOWDOWN_SHARE_MAX;
}

/* ---- Prediction ---- */

static void describe_noise(struct predict_result *p, const struct noise *n,
			   const struct result_stage *stage, uint64_t threshold_ns)
{
	char rate[40], share[40];
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	text_add(&t, "stage:   %s, %u cores, ", stage->name, n->of);
	text_duration(&t, (uint64_t)(n->exposure_ns / n->domains));
	text_add(&t, " each, gaps from ");
	text_duration(&t, threshold_ns);
	text_add(&t, " on");
	predict_line(p, &t);
	snprintf(rate, sizeof(rate), "%.4g", n->events / n->exposure_ns * NS_PER_S * n->domains);
	snprintf(share, sizeof(share), "%.4g", predict_noise_share(n->seen, n->seen_count) * 100);
	text_add(&t,
		 "noise:   %llu gaps, %s: %s a second on a node, %s %% of the time, the longest ",
		 (unsigned long long)n->gaps,
		 n->merged ? "overlapping ones merged to events"
			   : "assuming gaps never overlap, an upper bound",
		 rate, share);
	if (n->events > 0)
		text_duration(&t, (uint64_t)n->longest_ns);
	else
		text_add(&t, "n/a");
	predict_line(p, &t);
}

static void describe_job(struct predict_result *p, const struct noise *n)
{
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	text_add(&t, "job:     steps of ");
	text_duration(&t, p->options->grain_ns);
	text_add(&t, ", in each of which all nodes wait for the slowest");
	predict_line(p, &t);
	text_add(&t, "BOUND:   with every rate at its 95 %% upper limit, and an event of ");
	text_duration(&t, (uint64_t)n->unseen_ns);
	text_add(&t, " that ");
	text_duration(&t, (uint64_t)n->exposure_ns);
	text_add(&t, " may have missed, every ");
	text_duration(&t, (uint64_t)(NS_PER_S / unseen_hz(n)));
	predict_line(p, &t);
}

static json_t *make_document(const struct noise *n, const struct result_stage *stage,
			     uint64_t threshold_ns)
{
	return json_pack(
		"{s:o,s:I,s:f,s:f,s:f,s:s,s:f,s:f,s:f,s:f,s:f}", "stage", json_name(stage->name),
		"cores", (json_int_t)n->of, "exposure_ns", n->exposure_ns, "events", n->events,
		"longest_ns", n->longest_ns, "how", n->merged ? "merged" : "apart", "noise_share",
		predict_noise_share(n->seen, n->seen_count), "threshold_ns", (double)threshold_ns,
		"unseen_ns", n->unseen_ns, "unseen_hz", unseen_hz(n), "sure_up_to", SLOWDOWN_SURE);
}

#define TEXT_OF(number) #number
#define NOTE(sure) \
	"a SLOWDOWN above " TEXT_OF(sure) " is an upper limit: the formula holds up to there"

static void fill_table(struct predict_result *p, const struct noise *n)
{
	double grain_ns = (double)p->options->grain_ns;

	for (size_t i = 0; i < p->rows; i++) {
		double domains = (double)p->nodes[i] * n->domains;

		p->factor[0][i] = predict_slowdown(n->seen, n->seen_count, domains, grain_ns);
		p->factor[1][i] = predict_slowdown(n->bound, n->seen_count + 1, domains, grain_ns);
		if (p->factor[0][i] > SLOWDOWN_SURE)
			p->note = NOTE(SLOWDOWN_SURE);
	}
}

static const struct predict_column columns[] = {
	{ "slowdown", "SLOWDOWN" },
	{ "bound", "BOUND" },
};

/* Several runs are refused. */
bool predict_gaps(struct predict_result *p)
{
	static struct noise n;
	const struct capture_select *s = p->selected;
	uint64_t threshold_ns = result_threshold(s->run);
	struct result_stage *stage;

	if (p->runs > 1) {
		fprintf(stderr,
			"predict: extra argument %s: a run in mode=gaps is predicted alone\n",
			s[1].capture.name);
		return false;
	}
	stage = capture_select_stage(s, p->options->stage);
	if (p->options->kernel || p->options->phase) {
		fprintf(stderr, "%s: --kernel and --phase mean nothing in mode=gaps\n",
			s->capture.name);
		return false;
	}
	if (!stage || !read_noise(&n, p, stage))
		return false;
	p->schema = "predict/1";
	p->of = "nodes";
	p->column = columns;
	p->columns = sizeof(columns) / sizeof(columns[0]);
	describe_noise(p, &n, stage, threshold_ns);
	describe_job(p, &n);
	fill_table(p, &n);
	p->document = make_document(&n, stage, threshold_ns);
	return true;
}
