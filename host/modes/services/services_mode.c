/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=services: each stage has records `service`. */
#include "host/capture/result.h"
#include "host/forms/checks.h"
#include "host/modes/host_mode.h"

#include "core/config/limit.h"
#include "core/kinds/service/service_record.h"

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	const struct result_list *kept = &stage->kept[RECORD_SERVICE];
	const struct record_service *r = kept->at;

	for (size_t i = 0; list && i < kept->count; i++)
		cpulist_add(list, r[i].cpu);
	return kept->count;
}

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

static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	const struct result_list *kept = &stage->kept[RECORD_SERVICE];
	const struct record_service *r = kept->at;

	for (size_t i = 0; i < kept->count; i++)
		if (limit_any(&v->limits, LIMIT_OF_CALLS) || v->limits.limit[LIMIT_MAX].set)
			check_service(c, v, stage->name, &r[i]);
}

const struct host_mode host_mode_services = {
	.mode = &mode_services,
	.cores = cores,
	.checks = put_checks,
};
