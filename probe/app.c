/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the parts, and has what the platform of a run asks of them. */
#include "app.h"

struct app *app;

static void between(struct platform *p)
{
	(void)p;
	stages_between(&app->stages);
	network_between(&app->network);
	save_between(&app->save);
	display_between(&app->display);
	last_words_send(&app->last_words);
}

void app_cut_short(struct app *a, const char *why)
{
	verdict_cut_short(&a->run.reasons, "%s", why);
	if (!a->begun)
		a->run.reasons.verdict = VERDICT_ERROR;
}

void app_connect(struct app *a)
{
	struct platform *p = &a->platform;

	app = a;
	a->options.machine = &a->machine;
	p->stop_requested = keys_stop;
	p->between = between;
	p->read_clock = clocks_read;
	p->enter = stages_enter;
	a->report.config = a->run.config = &a->options.config;
	a->report.platform = a->run.platform = p;
	a->run.report = &a->report;
}
