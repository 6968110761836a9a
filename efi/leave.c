/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving. */
#include "leave.h"

#include "app.h"
#include "firmware.h"
#include "firmware_exit.h"
#include "runtime.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "drivers/acpi_mode.h"

#define READ_SECONDS 60 /* for the end page, before the firmware has its screen back */

static void call_reset(void *ctx)
{
	const EFI_RESET_TYPE *type = ctx;

	steps_note("calling ResetSystem");
	firmware_runtime()->ResetSystem(*type, EFI_SUCCESS, 0, NULL);
}

/* Returns where the firmware does not do it, or faults in doing it. */
static void ask_firmware(struct app *a, EFI_RESET_TYPE type)
{
	if (runtime_call(call_reset, &type))
		return;
	report_text(&a->report, "the firmware's ResetSystem took %s",
		    arch_fault_text(&a->platform.cpu[0]));
	uart_drain(&a->output.uart);
}

static void reset_alone(struct app *a)
{
	acpi_mode_reset(&a->machine.acpi);
	arch_reset();
}

static void reset_system(struct app *a, unsigned code)
{
	(void)code;
	ask_firmware(a, EfiResetCold);
	reset_alone(a);
}

static void shut_down(struct app *a, unsigned code)
{
	(void)code;
	/* What most machines are tested with. */
	if (firmware_is_gone())
		acpi_mode_power_off(&a->machine.acpi, a->machine.clock.hz);
	ask_firmware(a, EfiResetShutdown);
	arch_power_off();
}

static void exit_qemu(struct app *a, unsigned code)
{
	(void)a;
	arch_exit_qemu((uint8_t)code);
}

static void just_halt(struct app *a, unsigned code)
{
	(void)a;
	(void)code;
}

static void (*const ways[])(struct app *a, unsigned code) = {
	[THEN_AUTO] = just_halt, [THEN_RESET] = reset_system, [THEN_SHUTDOWN] = shut_down,
	[THEN_HALT] = just_halt, [THEN_EXIT] = just_halt,     [THEN_QEMU_EXIT] = exit_qemu,
};

/*
 * After a harvest the machine goes on with its boot order. It was reset for the harvest: once
 * more would only measure again where noisefloor comes first in that order.
 */
static EFI_STATUS leave_harvest(struct app *a, enum config_then then, unsigned code)
{
	if (then == THEN_AUTO) {
		report_text(&a->report, "any key continues with the boot order");
		last_words_unwatch(&a->last_words);
		firmware_wait_key();
		display_close(&a->display);
	}
	if (then == THEN_HALT)
		arch_halt();
	if (then == THEN_SHUTDOWN || then == THEN_QEMU_EXIT)
		ways[then](a, code);
	/* Success would end at the firmware's menu. */
	return EFI_ABORTED;
}

bool leave_returns(const struct config *c)
{
	return !firmware_is_gone() &&
	       (c->then == THEN_AUTO || c->then == THEN_HALT || c->then == THEN_EXIT);
}

EFI_STATUS leave(struct app *a)
{
	const struct config *c = &a->options.config;
	unsigned code = verdict_exit_code(a->run.reasons.verdict);
	enum config_then then = c->then;

	if (a->harvested)
		return leave_harvest(a, then, code);
	if (a->save.returns) {
		uart_drain(&a->output.uart);
		reset_system(a, code);
	}
	if (then == THEN_AUTO && !firmware_is_gone())
		then = THEN_EXIT;
	if (then == THEN_EXIT && firmware_is_gone())
		report_log(&a->report, "warning",
			   "then=exit: the firmware is gone after ExitBootServices; halting");
	uart_drain(&a->output.uart);
	if (leave_returns(c)) {
		if (keys_person(c) && a->display.screen)
			keys_wait(READ_SECONDS);
		display_close(&a->display);
	}
	ways[then](a, code);
	if (!firmware_is_gone())
		return code;
	arch_halt();
}

void leave_at_once(struct app *a)
{
	enum config_then then = a->options.config.then;

	if (then == THEN_QEMU_EXIT)
		arch_exit_qemu((uint8_t)verdict_exit_code(a->run.reasons.verdict));
	if (then == THEN_RESET || a->save.returns)
		reset_alone(a);
	if (then == THEN_SHUTDOWN) {
		acpi_mode_power_off(&a->machine.acpi, a->machine.clock.hz);
		arch_power_off();
	}
	arch_halt();
}

void leave_lost(struct app *a, const char *why)
{
	enum config_then then = a->options.config.then;

	if (then != THEN_RESET && then != THEN_SHUTDOWN && then != THEN_QEMU_EXIT)
		return;
	/* Neither the firmware nor a TPM takes a second caller. */
	if (!firmware_is_gone())
		output_alone(&a->output);
	a->report.attest = NULL;
	if (!a->ended) {
		if (why)
			app_cut_short(a, why);
		report_end(&a->report, &a->run.reasons);
	}
	uart_drain(&a->output.uart);
	leave_at_once(a);
}
