/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys come from the serial port, and from the firmware's console while it is alive, then from the
 * keyboard controller.
 */
#include "probe/app.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"

#include "core/lib/steps.h"
#include "drivers/deadline.h"
#include "drivers/ps2.h"

#define DRAIN_KEYS 64
#define CTRL_C     0x03

bool keys_person(const struct config *c)
{
	return c->countdown_ns && c->then != THEN_QEMU_EXIT;
}

/*
 * True if there is a keyboard controller. If the BIOS emulates it for a USB keyboard, each access
 * would cost an SMI: then there is none for us.
 */
static bool has_keyboard(void)
{
	for (unsigned i = 0; i < app->stages.usb.count; i++)
		if (app->stages.usb.controller[i].owner == USB_OWNER_BIOS)
			return false;
	return app->machine.acpi.has_8042;
}

/*
 * The keys that end a run. None of them is sent by accident, in a terminal's answers or by a BMC.
 */
static const char *name_of(uint8_t byte)
{
	switch (byte) {
	case CTRL_C:
		return "Ctrl-C";
	case DOOR_KEY_ESC:
		return "Esc";
	case 'q':
	case 'Q':
		return "q";
	default:
		return NULL;
	}
}

static void look_at_console(void *ctx)
{
	char *key = ctx;

	if (!door.read_key(key))
		*key = '\0';
}

/* Live firmware reads the serial port, too; what it has read is fetched from its console. */
static bool key_of_firmware(const char **by)
{
	static char key;

	platform_firmware_call(look_at_console, &key);
	*by = name_of((uint8_t)key);
	return *by;
}

static bool key_of_keyboard(const char **by)
{
	if (!keys_person(&app->options.config) || !has_keyboard() || ps2_key() != PS2_ESC)
		return false;
	*by = "Esc";
	return true;
}

bool keys_stop(struct platform *p)
{
	const char **by = &p->stopped_by;
	uint8_t byte;

	for (unsigned n = 0; n < DRAIN_KEYS && uart_read(&app->output.uart, &byte); n++) {
		*by = name_of(byte);
		if (*by)
			return true;
	}
	return door.is_gone() ? key_of_keyboard(by) : key_of_firmware(by);
}

void keys_poll_later(void)
{
	steps_go_on();
	if (door.stall)
		door.stall(KEYS_POLL_MS * 1000);
	else
		deadline_sleep(KEYS_POLL_MS, app->machine.clock.hz);
}

void keys_drain(void)
{
	char key;
	uint8_t byte;

	for (unsigned n = 0; n < DRAIN_KEYS && uart_read(&app->output.uart, &byte); n++)
		;
	for (unsigned n = 0; n < DRAIN_KEYS && door.read_key(&key); n++)
		;
}

const char *keys_hint(void)
{
	if (keys_person(&app->options.config) && (!door.is_gone() || has_keyboard()))
		return "Esc ends the run; on the serial port also q or Ctrl-C.";
	return app->output.uart.present ? "Esc, q or Ctrl-C on the serial port ends the run." : "";
}

bool keys_wait(unsigned seconds)
{
	char key;

	for (unsigned n = 0; n < seconds * (1000 / KEYS_POLL_MS); n++) {
		if (door.read_key(&key))
			return true;
		keys_poll_later();
	}
	return false;
}
