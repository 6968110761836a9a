/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of two runs, how they come, their limits, and the test. */
#include "cpu_rates.h"

#include "host/capture/spread.h"

#include "core/events/chance.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAIL       0.025 /* on each side */
#define COUNT_MOST 0x1p62

/* One run's cores in the stage, and its rung of the ladder. */
struct side {
	const struct result_stage *stage;
	const struct record_cpu *cpu;
	size_t cpus;
	struct record_cpu total; /* of all of them */
	const struct ladder_rung *rung;
};

/* Before, after. */
struct sides {
	struct side of[2];
	double spread; /* between equal runs */
};

/* The events that a row counts. */
struct row {
	const char *what;
	enum spread_counter counter; /* of windows, that they come like */
	uint32_t causes;             /* of the gaps that they are, if these show more; or 0 */
	uint64_t over_ns;            /* those that are longer */
};

static const struct ladder_rung *find_rung(const struct ladder *l, const char *stage)
{
	for (size_t i = 0; i < l->count; i++) {
		if (strncmp(l->rung[i].stage, stage, LADDER_STAGE_MAX) == 0)
			return &l->rung[i];
	}
	return NULL;
}

static struct cpu_longest longest(const struct side *s)
{
	struct cpu_longest l = { 0, s->cpu[0].cpu };

	for (size_t i = 0; i < s->cpus; i++) {
		if (s->cpu[i].max_ns > l.ns)
			l = (struct cpu_longest){ s->cpu[i].max_ns, s->cpu[i].cpu };
	}
	return l;
}

/*
 * Gaps longer than `ns`, of all cores. The bucket that holds `ns` itself is uncertain; the core's
 * longest gap is exact.
 */
static struct maybe sum_over(const struct side *s, uint64_t ns)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->cpus; i++) {
		const struct record_pairs *h = &s->cpu[i].histogram;
		uint64_t over = 0;

		for (size_t k = 0; k < h->count; k++)
			over = arith_sum(over, h->at[k][0] > ns ? h->at[k][1] : 0);
		total = arith_sum(total, over || s->cpu[i].max_ns <= ns ? over : 1);
	}
	return (struct maybe){ total, true };
}

/* Rounded up to a multiple of the cores, so that a few in all do not become none per core. */
static uint64_t round_up(uint64_t total, const struct side *s)
{
	uint64_t rest = total % s->cpus;

	return rest ? arith_sum(total, s->cpus - rest) : total;
}

/* ---- How they come ---- */

static struct dispersion bursts_of(const struct side *s, const struct row *row, struct maybe count)
{
	struct dispersion d = { 1, 0 };

	if (!count.known || !count.value)
		return d;
	if (row->causes && spread_of_gaps(&d, s->stage, row->causes, row->over_ns, count.value))
		return d;
	d = spread_of_counter(s->stage, row->counter, s->cpus);
	/* Others come in larger bursts than all of these make. */
	d.size = fmax(fmin(d.size, (double)count.value / (double)s->cpus), 1);
	return d;
}

static struct cpu_rate_side side_of(const struct sides *sides, size_t n, const struct row *row,
				    struct maybe count)
{
	const struct side *s = &sides->of[n];
	double events = (double)count.value / (double)s->rung->cores;
	double seconds = (double)s->rung->exposure_ns / (double)s->rung->cores / NS_PER_S;
	struct cpu_rate_side r = { .count = count, .bursts = bursts_of(s, row, count) };
	struct dispersion d = r.bursts;

	d.size += sides->spread * sides->spread * events;
	r.per_s = events / seconds;
	r.low = dispersion_lower(&d, events, TAIL) / seconds;
	r.high = dispersion_upper(&d, events, TAIL) / seconds;
	return r;
}

/* ---- The test ---- */

/* Of the mean of the cores, each as many as these taken as one. */
static int64_t chance_of_bursts(const struct sides *s, const uint64_t count[2], double size)
{
	uint64_t bursts[2], time[2];

	for (size_t i = 0; i < 2; i++) {
		bursts[i] = (uint64_t)fmin((double)count[i] / size, COUNT_MOST);
		time[i] = s->of[i].rung->exposure_ns / s->of[i].rung->cores;
	}
	return ratetest_chance(bursts[0], time[0], bursts[1], time[1]);
}

