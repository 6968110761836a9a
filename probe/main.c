/* SPDX-License-Identifier: BSD-2-Clause */
/* The run as a story: machine, options, take-over, windows, report, leave. */
#include "main.h"

#include "app.h"
#include "probe/person/countdown.h"
#include "probe/door.h"
#include "probe/save/harvest.h"
#include "leave.h"
#include "measure.h"
#include "probe/platform/platform_bare.h"
#include "probe/platform/platform_firmware.h"
#include "runtime.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

static void measure_lent(struct app *a, uint32_t stages)
{
	network_start_firmware(&a->network);
	platform_firmware_borrow(&a->platform, &a->report);
	measure_stages(a, stages);
	platform_firmware_leave(&a->platform);
}

/* False: the firmware stays. */
static bool measure_own(struct app *a, uint32_t stages)
{
	steps_note("leaving the firmware");
	network_leave_firmware(&a->network);
	save_leave_firmware(&a->save);
	door.unwatch();
	if (!platform_bare_take(&a->platform, &a->machine.map, &a->begin.record.cpus.bringup_ns)) {
		complaints_add(&a->complaints, "error", "the firmware refuses ExitBootServices");
		return false;
	}
	if (!runtime_map(&a->machine.map))
		complaints_add(&a->complaints, "warning",
			       "not all that the firmware's runtime services use can be mapped");
	if (!display_take_over(&a->display))
		complaints_add(&a->complaints, "info",
			       "the screen cannot be written to after ExitBootServices");
	network_start_own(&a->network, stages_pci(&a->stages));
	measure_stages(a, stages);
	arch_halt_cores(&a->platform);
	return true;
}

/* False: it did not start, or could not go on. */
static bool run(struct app *a)
{
	uint32_t lent = a->options.config.stages & 1u << STAGE_FIRMWARE;
	uint32_t own = a->options.config.stages & ~lent;

	if (a->options.mistakes || !attest_start(&a->attest, a->output.link.sid) ||
	    !cores_prepare(&a->cores))
		return false;
	clocks_find(&a->clocks, &a->platform, &a->machine.acpi);
	display_wait(&a->display, "The cores are being started.");
	a->platform.begin_tsc = a->platform.now();
	describe_time(&a->begin);
	if (lent)
		measure_lent(a, lent);
	return !own || a->run.over || measure_own(a, own);
}

static void give_up(struct app *a)
{
	if (!door.is_gone())
		network_start_firmware(&a->network);
	verdict_reason(&a->run.reasons, "the run did not start");
	a->run.reasons.verdict = VERDICT_ERROR;
}

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

/* One that faults is not done again: what comes after it still is. */
static void (*const ends[])(struct app *a) = { end_report, end_display, end_network, end_save };

static void end_run(void *ctx)
{
	struct app *a = ctx;

	steps_note("ending the run");
	while (a->ended < sizeof(ends) / sizeof(ends[0]))
		ends[a->ended++](a);
}

/* Where output goes besides the serial port. */
static unsigned elsewhere(const struct app *a)
{
	return (a->display.screen ? OUTPUT_SCREEN : 0u) | (a->save.to_files ? OUTPUT_FILE : 0u) |
	       (a->save.to_nvram ? OUTPUT_VARIABLES : 0u) |
	       (a->options.config.report.kind == REPORT_UDP ? OUTPUT_NETWORK : 0u);
}

static void measure_all(struct app *a)
{
	uint64_t sid = a->output.link.sid;

	config_settle(&a->options.config);
	a->begin.record.serial = a->output.chosen ? a->output.name : NULL;
	network_open(&a->network, sid);
	a->save.sends = network_needs_firmware(&a->network);
	if (!a->options.mistakes)
		save_open(&a->save, sid);
	complaints_log(&a->complaints, !a->output.uart.present && !a->display.screen);
	output_log(&a->output, elsewhere(a));
	if (run(a))
		run_judge(&a->run);
	else
		give_up(a);
	last_words_send(&a->last_words);
	end_run(a);
}

static void ask_and_measure(struct app *a)
{
	describe_machine(&a->begin.record, &a->machine);
	display_open(&a->display);
	if (countdown(a))
		measure_all(a);
	else
		report_end(&a->report, &a->run.reasons);
}

static void tell_story(void *ctx)
{
	struct app *a = ctx;

	steps_note("looking at the machine");
	machine_look(&a->machine, &a->complaints);
	steps_note("reading the options");
	options_read(&a->options);
	options_check(&a->options);
	a->report.hashed = a->machine.acpi.tpm_start;
	steps_note("opening the serial port");
	output_open(&a->output);
	output_show(&a->output);
	report_text(&a->report, "noisefloor %s", NF_VERSION);
	steps_note("looking for a report of an earlier run");
	if (!harvest(a))
		ask_and_measure(a);
}

/* The firmware's other cores go back to it, if they are ours. */
static void leave_loan(void *ctx)
{
	struct app *a = ctx;

	if (door.is_gone() || !platform_firmware_resume())
		return;
	run_finish(&a->run);
	platform_firmware_leave(&a->platform);
}

/* A fault has cut it short; what was measured is still reported. */
static void end_early(struct app *a)
{
	arch_guard(leave_loan, a);
	if (!door.is_gone())
		door.recover();
	if (!a->report.line)
		output_open(&a->output);
	a->run.over = true;
	app_cut_short(a, "a fault ended the run");
	last_words_send(&a->last_words);
	while (!arch_guard(end_run, a))
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

unsigned probe_run(void)
{
	struct app *a = door.pages(sizeof(*a), 0);
	struct leaving l = { .app = a };

	if (!a)
		return verdict_exit_code(VERDICT_ERROR);
	app_connect(a);
	last_words_start(&a->last_words);
	if (!arch_guard(tell_story, a))
		end_early(a);
	if (!arch_guard(leave_machine, &l))
		leave_at_once(a);
	last_words_stop();
	return l.code;
}
