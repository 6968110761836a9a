/* SPDX-License-Identifier: BSD-2-Clause */
/* Survey records: how the machine is set, the lines of each part, and of tables how long they are.
 */
#include "readiness.h"
#include "survey_records.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include <string.h>

static void put_lines(struct text *t, const char *lines)
{
	while (*lines) {
		size_t bytes = strcspn(lines, "\n");

		text_add(t, "  ");
		text_bytes(t, lines, bytes);
		text_sanitize_print(t);
		lines += bytes + (lines[bytes] == '\n');
	}
}

static void put_part(struct text *t, const struct survey_records_part *p)
{
	bool is_text = !p->problem && survey_records_is_text(p);

	text_add(t, "survey %s%s%s: ", p->area, p->name ? " " : "", p->name ? p->name : "");
	if (p->problem)
		text_add(t, "%s", p->problem);
	else if (!is_text)
		text_add(t, "%llu bytes", (unsigned long long)p->bytes);
	text_sanitize_print(t);
	if (is_text)
		put_lines(t, (const char *)p->data);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	struct survey_records_part part;
	struct readiness readiness;

	(void)run;
	readiness_of_stage(&readiness, stage);
	readiness_print(t, &readiness);
	readiness_free(&readiness);
	for (size_t at = 0; survey_records_next(stage, &at, &part);) {
		put_part(t, &part);
		survey_records_free(&part);
	}
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	struct readiness readiness;

	(void)run, (void)limits;
	readiness_of_stage(&readiness, stage);
	readiness_page(f, &readiness);
	readiness_free(&readiness);
}

const struct host_kind host_kind_survey = {
	.type = RECORD_SURVEY,
	.text = put_text,
	.page = put_page,
};
