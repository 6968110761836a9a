/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps, by their records or by histograms, to the noise of a node, and to its slowdown. */
#include "predict.h"

#include "host/capture/result.h"
#include "host/statistics/chance.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <string.h>

#define TAIL 0.05

static const char *const names[] = {
	[PROFILE_AUTO] = "auto",
	[PROFILE_MERGED] = "merged",
	[PROFILE_APART] = "apart",
	[PROFILE_TOGETHER] = "together",
};

const char *predict_cores_name(unsigned cores)
{
	return cores < sizeof(names) / sizeof(names[0]) ? names[cores] : NULL;
}

static void add(struct predict_profile *p, double count, double length_ns)
{
	/* Lengths from 2^48 ns on share the last bucket, and not every double fits an integer. */
	size_t bucket = length_ns < 0x1p62 ? hist_bucket((uint64_t)length_ns) : HIST_BUCKETS - 1;

	p->count[bucket] += count;
	p->length[bucket] += count * length_ns;
	if (length_ns > p->longest_ns)
		p->longest_ns = length_ns;
}

struct merge {
	struct predict_profile *profile;
	struct spread spread;
};

static void add_event(void *ctx, const struct event *e)
{
	struct merge *m = ctx;

	if (!e->length)
		return;
	add(m->profile, 1, (double)e->length);
	spread_add(&m->spread, e->start);
}

/* The length assumed for a bucket that begins at `low`: its middle. */
static double middle(uint64_t low, uint64_t max_ns)
{
	double at = (double)low * (1 + 0.5 / HIST_SUB);

	return at < (double)max_ns ? at : (double)max_ns;
}

static bool add_histogram(struct predict_profile *p, const struct record_cpu *cpu, double weight)
{
	uint64_t counted = 0;

	for (size_t i = 0; i < cpu->histogram.count; i++) {
		uint64_t low = cpu->histogram.at[i][0], count = cpu->histogram.at[i][1];

		if (count > UINT64_MAX - counted)
			return false;
		counted += count;
		if (count && middle(low, cpu->max_ns) >= 1)
			add(p, weight * (double)count, middle(low, cpu->max_ns));
	}
	/* The longest is known exactly, and the asymptote depends on it. */
	if (counted && (double)cpu->max_ns > p->longest_ns)
		p->longest_ns = (double)cpu->max_ns;
	return counted == cpu->gaps;
}

static bool add_histograms(struct predict_profile *p, const struct record_cpu *cpu, size_t count,
			   struct text *why)
{
	double weight = p->cores == PROFILE_TOGETHER ? 1.0 / (double)count : 1.0;

	for (size_t i = 0; i < count; i++) {
		if (add_histogram(p, &cpu[i], weight))
			continue;
		text_add(why, "the histogram of cpu %u does not hold its %llu gaps", cpu[i].cpu,
			 (unsigned long long)cpu[i].gaps);
		return false;
	}
	return true;
}

static bool add_events(struct predict_profile *p, const struct result *run,
		       struct result_stage *stage, struct text *why)
{
	struct merge m = { .profile = p };

	if (!result_stage_has_all_gaps(stage, why))
		return false;
	spread_start(&m.spread, stage);
	result_stage_sort_gaps(stage);
	result_stage_merge(stage, RESULT_STAGE_ALL_CAUSES, result_stage_slack(run, stage),
			   add_event, &m);
	p->bursts = spread_end(&m.spread, 1);
	return true;
}

static bool is_whole(const struct result_stage *stage)
{
	TEXT_DEFINE(why, 200);

	return result_stage_has_all_gaps(stage, &why);
}

static void start(struct predict_profile *p, const struct result_stage *stage,
		  enum predict_cores cores)
{
	double count = (double)stage->cpus;

	memset(p, 0, sizeof(*p));
	p->cores = cores;
	p->of = (uint32_t)stage->cpus;
	p->domains = cores == PROFILE_APART ? (unsigned)stage->cpus : 1;
	p->bursts = spread_of_counter(stage, SPREAD_GAPS, stage->cpus / p->domains);
	for (size_t i = 0; i < stage->cpus; i++) {
		p->exposure_ns += (double)stage->cpu[i].exposure_ns / count * p->domains;
		p->gaps += stage->cpu[i].gaps;
	}
}

