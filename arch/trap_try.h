/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between trap_try.c and an architecture's exception handlers. */
#pragma once

#include "core/records/record.h"

#include <stdbool.h>

struct percpu;
struct trap_escape;

/* In traps_entry.S: returns true if fn(arg) returned, false if a handler continued at *e. */
bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e);

/*
 * The core has taken an exception. Returns the point at which it continues. It is reported unless
 * it is expected, and the core halts if there is no such point. p NULL: our tables are not loaded,
 * so the core is unknown; on_boot_core is then whether it is the boot core.
 */
const struct trap_escape *trap_way_out(const struct percpu *p, bool on_boot_core,
				       struct record_fault *f);

/*
 * Single-stepping of the calling core: prepare it, start it, and stop it, wherever an exception has
 * led.
 */
void trap_step_prepare(void *unused);
void trap_step_on(void);
void trap_step_off(void);

/*
 * Called at each step's exception. True: continue; false: no stepping is active, or its time is
 * over.
 */
bool trap_step_goes_on(void);
