/* SPDX-License-Identifier: BSD-2-Clause */
/* From gaps, by their records or by histograms, to the noise of a node and to its slowdown. */
#include "predict.h"

#include "host/statistics/chance.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAIL 0.05

/* ---- Slowdown: the fixed point, approached from below ---- */

#define ROUNDS_MAX 2000
#define CLOSE      1e-9

double predict_noise_share(const struct predict_point *class, size_t count)
{
	double share = 0;

	for (size_t k = 0; k < count; k++)
		share += class[k].at * class[k].rate / NS_PER_S;
	return share;
}

/*
 * M(domains) - M(1): by how much the longest event that hits any of the domains is longer than that
 * of one domain.
 */
static double later(const struct predict_point *class, size_t count, double domains, double step)
{
	double rate = 0, late = 0;

	for (size_t k = 0; k < count; k++) {
		double hits, shorter = k + 1 < count ? class[k + 1].at : 0;

		rate += class[k].rate;
		hits = step * rate / NS_PER_S;
		late += (class[k].at - shorter) * (exp(-hits) - exp(-domains * hits));
	}
	return late;
}

double predict_slowdown(const struct predict_point *class, size_t count, double domains,
			double grain_ns)
{
	double share = predict_noise_share(class, count), step = grain_ns;

	if (share > SLOWDOWN_SHARE_MAX)
		return INFINITY;
	/* The right-hand side rises with the step: each round comes closer, and none overshoots. */
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double next = grain_ns + share * step + later(class, count, domains, step);

		if (next - step <= step * CLOSE)
			return next / grain_ns;
		step = next;
	}
	return step / grain_ns;
}

/* ---- Events ---- */

static void add_noise(struct predict_noise *n, double count, double length_ns)
{
	/* Not every double fits an integer. */
	size_t bucket = length_ns < 0x1p48 ? hist_bucket((uint64_t)length_ns) : HIST_BUCKETS - 1;

	n->events += count;
	n->longest_ns = fmax(n->longest_ns, length_ns);
	n->number[bucket] += count;
	n->length[bucket] += count * length_ns;
}

static void add_event(void *ctx, const struct event *e)
{
	struct predict_noise *n = ctx;

	if (!e->length)
		return;
	add_noise(n, 1, (double)e->length);
	spread_add(&n->spread, e->start);
}

static void add_events(struct predict_noise *n, const struct result *run,
		       struct result_stage *stage)
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

static bool add_histogram(struct predict_noise *n, const struct record_cpu *cpu)
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

static bool add_histograms(struct predict_noise *n, const struct result_stage *stage,
			   struct text *why)
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

static bool add_gaps(struct predict_noise *n, const struct result *run, struct result_stage *stage,
		     struct text *why)
{
	memset(n, 0, sizeof(*n));
	n->merged = result_stage_has_all_gaps(stage, why);
	n->domains = n->merged ? 1 : (unsigned)stage->cpus;
	for (size_t i = 0; i < stage->cpus; i++)
		n->exposure_ns += (double)stage->cpu[i].exposure_ns / (double)stage->cpus *
				  n->domains;
	text_reset(why);
	if (n->exposure_ns < 1) {
		text_add(why,
			 stage->cpus ? "its cores have no exposure" : "no gaps were looked for");
		return false;
	}
	if (!n->merged)
		return add_histograms(n, stage, why);
	add_events(n, run, stage);
	return true;
}

/* ---- Rates ---- */

/*
 * Fill in n->seen and n->bound: seen lengths with every rate at its 95 % upper limit, in bursts as
 * the windows show them, and an event of n->unseen_ns at a rate that is low enough for it to have
 * been missed.
 */
static void list_rates(struct predict_noise *n)
{
	double seen = 0, limit = 0, per_event = NS_PER_S / n->exposure_ns;
	struct predict_point *bound = n->bound;
	bool added = false;

	/* The limit of each length's cumulative rate: a class has what it adds to the one above. */
	for (size_t i = HIST_BUCKETS; i-- > 0;) {
		struct dispersion bursts = n->bursts;
		double length_ns, upper;

		if (!(n->number[i] > 0))
			continue;
		length_ns = n->length[i] / n->number[i];
		seen += n->number[i];
		/* The longest events come in as many bursts as all, with their share of each. */
		bursts.size = 1 + (bursts.size - 1) * seen / n->events;
		upper = dispersion_upper(&bursts, seen, TAIL) * per_event;
		if (!added && length_ns <= n->unseen_ns) {
			*bound++ = (struct predict_point){ n->unseen_ns, n->unseen_hz };
			added = true;
		}
		n->seen[n->seen_count++] = (struct predict_point){ length_ns,
								   n->number[i] * per_event };
		*bound++ = (struct predict_point){ length_ns, upper - limit };
		limit = upper;
	}
	if (!added)
		*bound = (struct predict_point){ n->unseen_ns, n->unseen_hz };
}

bool predict_noise_read(struct predict_noise *n, const struct result *run,
			struct result_stage *stage, uint64_t unseen_ns, struct text *why)
{
	char share[32];

	if (!add_gaps(n, run, stage, why))
		return false;
	n->unseen_ns = unseen_ns ? (double)unseen_ns
				 : fmax(n->longest_ns, (double)result_threshold(run));
	n->unseen_hz = poisson_upper(0, TAIL) / n->exposure_ns * NS_PER_S;
	list_rates(n);
	if (predict_noise_share(n->seen, n->seen_count) <= SLOWDOWN_SHARE_MAX)
		return true;
	snprintf(share, sizeof(share), "%.1f", predict_noise_share(n->seen, n->seen_count) * 100);
	text_add(why, "noise takes %s %% of the time", share);
	return false;
}
