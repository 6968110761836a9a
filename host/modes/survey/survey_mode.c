/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=survey: there are parts of a survey; no core is measured, and nothing is judged. */
#include "host/capture/capture.h"
#include "host/capture/result_stage.h"
#include "host/lib/exit.h"
#include "host/modes/host_mode.h"

#include <stdio.h>

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

static int predict(const struct predict_options *o, const struct capture_select *selected,
		   size_t count)
{
	(void)o, (void)count;
	fprintf(stderr, "%s: a run of mode=survey has measured nothing to predict from\n",
		selected->capture.name);
	return EXIT_ERROR;
}

const struct host_mode host_mode_survey = {
	.mode = &mode_survey,
	.cores = cores,
	.checks = put_checks,
	.predict = predict,
};
