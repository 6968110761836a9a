/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving. */
#include "leave.h"

#include "display.h"
#include "keys.h"

#define READ_SECONDS       60    /* for the end page, before the firmware has its screen back */
#define QEMU_EXIT_PORT     0x501 /* -device isa-debug-exit,iobase=0x501 */
#define RESET_CONTROL      0xcf9 /* Intel PCH, AMD FCH: reset control register */
#define RESET_CONTROL_FULL 0x0e
#define KEYBOARD_CONTROL   0x64
#define KEYBOARD_RESET     0xfe

/* FADT's reset register, the chipset's, the keyboard controller's: until one works. */
static void reset_by_hand(const struct app *app)
{
	const struct acpi_info *acpi = &app->acpi;

	if (acpi->has_reset_reg && acpi->reset_reg.space == ACPI_SPACE_IO)
		arch_out8((uint16_t)acpi->reset_reg.address, acpi->reset_value);
	arch_out8(RESET_CONTROL, RESET_CONTROL_FULL);
	arch_out8(KEYBOARD_CONTROL, KEYBOARD_RESET);
}

static void reset_system(struct app *app)
{
	firmware_runtime()->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	reset_by_hand(app);
}

/* Memory may stay as it is. */
static void restart(struct app *app)
{
	uart_drain(&app->uart);
	firmware_runtime()->ResetSystem(EfiResetWarm, EFI_SUCCESS, 0, NULL);
	reset_by_hand(app);
}

static void shut_down(struct app *app)
{
	(void)app;
	firmware_runtime()->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
}

static void exit_qemu(struct app *app)
{
	arch_out8(QEMU_EXIT_PORT, (uint8_t)verdict_exit_code(app->run.reasons.verdict));
}

static void just_halt(struct app *app)
{
	(void)app;
}

static void (*const ways[])(struct app *) = {
	[THEN_AUTO] = just_halt, [THEN_RESET] = reset_system, [THEN_SHUTDOWN] = shut_down,
	[THEN_HALT] = just_halt, [THEN_EXIT] = just_halt,     [THEN_QEMU_EXIT] = exit_qemu,
};

/*
 * After a harvest the machine goes on with its boot order. It was reset for the harvest: once
 * more would only measure again where noisefloor comes first in that order.
 */
static EFI_STATUS leave_harvest(struct app *app)
{
	enum config_then then = app->config.then;

	if (then == THEN_AUTO) {
		report_text(&app->report, "any key goes on with the machine's boot order");
		firmware_wait_key();
	}
	if (then == THEN_HALT)
		arch_halt();
	if (then == THEN_SHUTDOWN || then == THEN_QEMU_EXIT)
		ways[then](app);
	/* Success would end at the firmware's menu. */
	return EFI_ABORTED;
}

bool leave_returns(const struct app *app)
{
	enum config_then then = app->config.then;

	return !app->taken_over && (then == THEN_AUTO || then == THEN_HALT || then == THEN_EXIT);
}

EFI_STATUS leave(struct app *app)
{
	enum config_then then = app->config.then;

	if (app->harvested)
		return leave_harvest(app);
	if (app->save.returns)
		restart(app);
	if (then == THEN_AUTO && !app->taken_over)
		then = THEN_EXIT;
	if (then == THEN_EXIT && app->taken_over)
		report_log(&app->report, "warning",
			   "then=exit: the firmware is gone after ExitBootServices; halting");
	uart_drain(&app->uart);
	if (leave_returns(app)) {
		if (keys_person(app) && app->display.screen)
			keys_wait(READ_SECONDS);
		display_close(app);
	}
	ways[then](app);
	if (!app->taken_over)
		return verdict_exit_code(app->run.reasons.verdict);
	arch_halt();
}