bool predict_profile_read(struct predict_profile *p, const struct result *run,
			  struct result_stage *stage, enum predict_cores cores, struct text *why)
{
	if (cores == PROFILE_AUTO)
		cores = is_whole(stage) ? PROFILE_MERGED : PROFILE_APART;
	start(p, stage, cores);
	if (p->exposure_ns < 1) {
		text_add(why, "its cores have no exposure");
		return false;
	}
	if (cores == PROFILE_MERGED)
		return add_events(p, run, stage, why);
	return add_histograms(p, stage->cpu, stage->cpus, why);
}

double predict_profile_events(const struct predict_profile *p)
{
	double events = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++)
		events += p->count[i];
	return events;
}

double predict_profile_unseen_hz(const struct predict_profile *p)
{
	return poisson_upper(0, TAIL) / p->exposure_ns * NS_PER_S;
}

size_t predict_profile_classes(const struct predict_profile *p,
			       struct predict_noise class[PROFILE_CLASSES])
{
	size_t count = 0;

	for (size_t i = HIST_BUCKETS; i-- > 0;) {
		if (!(p->count[i] > 0))
			continue;
		class[count].length_ns = p->length[i] / p->count[i];
		class[count++].rate_hz = p->count[i] / p->exposure_ns * NS_PER_S;
	}
	return count;
}

/* As many bursts, each with so few of its events: some are as long as is asked for, by chance. */
static double upper_limit(const struct predict_profile *p, double seen)
{
	struct dispersion d = p->bursts;

	d.size = 1 + (d.size - 1) * seen / predict_profile_events(p);
	return dispersion_upper(&d, seen, TAIL);
}

size_t predict_profile_bound(const struct predict_profile *p, double unseen_ns,
			     struct predict_noise class[PROFILE_CLASSES])
{
	size_t count = predict_profile_classes(p, class), at = 0;
	double seen = 0, limit = 0;

	/* The limit of each length's cumulative rate: a class has what it adds to the one above. */
	for (size_t i = 0; i < count; i++) {
		double upper;

		seen += class[i].rate_hz * p->exposure_ns / NS_PER_S;
		upper = upper_limit(p, seen) / p->exposure_ns * NS_PER_S;
		class[i].rate_hz = upper - limit;
		limit = upper;
	}
	if (unseen_ns <= 0)
		return count;
	/* Insert, sorted by length. */
	while (at<count &&class[at].length_ns> unseen_ns)
		at++;
	memmove(&class[at + 1], &class[at], (count - at) * sizeof(*class));
	class[at] = (struct predict_noise){ unseen_ns, predict_profile_unseen_hz(p) };
	return count + 1;
}

/* ---- Slowdown: the fixed point, approached from below ---- */

#define ROUNDS_MAX 2000
#define CLOSE      1e-9

double predict_noise_share(const struct predict_noise *class, size_t count)
{
	double share = 0;

	for (size_t k = 0; k < count; k++)
		share += class[k].length_ns * class[k].rate_hz / NS_PER_S;
	return share;
}

/* M(domains) - M(1): how much longer the longest event is that hits any of them than one alone. */
static double later(const struct predict_noise *class, size_t count, double domains, double step)
{
	double rate = 0, late = 0;

	for (size_t k = 0; k < count; k++) {
		double shorter = k + 1 < count ? class[k + 1].length_ns : 0;
		double hits;

		rate += class[k].rate_hz;
		hits = step * rate / NS_PER_S;
		late += (class[k].length_ns - shorter) * (exp(-hits) - exp(-domains * hits));
	}
	return late;
}

double predict_slowdown(const struct predict_noise *class, size_t count, double domains,
			double grain_ns)
{
	double share = predict_noise_share(class, count);
	double step = grain_ns;

	if (share > SLOWDOWN_SHARE_MAX)
		return INFINITY;
	/*
	 * The right-hand side rises with the step, so each round comes closer and none overshoots.
	 */
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double next = grain_ns + share * step + later(class, count, domains, step);
		int close = next - step <= step * CLOSE;

		step = next;
		if (close)
			break;
	}
	return step / grain_ns;
}
