/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints, before and after the report is open. */
#include "complaints.h"

#include "probe/door.h"

#include "core/lib/text.h"

void complaints_add(struct complaints *c, const char *level, const char *text)
{
	struct text t;

	if (c->report->links) {
		report_log(c->report, level, "%s", text);
		return;
	}
	if (c->count == COMPLAINTS_MAX) {
		c->lost++;
		return;
	}
	c->list[c->count].level = level;
	text_init(&t, c->list[c->count].text, CONFIG_COMPLAINT_MAX);
	text_add(&t, "%s", text);
	c->count++;
}

void complaints_warn(void *ctx, const char *text)
{
	complaints_add(ctx, "warning", text);
}

void complaints_log(const struct complaints *c, bool console)
{
	for (unsigned i = 0; i < c->count; i++) {
		report_log(c->report, c->list[i].level, "%s", c->list[i].text);
		if (console)
			door.print(c->list[i].text);
	}
	if (c->lost)
		report_log(c->report, "warning", "%u further complaints are not shown", c->lost);
}