/*
 * Two estimates of the same thing, if nothing has changed: as many degrees of freedom as both have
 * at least. A side that shows no bursts may have had none, and adds nothing.
 */
static size_t freedom_of(const struct dispersion *d, const struct dispersion *other)
{
	return other->freedom ? 2 * arith_min(d->freedom, other->freedom) : d->freedom;
}

/*
 * In bursts as those of one side, or of the other: whichever leaves more to chance. What equal runs
 * differ adds twice its square to the variance of the ratio's logarithm, which is size / count of
 * each side.
 */
static int64_t chance_of(const struct sides *s, const struct cpu_rate *r, const uint64_t count[2])
{
	const struct dispersion bursts[] = { r->before.bursts, r->after.bursts };
	double b = (double)count[0], a = (double)count[1], most = 0;
	double more = b + a > 0 ? 2 * s->spread * s->spread * b * a / (b + a) : 0;

	for (size_t i = 0; i < 2; i++) {
		struct dispersion d = { bursts[i].size + more,
					freedom_of(&bursts[i], &bursts[!i]) };
		int64_t milli = chance_of_bursts(s, count, d.size);

		most = fmax(most, dispersion_chance(&d, pow(10, (double)milli / 1000)));
	}
	return llround(1000 * log10(most));
}

/* `round` up to whole events per core, so that a few of all do not become none. */
static void compare(const struct sides *s, struct cpu_rate *r, bool round)
{
	uint64_t count[2] = { r->before.count.value, r->after.count.value };

	if (!r->before.count.known || !r->after.count.known)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (round)
			count[i] = round_up(count[i], &s->of[i]);
		count[i] /= s->of[i].rung->cores;
	}
	r->change = r->after.per_s < r->before.per_s ? RATE_LESS : RATE_MORE;
	r->chance_milli = chance_of(s, r, count);
}

static void add(struct cpu_rates *d, const struct sides *s, const struct row *row,
		const struct maybe count[2])
{
	struct cpu_rate *r = &d->rate[d->count++];

	*r = (struct cpu_rate){ .before = side_of(s, 0, row, count[0]),
				.after = side_of(s, 1, row, count[1]),
				.change = RATE_NOT_COMPARED };
	snprintf(r->what, sizeof(r->what), "%s", row->what);
	compare(s, r, row->over_ns);
}

static struct maybe counted(uint64_t count)
{
	return (struct maybe){ count, true };
}

static void add_counters(struct cpu_rates *d, const struct sides *s)
{
	const struct record_cpu *b = &s->of[0].total, *a = &s->of[1].total;

	add(d, s, &(struct row){ "gaps", SPREAD_GAPS, 0, 0 },
	    (struct maybe[]){ counted(b->gaps), counted(a->gaps) });
	add(d, s, &(struct row){ "SMIs", SPREAD_SMI, 0, 0 }, (struct maybe[]){ b->smi, a->smi });
	add(d, s, &(struct row){ "NMIs", SPREAD_NMI, 0, 0 }, (struct maybe[]){ b->nmi, a->nmi });
	add(d, s, &(struct row){ "machine checks", SPREAD_GAPS, 0, 0 },
	    (struct maybe[]){ b->mce, a->mce });
}

/* Is the tail longer? The longest gap alone proves little: it is one gap. */
static void add_over(struct cpu_rates *d, const struct sides *s)
{
	uint64_t ns = arith_min(d->longest_before.ns, d->longest_after.ns);
	char what[40];
	TEXT_DEFINE(length, 24);

	if (d->longest_before.ns == d->longest_after.ns)
		return;
	text_duration(&length, ns);
	snprintf(what, sizeof(what), "gaps over %s", length.buf);
	add(d, s, &(struct row){ what, SPREAD_GAPS, RESULT_STAGE_ALL_CAUSES, ns },
	    (struct maybe[]){ sum_over(&s->of[0], ns), sum_over(&s->of[1], ns) });
}

