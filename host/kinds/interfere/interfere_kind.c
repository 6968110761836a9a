/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfere records of a stage, who slows whom: a line of text for what is significant. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct interfere_records of = interfere_records_of(stage);

	(void)t;
	for (size_t i = 0; i < of.count; i++)
		if (of.at[i].ratio > of.at[i].bound)
			result_record_text(run, RECORD_INTERFERE, &of.at[i]);
}

const struct host_kind host_kind_interfere = {
	.type = RECORD_INTERFERE,
	.title = "Who slows whom",
	.text = put_text,
	.series = true,
};
