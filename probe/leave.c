/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a run; then resets, powers off or halts the machine, or returns to the firmware. */
#include "app.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"
#include "runtime.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "drivers/acpi_mode.h"

#define READ_SECONDS 60 /* s that the end page stays before the firmware has its screen back */
#define CALL_SECONDS 4u /* s for ResetSystem, which may write to flash first */

/* Reset the machine, or with `off` switch it off, without the firmware. Returns if it does not. */
static void end_alone(struct app *a, bool off)
{
	if (off) {
		acpi_mode_power_off(&a->machine.acpi, a->machine.clock.hz);
		arch_power_off();
	} else {
		acpi_mode_reset(&a->machine.acpi, a->machine.clock.hz);
		arch_reset();
	}
}

static const char *done(bool off)
{
	return off ? "switched off" : "reset";
}

static void call_reset(void *off)
{
	door.reset(*(bool *)off);
}

/*
 * Before ExitBootServices the firmware's own timer reports a call that does not return, and its
 * exception handlers a fault (probe/fault/last_words.c): see leave_lost() and leave_at_once().
 */
static void try_reset_system(struct app *a, bool off, struct text *why)
{
	uint64_t ticks = ticks_from_ns(CALL_SECONDS * UINT64_C(1000000000), a->machine.clock.hz);
	uint32_t limit = a->last_words.limit;
	enum arch_tried tried;

	a->last_words.limit = CALL_SECONDS;
	steps_note("calling ResetSystem");
	tried = runtime_call_for(call_reset, &off, ticks);
	a->last_words.limit = limit;
	if (tried == ARCH_TRIED_FAULTED)
		text_add(why, "took %s", arch_fault_text(&a->platform.cpu[0]));
	else if (tried == ARCH_TRIED_LATE)
		text_add(why, "did not return within %u s", CALL_SECONDS);
	else
		text_add(why, "returned");
}

/* Have the firmware reset the machine or switch it off. Returns if it does not. */
static void ask_firmware(struct app *a, bool off)
{
	const char *problem = door.reset ? door.reset_problem() : "is missing";
	TEXT_DEFINE(why, 200);

	if (problem)
		text_add(&why, "%s", problem);
	else
		try_reset_system(a, off, &why);
	report_text(&a->report, "the firmware's ResetSystem %s: the machine is %s without it",
		    why.buf, done(off));
	uart_drain(&a->output.uart);
}

/*
 * The firmware comes first: only it knows what it has to write, or to do to the board's own
 * controllers. The FADT's register comes next: it is the vendor's statement of how this machine is
 * reset. arch_reset() has the means common to all machines of an architecture. A power-off begins
 * with ACPI's way: most machines are tested with it. It needs the firmware to be gone.
 */
static void end_machine(struct app *a, bool off)
{
	if (off && door.is_gone())
		acpi_mode_power_off(&a->machine.acpi, a->machine.clock.hz);
	if (!off && door_resumes())
		door.resume();
	ask_firmware(a, off);
	end_alone(a, off);
	report_text(&a->report, "the machine cannot be %s: it has no means that works", done(off));
	uart_drain(&a->output.uart);
}

/* Do what `then` asks for, as far as it is not to return or to halt. */
static void go(struct app *a, enum config_then then, unsigned code)
{
	if (then == THEN_RESET)
		end_machine(a, false);
	if (then == THEN_SHUTDOWN)
		end_machine(a, true);
	if (then == THEN_QEMU_EXIT)
		arch_exit_qemu((uint8_t)code);
}

/*
 * After a harvest the machine goes on with its boot order. It was reset for the harvest; another
 * reset would only measure again if noisefloor is first in that order.
 */
static unsigned leave_harvest(struct app *a, enum config_then then, unsigned code)
{
	if (then == THEN_AUTO) {
		report_text(&a->report, "any key continues with the boot order");
		last_words_unwatch();
		while (!keys_wait(READ_SECONDS))
			;
		display_close(&a->display);
	}
	if (then == THEN_HALT)
		arch_halt();
	if (then != THEN_RESET)
		go(a, then, code);
	return PROBE_BOOT_ON;
}

