/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run in one column: main_run() has a line for each step, and so has its middle,
 * probe_measure(). A comment above each group of steps gives the state of the machine in which they
 * begin. leave.c handles faults.
 */
#include "app.h"
#include "probe/attest/attest.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"
#include "runtime.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"

static void probe_look(struct app *a)
{
	steps_note("looking at the machine");
	machine_look(&a->machine);
}

static void read_options(struct app *a)
{
	steps_note("reading the options");
	options_read(&a->options);
	options_check(&a->options);
}

static void open_serial(struct app *a)
{
	a->report.hashed = a->machine.acpi.tpm_start;
	steps_note("opening the serial port");
	output_open(&a->output);
	output_show(&a->output, false);
	report_text(&a->report, "noisefloor %s", NF_VERSION);
}

/* Returns true if this start was for the report of an earlier run. */
static bool fetch_report(struct app *a)
{
	steps_note("looking for a report of an earlier run");
	return save_harvest(a);
}

/* Returns false if the person leaves. */
static bool ask_person(struct app *a)
{
	describe_machine();
	display_open(&a->display);
	if (app_countdown(a))
		return true;
	report_end(&a->report, &a->run.reasons);
	return false;
}

static void open_links(struct app *a)
{
	uint64_t sid = a->output.link.sid;

	config_settle(&a->options.config);
	a->begin.record.serial = a->output.is_chosen ? a->output.name : NULL;
	network_open(&a->network, sid);
	a->save.sends = network_needs_firmware(&a->network);
	if (!a->options.mistakes)
		save_open(&a->save, sid);
	complaints_log(!a->output.uart.present && !a->display.screen);
	output_show(&a->output, true);
}

/* Returns false if the run cannot start. */
static bool probe_prepare(struct app *a)
{
	if (a->options.mistakes || !attest_begin(a->output.link.sid) || !cores_prepare(&a->cores))
		return false;
	clocks_find();
	display_wait(&a->display, "The cores are being started.");
	a->platform.begin_tsc = a->platform.now();
	describe_time();
	return true;
}

/* Measure stages, a bit each, on one platform, whose cores wait for orders. */
static void measure_leg(void *ctx)
{
	const uint32_t *stages = ctx;
	struct run *run = &app->run;

	run_prepare(run);
	if (!app->begun) {
		app->begun = true;
		describe_begin();
	}
	for (unsigned s = 0; s < STAGES && !run->over; s++) {
		if (!(*stages & 1u << s))
			continue;
		app->stages.entered = s;
		run_stage(run, config_stage_name(s));
	}
	run_finish(run);
}

static void finish_run(void *run)
{
	run_finish(run);
}

/*
 * Measure these stages, a bit each, on the platform as it is; the first call begins the report.
 * An exception on the way still leads to a report of what was measured before.
 */
static void measure_stages(struct app *a, uint32_t stages)
{
	if (arch_try_last(measure_leg, &stages))
		return;
	/* In a call of the firmware, the core had the firmware's state. */
	platform_firmware_resume();
	last_words_send(&a->last_words);
	verdict_cut_short(&a->run.reasons, "an exception ended the run");
	a->run.over = true;
	arch_try_last(finish_run, &a->run);
}

static uint32_t lent_stages(const struct app *a)
{
	return a->options.config.stages & 1u << STAGE_FIRMWARE;
}

static void measure_lent(struct app *a)
{
	if (!lent_stages(a))
		return;
	network_start_firmware(&a->network);
	platform_firmware_borrow();
	measure_stages(a, lent_stages(a));
	platform_firmware_leave();
}

static uint32_t own_stages(const struct app *a)
{
	return a->run.over ? 0 : a->options.config.stages & ~lent_stages(a);
}

/* End boot services, and start the other cores. False: the firmware refuses. */
static bool leave_firmware(struct app *a)
{
	steps_note("ExitBootServices");
	if (!door.leave(&a->machine.map))
		return false;
	/* The last call of the firmware may have unmasked interrupts. */
	arch_mask_interrupts();
	steps_note("taking the boot core over");
	arch_take_over();
	steps_note("starting the other cores");
	a->begin.record.cpus.bringup_ns =
		(struct maybe){ ticks_to_ns(arch_start_cores(), a->platform.hz), true };
	return true;
}

/* Returns false if the firmware refuses to leave. */
static bool take_over(struct app *a)
{
	steps_note("leaving the firmware");
	network_leave_firmware(&a->network);
	save_leave_firmware(&a->save);
	last_words_unwatch();
	if (!leave_firmware(a)) {
		complaints_add("error", "the firmware refuses ExitBootServices");
		return false;
	}
	if (!runtime_map(&a->machine.map))
		complaints_add("warning",
			       "not all that the firmware's runtime services use can be mapped");
	if (!display_take_over(&a->display))
		complaints_add("info", "the screen cannot be written to after ExitBootServices");
	return true;
}

static void measure_own(struct app *a)
{
	/* Our page tables can map what the firmware's did not. */
	a->stages.pci_open = false;
	network_start_own(&a->network, stages_pci(&a->stages));
	measure_stages(a, own_stages(a));
}

/* Returns false if the run did not start, or could not go on. */
static bool probe_measure(struct app *a)
{
	/* Firmware alive; interrupts as it has them; the other cores its own. */
	if (!probe_prepare(a))
		return false;

	/* Firmware alive; interrupts masked except in its calls; the other cores lent to us. */
	measure_lent(a);
	if (!own_stages(a))
		return true;

	/* Firmware alive; interrupts as it has them; the other cores its own. */
	if (!take_over(a))
		return false;

	/* Firmware gone; interrupts masked; all cores ours. */
	measure_own(a);
	return true;
}

/* Compute the verdict; an error if probe_measure() failed. */
static void probe_judge(struct app *a, bool measured)
{
	if (measured) {
		run_judge(&a->run);
	} else {
		if (!door.is_gone())
			network_start_firmware(&a->network);
		verdict_reason(&a->run.reasons, "the run did not start");
		a->run.reasons.verdict = VERDICT_ERROR;
	}
	last_words_send(&a->last_words);
}

static void main_run(void *ctx)
{
	struct app *a = ctx;

	/* Firmware alive; interrupts as it has them; the other cores its own. */
	probe_look(a);
	read_options(a);
	open_serial(a);
	if (fetch_report(a) || !ask_person(a))
		return;
	open_links(a);

	/*
	 * probe_measure() has left one of two states. Firmware gone; interrupts masked; all cores
	 * ours. Or firmware alive; interrupts as it has them; the other cores its own.
	 */
	probe_judge(a, probe_measure(a));
	leave_run(a);
}

unsigned probe_run(void)
{
	struct app *a = door.pages(sizeof(*a), 0);
	unsigned code;

	if (!a)
		return verdict_exit_code(VERDICT_ERROR);
	app_connect(a);
	last_words_start(&a->last_words);
	if (!arch_guard(main_run, a))
		leave_early(a);
	code = leave_guarded(a);
	last_words_stop();
	return code;
}
