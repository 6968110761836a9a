/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the parts, and has what the platform of a run asks of them. */
#include "app.h"

#include "probe/leave.h"
#include "probe/door.h"
#include "probe/survey/machine_survey.h"

static bool stop_requested(struct platform *p)
{
	const struct app *a = p->ctx;

	return keys_stop(&a->keys, &p->stopped_by);
}

static void between(struct platform *p)
{
	struct app *a = p->ctx;

	stages_between(&a->stages);
	network_between(&a->network);
	save_between(&a->save);
	display_between(&a->display);
	last_words_send(&a->last_words);
}

static bool read_clock(struct platform *p, unsigned n, struct clockwatch_reading *reading)
{
	const struct app *a = p->ctx;

	return clocks_read(&a->clocks, n, reading);
}

static void enter(struct platform *p, struct record_stage *stage)
{
	struct app *a = p->ctx;

	stages_enter(&a->stages, stage);
}

static void left(struct platform *p, const struct record_stage *stage)
{
	struct app *a = p->ctx;

	stages_left(&a->stages, stage);
}

static void connect_run(struct app *a)
{
	struct platform *p = &a->platform;

	p->stop_requested = stop_requested;
	p->between = between;
	p->read_clock = read_clock;
	p->enter = enter;
	p->left = left;
	p->ctx = a;
	a->report.config = &a->options.config;
	a->report.platform = p;
	a->run.config = &a->options.config;
	a->run.platform = p;
	a->run.report = &a->report;
}

static void connect_inputs(struct app *a)
{
	a->complaints.report = &a->report;
	a->options.machine = &a->machine;
	a->options.complaints = &a->complaints;
	a->keys.config = &a->options.config;
	a->keys.acpi = &a->machine.acpi;
	a->keys.usb = &a->stages.usb;
	a->keys.uart = &a->output.uart;
}

static void connect_platform(struct app *a)
{
	a->cores.config = &a->options.config;
	a->cores.machine = &a->machine;
	a->cores.complaints = &a->complaints;
	a->cores.platform = &a->platform;
	a->cores.report = &a->report;
	a->cores.survey = machine_survey;
	a->cores.survey_ctx = a;
	a->cores.services = door.services;
	a->cores.services_ctx = a;
	a->stages.acpi = &a->machine.acpi;
	a->stages.identity = &a->machine.identity;
	a->stages.platform = &a->platform;
	a->stages.report = &a->report;
	a->stages.complaints = &a->complaints;
}

static void connect_display(struct app *a)
{
	struct display *d = &a->display;

	d->config = &a->options.config;
	d->clock = &a->machine.clock;
	d->complaints = &a->complaints;
	d->keys = &a->keys;
	d->begin = &a->begin.record;
	d->report = &a->report;
	d->restarts = &a->save.returns;
}

static void connect_network(struct app *a)
{
	struct network *n = &a->network;

	n->config = &a->options.config;
	n->clock = &a->machine.clock;
	n->acpi = &a->machine.acpi;
	n->lease = &a->options.lease;
	n->uart = &a->output.uart;
	n->complaints = &a->complaints;
	n->display = &a->display;
	n->report = &a->report;
	n->sink.config = n->config;
	n->sink.uuid = a->machine.smbios.uuid_bytes;
	n->sink.clock = n->clock;
	n->sink.report = n->report;
	n->sink.network = n;
}

static void connect_outputs(struct app *a)
{
	a->output.config = &a->options.config;
	a->output.machine = &a->machine;
	a->output.report = &a->report;
	a->save.config = &a->options.config;
	a->save.machine = &a->machine;
	a->save.platform = &a->platform;
	a->save.reasons = &a->run.reasons;
	a->save.report = &a->report;
	a->save.display = &a->display;
	connect_display(a);
	connect_network(a);
}

static void connect_attest(struct app *a)
{
	struct attest *t = &a->attest;

	t->config = &a->options.config;
	t->machine = &a->machine;
	t->report = &a->report;
	a->report.attest = attest_end;
	a->report.attest_ctx = t;
}

void app_cut_short(struct app *a, const char *why)
{
	if (a->begun)
		verdict_cut_short(&a->run.reasons);
	else
		a->run.reasons.verdict = VERDICT_ERROR;
	verdict_reason(&a->run.reasons, "%s", why);
}

static void lost(void *ctx)
{
	leave_lost(ctx, "the firmware has not returned from a call");
}

static void connect_last_words(struct app *a)
{
	struct last_words *w = &a->last_words;

	w->output = &a->output;
	w->display = &a->display;
	w->report = &a->report;
	w->stage = &a->stages.name;
	w->lost = lost;
	w->ctx = a;
}

void app_connect(struct app *a)
{
	connect_inputs(a);
	connect_platform(a);
	connect_outputs(a);
	connect_attest(a);
	connect_last_words(a);
	connect_run(a);
}
