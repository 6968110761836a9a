/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=survey: there are parts of a survey; no core is measured, and nothing is judged. */
#include "host/capture/result.h"
#include "host/modes/host_mode.h"

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	(void)list;
	return stage->kept[RECORD_SURVEY].count;
}

static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	(void)c, (void)v, (void)stage;
}

const struct host_mode host_mode_survey = {
	.mode = &mode_survey,
	.cores = cores,
	.checks = put_checks,
};
