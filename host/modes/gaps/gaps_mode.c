/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=gaps: each core has a record `cpu`. */
#include "gaps_predict.h"

#include "host/capture/result.h"
#include "host/capture/result_verdict.h"
#include "host/forms/checks.h"
#include "host/modes/host_mode.h"

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	for (size_t i = 0; list && i < stage->cpus; i++)
		cpulist_add(list, stage->cpu[i].cpu);
	return stage->cpus;
}

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
	struct checks_row *check;
	struct text t;

	verdict_judge_core(&reasons, &v->limits, cpu);
	check = checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u", cpu->cpu);
	check->ns = cpu->exposure_ns;
	check->max_ns = (struct maybe){ cpu->max_ns, true };
	checks_reasons(&t, &reasons);
	if (reasons.verdict == VERDICT_NONE)
		text_add(&t, "no limit was set");
	text_add(&t, "%s", t.len ? ": " : "");
	describe_core(cpu, &t);
}

static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	for (size_t n = 0; n < stage->cpus; n++)
		check_core(c, v, stage->name, &stage->cpu[n]);
}

const struct host_mode host_mode_gaps = {
	.mode = &mode_gaps,
	.cores = cores,
	.checks = put_checks,
	.predict = gaps_predict,
};
