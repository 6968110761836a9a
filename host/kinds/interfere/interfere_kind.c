/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfere records of a stage: how they are kept, and a line of text for what is significant. */
#include "interfere_records.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct interfere_records of = interfere_records_of(stage);

	(void)t;
	for (size_t i = 0; i < of.count; i++) {
		if (of.at[i].ratio > of.at[i].bound)
			result_record_text(run, RECORD_INTERFERE, &of.at[i], text_sanitize_line,
					   NULL);
	}
}

const struct host_kind host_kind_interfere = {
	.type = RECORD_INTERFERE,
	.text = put_text,
	.page = interfere_page,
	.series = true,
};
