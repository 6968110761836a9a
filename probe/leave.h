/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps that end a run, each of which is done even if the run, or the step before it, has
 * faulted; and the end of the machine, as the key `then` has it.
 */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>

struct app;

/* True if the run ends in the firmware, and not by a halt or reset of the machine. */
bool leave_returns(const struct config *c);

/*
 * Do what `then` asks for, with the run's exit code. Returns only to go back to the firmware,
 * through probe_run().
 */
unsigned leave(struct app *app);

/*
 * Do what leave() does without the firmware, which has just taken an exception: reset, power off or
 * halt.
 */
void leave_at_once(struct app *app) __attribute__((noreturn));

/*
 * Called while the firmware does not return to the boot core: on the boot core by an event, or on
 * another core. Ends the report with the reason `why` (NULL: it has one). Then resets the machine,
 * switches it off or ends QEMU, if `then` asks for that; else returns, as the boot core may still
 * come back.
 */
void leave_lost(struct app *app, const char *why);

/* End the report, the display, the network and the files, each once. `app` is the struct app. */
void leave_run(void *app);

/* Called after a fault has ended the run: report what was measured before it. */
void leave_early(struct app *a);

/* Do leave(); if it faults, leave_at_once(). */
unsigned leave_guarded(struct app *a);