/* Counted by windows, too, or as all gaps. */
static enum spread_counter counter_of(unsigned cause)
{
	if (cause == CAUSE_SMI)
		return SPREAD_SMI;
	return cause == CAUSE_NMI ? SPREAD_NMI : SPREAD_GAPS;
}

static void add_causes(struct cpu_rates *d, const struct sides *s)
{
	char what[40];

	for (unsigned c = 0; c < CAUSES; c++) {
		uint64_t before = s->of[0].total.cause[c].gaps;
		uint64_t after = s->of[1].total.cause[c].gaps;

		if (!before && !after)
			continue;
		snprintf(what, sizeof(what), "gaps, cause %s", cause_name((enum cause)c));
		add(d, s, &(struct row){ what, counter_of(c), 1u << c, 0 },
		    (struct maybe[]){ counted(before), counted(after) });
	}
}

/* ---- What it comes to ---- */

/* More tests need a stricter level each: Bonferroni's correction. */
static int64_t level(const struct cpu_rates *d)
{
	uint64_t asked = 0;

	for (size_t i = 0; i < d->count; i++)
		asked += d->rate[i].change != RATE_NOT_COMPARED;
	return asked ? RATE_CHANCE_MAX - chance_log10(asked) : 0;
}

/* Of a side with events; one without any has no bursts to show. */
static bool has_windows(const struct side *s, const struct cpu_rate_side *r)
{
	return !r->count.value || s->stage->windows >= DISPERSION_WINDOWS_MIN;
}

static void judge_rate(const struct sides *s, struct cpu_rate *r, int64_t most)
{
	bool before = has_windows(&s->of[0], &r->before);

	if (r->chance_milli >= most) {
		r->change = RATE_SAME;
	} else if (!before || !has_windows(&s->of[1], &r->after)) {
		r->change = RATE_NOT_COMPARED;
		snprintf(r->why, sizeof(r->why), "%zu windows, %d are needed",
			 s->of[before].stage->windows, DISPERSION_WINDOWS_MIN);
	}
}

static void judge(struct cpu_rates *d, const struct sides *s)
{
	int64_t most = level(d);

	for (size_t i = 0; i < d->count; i++)
		if (d->rate[i].change != RATE_NOT_COMPARED)
			judge_rate(s, &d->rate[i], most);
}

static bool read_side(struct side *side, const struct result *run, const char *name)
{
	const struct result_stage *stage = result_find_measured(run, name);

	if (!stage)
		return false;
	*side = (struct side){
		.stage = stage,
		.cpu = stage->cpu,
		.cpus = stage->cpus,
		.rung = find_rung(&run->ladder, name),
	};
	record_total_start(RECORD_CPU, &side->total);
	for (size_t i = 0; i < side->cpus; i++)
		record_total_add(RECORD_CPU, &side->total, &side->cpu[i]);
	return side->rung && side->rung->exposure_ns / side->rung->cores;
}

static void read_both(struct cpu_rates *d, const struct sides *s)
{
	const struct side *b = &s->of[0], *a = &s->of[1];

	*d = (struct cpu_rates){ .cores_before = b->cpus, .cores_after = a->cpus };
	d->exposure_before_ns = b->rung->exposure_ns / b->rung->cores;
	d->exposure_after_ns = a->rung->exposure_ns / a->rung->cores;
	d->longest_before = longest(b);
	d->longest_after = longest(a);
	d->spread = s->spread;
	add_counters(d, s);
	add_over(d, s);
	add_causes(d, s);
	judge(d, s);
}

bool cpu_rates_read(struct cpu_rates *d, const struct result *before, const struct result *after,
		    const char *stage, double spread)
{
	struct sides s = { .spread = spread };

	if (!read_side(&s.of[0], before, stage) || !read_side(&s.of[1], after, stage))
		return false;
	read_both(d, &s);
	return true;
}
