/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the parts, and has what the platform of a run asks of them. */
#include "app.h"

struct app *app;

static bool stop_requested(struct platform *p)
{
	return keys_stop(&p->stopped_by);
}

static void between(struct platform *p)
{
	(void)p;
	stages_between(&app->stages);
	network_between(&app->network);
	save_between(&app->save);
	display_between(&app->display);
	last_words_send(&app->last_words);
}

static bool read_clock(struct platform *p, unsigned n, struct clockwatch_reading *reading)
{
	(void)p;
	return clocks_read(&app->clocks, n, reading);
}

static void enter(struct platform *p, struct record_stage *stage)
{
	(void)p;
	stages_enter(&app->stages, stage);
}

static void left(struct platform *p, const struct record_stage *stage)
{
	(void)p;
	stages_left(&app->stages, stage);
}

static void connect_run(struct app *a)
{
	struct platform *p = &a->platform;

	p->stop_requested = stop_requested;
	p->between = between;
	p->read_clock = read_clock;
	p->enter = enter;
	p->left = left;
	a->report.config = &a->options.config;
	a->report.platform = p;
	a->run.config = &a->options.config;
	a->run.platform = p;
	a->run.report = &a->report;
}

void app_cut_short(struct app *a, const char *why)
{
	verdict_cut_short(&a->run.reasons, "%s", why);
	if (!a->begun)
		a->run.reasons.verdict = VERDICT_ERROR;
}

void app_connect(struct app *a)
{
	app = a;
	a->complaints.report = &a->report;
	a->options.machine = &a->machine;
	a->options.complaints = &a->complaints;
	a->save.config = &a->options.config;
	a->save.machine = &a->machine;
	a->save.platform = &a->platform;
	a->save.reasons = &a->run.reasons;
	a->save.report = &a->report;
	a->save.display = &a->display;
	a->display.begin = &a->begin.record;
	a->display.report = &a->report;
	connect_run(a);
}
