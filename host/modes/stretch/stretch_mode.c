/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=stretch: each core has records `stretch`. */
#include "stretch_predict.h"

#include "host/capture/result_verdict.h"
#include "host/forms/checks.h"
#include "host/kinds/stretch/stretch_records.h"
#include "host/modes/host_mode.h"

#include "core/lib/arith.h"

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t i = 0; list && i < of.count; i++)
		cpulist_add(list, of.at[i].cpu);
	return of.count;
}

/* A core is judged by the worst of its kernels and phases: NULL for all but the first of it. */
static const struct record_stretch *worst_of(struct stretch_records of, size_t n)
{
	const struct record_stretch *r = of.at, *worst = &r[n];

	for (size_t i = 0; i < n; i++) {
		if (r[i].cpu == r[n].cpu)
			return NULL;
	}
	for (size_t i = n; i < of.count; i++) {
		if (r[i].cpu == r[n].cpu && r[i].p999 > worst->p999)
			worst = &r[i];
	}
	return worst;
}

static bool core_alone(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct record_stretch *r = ctx;

	*core = (struct verdict_core){ .index = r->cpu };
	core->value[LIMIT_MAX_STRETCH] = (struct maybe){ arith_sum(r->p999, 1000000), true };
	return !n;
}

static void check_core(struct checks *c, const struct result_verdict *v, const char *stage,
		       const struct record_stretch *r)
{
	struct verdict_reasons reasons = { .verdict = VERDICT_NONE };
	struct text t;

	verdict_judge_cores(&reasons, &v->limits, core_alone, r);
	checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u stretch", r->cpu);
	checks_reasons(&t, &reasons);
	text_add(&t, "%sworst p99.9 ", t.len ? ": " : "");
	text_fixed(&t, arith_sum(r->p999, 1000000), 6, 0);
	text_add(&t, " (%s, %s, %llu quanta)", r->kernel ? r->kernel : "n/a",
		 r->phase ? r->phase : "n/a", (unsigned long long)r->quanta);
}

/* Nothing else limits what the mode measures. */
static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t n = 0; v->limits.limit[LIMIT_MAX_STRETCH].set && n < of.count; n++) {
		const struct record_stretch *r = worst_of(of, n);

		if (r)
			check_core(c, v, stage->name, r);
	}
}

const struct host_mode host_mode_stretch = {
	.mode = &mode_stretch,
	.cores = cores,
	.checks = put_checks,
	.predict = stretch_predict,
};
