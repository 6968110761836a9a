/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage of a run: what its kinds show. */
#include "html_run.h"

#include "host/kinds/host_kind.h"
#include "host/lib/markup.h"
#include "html.h"

void html_stage(FILE *f, const struct result *run, struct result_stage *stage,
		const struct config *limits)
{
	const struct host_kind *kind;

	fputs("<h3>Stage ", f);
	markup_text(f, stage->name);
	fputs("</h3>\n", f);
	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		if (kind->page)
			kind->page(f, run, stage, limits);
}
