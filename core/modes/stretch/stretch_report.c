/* SPDX-License-Identifier: BSD-2-Clause */
/* Records and text of mode=stretch, a kernel at a time. */
#include "stretch_kept.h"

#include "core/lib/arith.h"
#include "core/lib/ratio.h"
#include "core/lib/ticks.h"
#include "core/records/record_kind.h"
#include "core/report/table.h"

#define ONE UINT64_C(1000000)

static const char *phase_name(enum stretch_phase phase)
{
	static const char *const names[STRETCH_PHASES] = { "alone", "all", "siblings", "victims" };

	return names[phase];
}

static uint64_t above(const struct stretch_sums *sums, uint64_t best, unsigned q)
{
	return stretch_above(stretch_quantile(sums, best, q), best);
}

static struct record_stretch record_of(struct report *r, const struct stretch_kept *s,
				       enum config_kernel kernel, enum stretch_phase phase,
				       uint32_t position)
{
	const struct stretch_core *c = &s->core[position];
	const struct stretch_sums *sums = &c->phase[phase];
	uint64_t best = c->best, mean = ratio_ppm(stretch_mean(sums, best));
	struct record_stretch record = {
		.stage = r->stage,
		.kernel = config_kernel_name(kernel),
		.phase = phase_name(phase),
		.cpu = r->platform->cpu[position].index,
		.quanta = sums->quanta,
		.work = r->platform->work->unit[kernel].count,
		.best = best,
		.min = { c->quickest.ticks, c->quickest.ticks != 0 },
		.p50 = above(sums, best, 5000),
		.p90 = above(sums, best, 9000),
		.p99 = above(sums, best, 9900),
		.p999 = above(sums, best, 9990),
		.max = above(sums, best, 10000),
		.mean = arith_less(mean, ONE),
		.hist = { (const uint64_t(*)[2])r->scratch.pairs,
			  stretch_pairs(sums, best, r->scratch.pairs) },
		.course = { sums->course, sums->turns },
		.throttled = { c->throttled, c->throttles },
	};

	stretch_factors(sums, best, &c->quickest, &record);
	return record;
}

/* Choose the cores that took part, into r->scratch.order: past TABLE_ALL the worst first. */
static uint32_t stretch_report_choose(struct report *r, struct stretch_kept *s,
				      enum stretch_phase phase)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->platform->cpus; i++) {
		struct stretch_core *c = &s->core[i];

		if (!c->phase[phase].quanta)
			continue;
		c->key = above(&c->phase[phase], c->best, 9990);
		r->scratch.order[n++] = i;
	}
	for (uint32_t i = 0; n > TABLE_ALL && i < TABLE_WORST; i++)
		for (uint32_t j = i + 1; j < n; j++)
			if (s->core[r->scratch.order[j]].key > s->core[r->scratch.order[i]].key) {
				uint32_t t = r->scratch.order[i];

				r->scratch.order[i] = r->scratch.order[j];
				r->scratch.order[j] = t;
			}
	return n;
}

static bool is_bounded(const struct report_link *link)
{
	return link->gaps_default != UINT64_MAX;
}

static void stretch_report_send(struct report *r, enum record_type type, const void *record,
				bool to_all)
{
	for (unsigned i = 0; i < r->links; i++)
		if (to_all || !is_bounded(&r->link[i]))
			record_send(r->link[i].to, type, record);
}

static void report_phase(struct report *r, struct stretch_kept *s, enum config_kernel kernel,
			 enum stretch_phase phase)
{
	uint32_t n = stretch_report_choose(r, s, phase), shown = n > TABLE_ALL ? TABLE_WORST : n;
	struct maybe *worst = &r->summary.record.stretch, *tail;
	struct record_stretch record;

	if (shown < n)
		report_text(r, "%s, %s: the %u worst of %u cores, by P99.9",
			    config_kernel_name(kernel), phase_name(phase), shown, n);
	for (uint32_t i = 0; i < n; i++) {
		record = record_of(r, s, kernel, phase, r->scratch.order[i]);
		tail = &r->platform->cpu[r->scratch.order[i]].tail;
		*tail = (struct maybe){ arith_max(tail->value, arith_sum(ONE, record.p999)), true };
		*worst = (struct maybe){ arith_max(worst->value, tail->value), true };
		stretch_report_send(r, RECORD_STRETCH, &record, i < shown);
		if (i < shown)
			report_record_text(r, RECORD_STRETCH, &record);
	}
}

/* Report significant interference, and the number of pairs without. */
static void report_interference(struct report *r, const struct stretch_kept *s,
				enum config_kernel kernel)
{
	const struct interfere *in = &s->interfere;
	unsigned pairs = 0, more = 0;

	for (uint32_t i = 0; i < in->groups * in->groups; i++) {
		const struct interfere_group *v = &in->group[i / in->groups];
		uint32_t a = i % in->groups;
		struct record_interfere record = {
			.stage = r->stage,
			.kernel = config_kernel_name(kernel),
			.victim = r->platform->cpu[v->first].index,
			.aggressor = r->platform->cpu[in->group[a].first].index,
			.group = in->kind,
		};

		if (!interfere_judge(&v->alone, &v->with[a], in->groups * (in->groups - 1),
				     &record))
			continue;
		stretch_report_send(r, RECORD_INTERFERE, &record, true);
		pairs++;
		if (record.ratio <= record.bound || ++more > TABLE_WORST)
			continue;
		report_record_text(r, RECORD_INTERFERE, &record);
	}
	if (pairs)
		report_text(r, "%s: %u of %u pairs slow each other significantly",
			    config_kernel_name(kernel), more, pairs);
}

void stretch_report(struct report *r, struct stretch_kept *s, enum config_kernel kernel, bool whole)
{
	const struct work_unit *unit = &r->platform->work->unit[kernel];

	for (uint32_t i = 0; i < r->platform->cpus; i++) {
		struct stretch_core *c = &s->core[i];

		c->best = arith_max(stretch_best(&c->phase[STRETCH_ALONE]), c->quickest.ticks);
	}
	report_text(r, "kernel %s, %llu %s in a quantum", config_kernel_name(kernel),
		    (unsigned long long)unit->count, unit->name);
	report_text(r, "%s", record_kind_of(RECORD_STRETCH)->head);
	for (unsigned phase = 0; phase < STRETCH_PHASES; phase++)
		report_phase(r, s, kernel, (enum stretch_phase)phase);
	if (whole)
		report_interference(r, s, kernel);
}
