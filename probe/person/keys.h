/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a person presses, before the run and between its windows. */
#pragma once

#include "core/config/config.h"
#include "core/firmware/acpi.h"
#include "drivers/uart.h"
#include "drivers/usb_legacy.h"

#include <stdbool.h>

/* The sources of keys, and what decides if they may be read. */
struct keys {
	const struct config *config;
	const struct acpi_info *acpi;
	const struct usb_controllers *usb;
	struct uart *uart;
};

/* True if a person may be there. Then the run asks before it starts, and waits before it leaves. */
bool keys_person(const struct config *config);

/* Called between windows. True if somebody wants the run to end; *by is the key, if it is known. */
bool keys_stop(const struct keys *k, const char **by);

/* The live page's line about these keys. */
const char *keys_hint(const struct keys *k);

/* Drop all keys pressed so far. The firmware must be alive. */
void keys_drain(const struct keys *k);

/* Wait for a key, at most so many seconds. False: there was none. The firmware must be alive. */
bool keys_wait(unsigned seconds);