bool leave_returns(const struct config *c)
{
	return !door.is_gone() &&
	       (c->then == THEN_AUTO || c->then == THEN_HALT || c->then == THEN_EXIT);
}

static enum config_then then_of(const struct app *a)
{
	enum config_then then = a->options.config.then;

	return then == THEN_AUTO && door_resumes() ? THEN_RESET : then;
}

bool leave_resumes(const struct app *a)
{
	return door_resumes() && then_of(a) == THEN_RESET;
}

/*
 * Do what `then` asks for, with the run's exit code. Returns only to go back to the firmware,
 * through probe_run().
 */
static unsigned leave(struct app *a)
{
	const struct config *c = &a->options.config;
	unsigned code = verdict_exit_code(a->run.reasons.verdict);
	enum config_then then = then_of(a);

	if (a->harvested)
		return leave_harvest(a, then, code);
	if (a->save.returns) {
		uart_drain(&a->output.uart);
		end_machine(a, false);
	}
	if (then == THEN_AUTO && !door.is_gone())
		then = THEN_EXIT;
	if (then == THEN_EXIT && door.is_gone())
		report_log(&a->report, "warning",
			   "then=exit: the firmware is gone after ExitBootServices; halting");
	uart_drain(&a->output.uart);
	if (leave_returns(c)) {
		if (keys_person(c) && a->display.screen)
			keys_wait(READ_SECONDS);
		display_close(&a->display);
	}
	go(a, then, code);
	if (!door.is_gone())
		return code;
	arch_halt();
}

/*
 * Do what leave() does without the firmware, which has just taken an exception: reset, power off or
 * halt.
 */
static void __attribute__((noreturn)) leave_at_once(struct app *a)
{
	enum config_then then = then_of(a);

	if (then == THEN_QEMU_EXIT)
		arch_exit_qemu((uint8_t)verdict_exit_code(a->run.reasons.verdict));
	if (leave_resumes(a))
		door.resume();
	if (then == THEN_RESET || a->save.returns)
		end_alone(a, false);
	if (then == THEN_SHUTDOWN)
		end_alone(a, true);
	arch_halt();
}

void leave_lost(struct app *a, const char *why)
{
	enum config_then then = a->options.config.then;

	if (then != THEN_RESET && then != THEN_SHUTDOWN && then != THEN_QEMU_EXIT)
		return;
	/* The firmware and a TPM cannot be called while a call of them is going on. */
	if (!door.is_gone())
		output_alone(&a->output);
	a->report.before_end = NULL;
	if (!a->ended) {
		if (why)
			app_cut_short(a, why);
		report_end(&a->report, &a->run.reasons);
	}
	uart_drain(&a->output.uart);
	leave_at_once(a);
}

/* ---- The steps that end a run, and the guards that let them go on after a fault ---- */

static void end_report(struct app *a)
{
	report_end(&a->report, &a->run.reasons);
}

static void end_display(struct app *a)
{
	display_end(&a->display);
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

/* A step that faults is not repeated; leave_run() goes on with the next one. */
static void (*const ends[])(struct app *a) = { end_report, end_display, end_network, end_save };

void leave_run(void *ctx)
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
	platform_firmware_leave();
}

void leave_early(struct app *a)
{
	arch_guard(leave_loan, a);
	if (door.recover && !door.is_gone())
		door.recover();
	if (!a->report.line)
		output_open(&a->output);
	a->run.over = true;
	app_cut_short(a, "a fault ended the run");
	last_words_send(&a->last_words);
	while (!arch_guard(leave_run, a))
		last_words_send(&a->last_words);
}

static void leave_machine(void *code)
{
	*(unsigned *)code = leave(app);
}

unsigned leave_guarded(struct app *a)
{
	unsigned code;

	if (!arch_guard(leave_machine, &code))
		leave_at_once(a);
	return code;
}
