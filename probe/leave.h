/* SPDX-License-Identifier: BSD-2-Clause */
/* How the run ends: `then`. */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>

struct app;

/* Does it end in the firmware, and not with the machine's halt or reset? */
bool leave_returns(const struct config *c);

/*
 * Do what `then` asks for with the run's exit code. Returns only to go back to the
 * firmware: probe_run().
 */
unsigned leave(struct app *app);

/* The same without the firmware, which has just taken an exception in it: reset, off or halt. */
void leave_at_once(struct app *app) __attribute__((noreturn));

/*
 * The firmware has kept the boot core, which calls this by an event, or another core does: end the
 * report, with a reason (NULL: it has one), and do what `then` asks for where that is to reset the
 * machine, to switch it off or to leave QEMU. Else returns: the boot core may still come back.
 */
void leave_lost(struct app *app, const char *why);
