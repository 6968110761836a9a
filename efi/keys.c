/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys: by the firmware's console while it is alive, else by serial port and keyboard controller.
 */
#include "keys.h"

#include "ground_firmware.h"

#include "drivers/ps2.h"

#define POLL_US    20000
#define DRAIN_KEYS 64

bool keys_person(const struct app *a)
{
	return a->config.countdown_ns && a->config.then != THEN_QEMU_EXIT;
}

/*
 * Is there a keyboard controller that answers by itself? Where the BIOS plays it for
 * a USB keyboard, each look would cost an SMI.
 */
static bool has_keyboard(const struct app *a)
{
	for (unsigned i = 0; i < a->usb.count; i++)
		if (a->usb.controller[i].owner == USB_OWNER_BIOS)
			return false;
	return a->acpi.has_8042;
}

static bool console_key;

static void look_at_console(struct app *a)
{
	struct firmware_key key;

	(void)a;
	console_key = firmware_read_key(&key);
}

/* The firmware reads the serial port, too, while it runs: what it has read comes from its console.
 */
static bool key_of_firmware(struct app *a)
{
	ground_firmware_call(look_at_console, a);
	if (console_key)
		a->platform.stopped_by = "a key";
	return console_key;
}

static bool key_of_keyboard(struct app *a)
{
	if (!keys_person(a) || !has_keyboard(a) || ps2_key() != PS2_ESC)
		return false;
	a->platform.stopped_by = "Esc";
	return true;
}

bool keys_stop(struct app *a)
{
	uint8_t byte;

	if (uart_read(&a->uart, &byte))
		return true;
	return a->taken_over ? key_of_keyboard(a) : key_of_firmware(a);
}

void keys_drain(struct app *a)
{
	struct firmware_key key;
	uint8_t byte;

	for (unsigned n = 0; n < DRAIN_KEYS && uart_read(&a->uart, &byte); n++)
		;
	for (unsigned n = 0; n < DRAIN_KEYS && firmware_read_key(&key); n++)
		;
}

const char *keys_hint(const struct app *a)
{
	if (keys_person(a) && (!a->taken_over || has_keyboard(a)))
		return "Esc, or a key on the serial port, ends the run.";
	return a->uart.present ? "A key on the serial port ends the run." : "";
}

void keys_wait(unsigned seconds)
{
	struct firmware_key key;

	for (unsigned n = 0; n < seconds * (1000000 / POLL_US); n++) {
		if (firmware_read_key(&key))
			return;
		firmware_boot()->Stall(POLL_US);
	}
}
