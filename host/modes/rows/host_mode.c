/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode, and their checks of cores. */
#include "host/modes/host_mode.h"

#include "host/capture/result.h"
#include "host/forms/checks.h"

#include "core/config/limit.h"
#include "core/kinds/service/service_record.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"

#include <stddef.h>

/* ---- gaps ---- */

static void describe_core(const struct record_cpu *cpu, struct text *t)
{
	text_add(t, "longest gap ");
	if (cpu->max_ns)
		text_duration(t, cpu->max_ns);
	else
		text_add(t, "none");
	text_add(t, ", %llu gaps in ", (unsigned long long)cpu->gaps);
	text_duration(t, cpu->exposure_ns);
	if (cpu->smi.known)
		text_add(t, ", %llu SMIs", (unsigned long long)cpu->smi.value);
}

static void check_core(struct checks *c, const struct result_verdict *v, const char *stage,
		       const struct record_cpu *cpu)
{
	struct verdict_reasons reasons;
	struct verdict_core core;
	struct checks_row *check;
	struct text t;

	verdict_core_of(cpu, &core);
	verdict_judge_core(&reasons, &v->limits, &core);
	check = checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u", cpu->cpu);
	check->ns = cpu->exposure_ns;
	checks_reasons(&t, &reasons);
	if (reasons.verdict == VERDICT_NONE)
		text_add(&t, "no limit was set");
	text_add(&t, "%s", t.len ? ": " : "");
	describe_core(cpu, &t);
}

static void check_gaps(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	for (size_t n = 0; n < stage->cpus; n++)
		check_core(c, v, stage->name, &stage->cpu[n]);
}

/* ---- services ---- */

/* A service is judged by its own core's time, and by the longest gap it put into others. */
static void check_service(struct checks *c, const struct result_verdict *v, const char *stage,
			  const struct record_service *r)
{
	struct maybe others = { r->longest_ns.value, r->stops };
	bool fails = limit_exceeded(&v->limits, LIMIT_SERVICE_MAX, r->max_ns) ||
		     limit_exceeded(&v->limits, LIMIT_MAX, others);
	bool unknown = !r->calls || (v->limits.limit[LIMIT_MAX].set && !r->others);
	struct text t;

	checks_add(c,
		   checks_status(fails     ? VERDICT_FAIL
				 : unknown ? VERDICT_INCOMPLETE
					   : VERDICT_PASS),
		   stage, &t, "service %s", r->service ? r->service : "n/a");
	service_record_sentence(&t, r);
}

static void check_services(struct checks *c, const struct result_verdict *v,
			   const struct result_stage *stage)
{
	const struct result_list *kept = &stage->kept[RECORD_SERVICE];
	const struct record_service *r = kept->at;

	for (size_t i = 0; i < kept->count; i++)
		if (limit_any(&v->limits, LIMIT_OF_CALLS) || v->limits.limit[LIMIT_MAX].set)
			check_service(c, v, stage->name, &r[i]);
}

/* ---- stretch ---- */

/*
 * The record that judges the core of record n: the worst of its kernels and phases. NULL unless n
 * is the core's first record.
 */
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

static void check_stretch_core(struct checks *c, const struct result_verdict *v, const char *stage,
			       const struct record_stretch *r)
{
	struct verdict_core core = { .index = r->cpu };
	struct verdict_reasons reasons;
	struct text t;

	core.value[LIMIT_MAX_STRETCH] = (struct maybe){ arith_sum(r->p999, 1000000), true };
	verdict_judge_core(&reasons, &v->limits, &core);
	checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u stretch", r->cpu);
	checks_reasons(&t, &reasons);
	text_add(&t, "%sworst p99.9 ", t.len ? ": " : "");
	text_fixed(&t, arith_sum(r->p999, 1000000), 6, 0);
	text_add(&t, " (%s, %s, %llu quanta)", r->kernel ? r->kernel : "n/a",
		 r->phase ? r->phase : "n/a", (unsigned long long)r->quanta);
}

/* max_stretch is the only limit on what the mode measures. */
static void check_stretch(struct checks *c, const struct result_verdict *v,
			  const struct result_stage *stage)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t n = 0; v->limits.limit[LIMIT_MAX_STRETCH].set && n < of.count; n++) {
		const struct record_stretch *r = worst_of(of, n);

		if (r)
			check_stretch_core(c, v, stage->name, r);
	}
}

/* ---- All ---- */

static const struct host_mode modes[MODES] = {
	[MODE_GAPS] = { .mode = &mode_gaps,
			.record = RECORD_CPU,
			.cpu = offsetof(struct record_cpu, cpu),
			.checks = check_gaps },
	[MODE_STRETCH] = { .mode = &mode_stretch,
			   .record = RECORD_STRETCH,
			   .cpu = offsetof(struct record_stretch, cpu),
			   .checks = check_stretch },
	[MODE_SURVEY] = { .mode = &mode_survey, .record = RECORD_SURVEY },
	[MODE_SERVICES] = { .mode = &mode_services,
			    .record = RECORD_SERVICE,
			    .cpu = offsetof(struct record_service, cpu),
			    .checks = check_services },
};

const struct host_mode *host_mode_at(unsigned n)
{
	return n < MODES ? &modes[n] : NULL;
}

bool host_mode_cores(const struct host_mode *mode, const struct result_stage *stage,
		     struct cpulist *list)
{
	bool gaps = mode->record == RECORD_CPU;
	size_t count = gaps ? stage->cpus : stage->kept[mode->record].count;

	for (size_t i = 0; list && mode->cpu && i < count; i++) {
		const char *record = gaps ? (const void *)&stage->cpu[i]
					  : result_stage_record(stage, mode->record, i);

		cpulist_add(list, *(const uint32_t *)(const void *)(record + mode->cpu));
	}
	return count;
}
