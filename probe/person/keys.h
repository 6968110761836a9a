/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a person presses, before the run and between its windows. */
#pragma once

#include "core/config/config.h"
#include "core/firmware/acpi.h"
#include "drivers/uart.h"
#include "drivers/usb_legacy.h"

#include <stdbool.h>

/* Where keys come from, and whether they may be asked for. */
struct keys {
	const struct config *config;
	const struct acpi_info *acpi;
	const struct usb_controllers *usb;
	struct uart *uart;
};

/* May a person be there? Then it asks before it starts, and waits before it leaves. */
bool keys_person(const struct config *config);

/* Does somebody want the run to end? Asked between windows. *by: who, where it is known. */
bool keys_stop(const struct keys *k, const char **by);

/* What the live page prints about that. */
const char *keys_hint(const struct keys *k);

/* While the firmware is alive: forget what has been typed so far. */
void keys_drain(const struct keys *k);

/* Wait, while the firmware is alive, until a key is pressed, at most so many seconds. */
void keys_wait(unsigned seconds);
