/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps that end a run, and the guards that let them go on after a fault. */
#include "ends.h"

#include "app.h"
#include "leave.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

static void end_report(struct app *a)
{
	report_end(&a->report, &a->run.reasons);
}

static void end_display(struct app *a)
{
	display_end(&a->display, &a->run.reasons, a->output.link.sid, a->begun);
}

static void end_network(struct app *a)
{
	network_finish(&a->network);
}

static void end_save(struct app *a)
{
	save_finish(&a->save, network_is_delivered(&a->network));
	display_end_again(&a->display);
}

/* A step that faults is not repeated; ends_run() goes on with the next one. */
static void (*const ends[])(struct app *a) = { end_report, end_display, end_network, end_save };

void ends_run(void *ctx)
{
	struct app *a = ctx;

	steps_note("ending the run");
	while (a->ended < sizeof(ends) / sizeof(ends[0]))
		ends[a->ended++](a);
}

/* Give the other cores back to the firmware if they are ours. */
static void leave_loan(void *ctx)
{
	struct app *a = ctx;

	if (door.is_gone() || !platform_firmware_resume())
		return;
	run_finish(&a->run);
	platform_firmware_leave(&a->platform);
}

void ends_early(struct app *a)
{
	arch_guard(leave_loan, a);
	if (!door.is_gone())
		door.recover();
	if (!a->report.line)
		output_open(&a->output);
	a->run.over = true;
	app_cut_short(a, "a fault ended the run");
	last_words_send(&a->last_words);
	while (!arch_guard(ends_run, a))
		last_words_send(&a->last_words);
}

struct leaving {
	struct app *app;
	unsigned code;
};

static void leave_machine(void *ctx)
{
	struct leaving *l = ctx;

	l->code = leave(l->app);
}

unsigned ends_leave(struct app *a)
{
	struct leaving l = { .app = a };

	if (!arch_guard(leave_machine, &l))
		leave_at_once(a);
	return l.code;
}
