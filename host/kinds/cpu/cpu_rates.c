/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of two runs, their limits, and the exact test. */
#include "cpu_rates.h"

#include "host/lib/poisson.h"

#include "core/events/chance.h"
#include "core/events/ratetest.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

#include <stdio.h>
#include <string.h>

#define TAIL 0.025 /* on each side */

/* One run's cores in the stage, and its rung of the ladder. */
struct side {
	const struct record_cpu *cpu;
	size_t cpus;
	struct record_cpu total; /* of all of them */
	const struct ladder_rung *rung;
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

static void limits(struct cpu_rate_side *side, const struct ladder_rung *r, uint64_t burst)
{
	double seconds = (double)r->exposure_ns / NS_PER_S;
	double events = (double)side->count.value / (double)r->cores;
	double size = (double)burst / LADDER_BURST_ONE;

	seconds /= (double)r->cores;
	side->per_s = events / seconds;
	side->low = poisson_lower(events / size, TAIL) * size / seconds;
	side->high = poisson_upper(events / size, TAIL) * size / seconds;
}

static struct cpu_rate *add(struct cpu_rates *d, const char *what, const struct side *b,
			    struct maybe before, const struct side *a, struct maybe after)
{
	struct cpu_rate *r = &d->rate[d->count++];

	*r = (struct cpu_rate){ .before.count = before, .after.count = after };
	snprintf(r->what, sizeof(r->what), "%s", what);
	ladder_compare_counts(before.value, b->rung, after.value, a->rung, &r->change);
	return r;
}

static struct maybe counted(uint64_t count)
{
	return (struct maybe){ count, true };
}

static void add_gaps(struct cpu_rates *d, const struct side *b, const struct side *a)
{
	struct ladder_step step;

	ladder_compare(b->rung, a->rung, &step);
	add(d, "gaps", b, counted(b->total.gaps), a, counted(a->total.gaps));
	add(d, "SMIs", b, b->total.smi, a, a->total.smi)->change = step.smi;
	add(d, "NMIs", b, b->total.nmi, a, a->total.nmi);
	add(d, "machine checks", b, b->total.mce, a, a->total.mce);
}

/* Is the tail longer? The longest gap alone proves little: it is one gap. */
static void add_over(struct cpu_rates *d, const struct side *b, const struct side *a)
{
	uint64_t ns = d->longest_before.ns, other = d->longest_after.ns;
	char what[40];
	struct cpu_rate *r;
	TEXT_DEFINE(length, 24);

	if (ns == other)
		return;
	ns = ns < other ? ns : other;
	text_duration(&length, ns);
	snprintf(what, sizeof(what), "gaps over %s", length.buf);
	r = add(d, what, b, sum_over(b, ns), a, sum_over(a, ns));
	ladder_compare_counts(round_up(r->before.count.value, b), b->rung,
			      round_up(r->after.count.value, a), a->rung, &r->change);
}

static void add_causes(struct cpu_rates *d, const struct side *b, const struct side *a)
{
	char what[40];

	for (unsigned c = 0; c < CAUSES; c++) {
		uint64_t before = b->total.cause[c].gaps, after = a->total.cause[c].gaps;

		if (!before && !after)
			continue;
		snprintf(what, sizeof(what), "gaps, cause %s", cause_name((enum cause)c));
		add(d, what, b, counted(before), a, counted(after));
	}
}

/* More tests need a stricter level each: Bonferroni's correction. */
static void judge(struct cpu_rates *d, const struct side *b, const struct side *a)
{
	uint64_t asked = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct cpu_rate *r = &d->rate[i];

		if (!r->before.count.known || !r->after.count.known)
			r->change.change = RATE_NOT_COMPARED;
		if (r->change.change == RATE_NOT_COMPARED)
			r->change.burst = LADDER_BURST_ONE;
		else
			asked++;
		limits(&r->before, b->rung, r->change.burst);
		limits(&r->after, a->rung, r->change.burst);
	}
	for (size_t i = 0; i < d->count; i++) {
		struct ladder_change *c = &d->rate[i].change;

		if (c->change != RATE_NOT_COMPARED &&
		    c->chance_milli >= RATE_CHANCE_MAX - chance_log10(asked))
			c->change = RATE_SAME;
	}
}

static bool read_side(struct side *side, const struct result *run, const char *name)
{
	const struct result_stage *stage = result_find_measured(run, name);

	if (!stage)
		return false;
	*side = (struct side){
		.cpu = stage->cpu,
		.cpus = stage->cpus,
		.rung = find_rung(&run->ladder, name),
	};
	record_total_start(RECORD_CPU, &side->total);
	for (size_t i = 0; i < side->cpus; i++)
		record_total_add(RECORD_CPU, &side->total, &side->cpu[i]);
	return side->rung && side->rung->exposure_ns / side->rung->cores;
}

static void read_both(struct cpu_rates *d, const struct side *b, const struct side *a)
{
	*d = (struct cpu_rates){ .cores_before = b->cpus, .cores_after = a->cpus };
	d->exposure_before_ns = b->rung->exposure_ns / b->rung->cores;
	d->exposure_after_ns = a->rung->exposure_ns / a->rung->cores;
	d->longest_before = longest(b);
	d->longest_after = longest(a);
	add_gaps(d, b, a);
	add_over(d, b, a);
	add_causes(d, b, a);
	judge(d, b, a);
}

bool cpu_rates_read(struct cpu_rates *d, const struct result *before, const struct result *after,
		    const char *stage)
{
	struct side b, a;

	if (!read_side(&b, before, stage) || !read_side(&a, after, stage))
		return false;
	read_both(d, &b, &a);
	return true;
}
