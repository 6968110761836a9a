/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the platform that a stage was measured in. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"

static bool stage_kind_keep(struct result *run, const union record *record)
{
	struct result_stage *stage = result_stage_of(run, record->stage.stage);

	if (!stage || stage->has_state)
		return false;
	stage->state = record->stage;
	stage->has_state = true;
	return true;
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	(void)t;
	if (stage->has_state)
		result_record_text(run, RECORD_STAGE, &stage->state);
}

const struct host_kind host_kind_stage = {
	.type = RECORD_STAGE,
	.keep = stage_kind_keep,
	.title = "State of the platform",
	.text = put_text,
};
