/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints, before and after the report is open. */
#include "app.h"
#include "probe/door.h"

#include "core/lib/text.h"

void complaints_add(const char *level, const char *text)
{
	struct complaints *c = &app->complaints;

	if (app->report.links) {
		report_log(&app->report, level, "%s", text);
		return;
	}
	if (c->count == COMPLAINTS_MAX) {
		c->lost++;
		return;
	}
	c->list[c->count].level = level;
	text_print(c->list[c->count++].text, CONFIG_COMPLAINT_MAX, "%s", text);
}

void complaints_warn(void *ctx, const char *text)
{
	(void)ctx;
	complaints_add("warning", text);
}

void complaints_log(bool console)
{
	const struct complaints *c = &app->complaints;

	for (unsigned i = 0; i < c->count; i++) {
		report_log(&app->report, c->list[i].level, "%s", c->list[i].text);
		if (console)
			door.print(c->list[i].text);
	}
	if (c->lost)
		report_log(&app->report, "warning", "%u further complaints are not shown", c->lost);
}
