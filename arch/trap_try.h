/* SPDX-License-Identifier: BSD-2-Clause */
/* Between trap_try.c and an architecture's exception handlers. */
#pragma once

#include "core/records/record.h"

#include <stdbool.h>

struct percpu;
struct trap_escape;

/* By traps_entry.S: true when fn(arg) returned, false when a handler went on at *e. */
bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e);

/*
 * The core has taken an exception: where to go on. It is reported unless somebody expects it, and a
 * core that has nowhere to go on halts. p NULL: a table of ours is not loaded, and the core is not
 * known; then is_boot_core is whether it is the boot core.
 */
const struct trap_escape *trap_way_out(const struct percpu *p, bool is_boot_core,
				       struct record_fault *f);

/*
 * Single-stepping of the calling core. What it needs; from now on; no more, wherever an exception
 * has led.
 */
void trap_step_prepare(void *unused);
void trap_step_on(void);
void trap_step_off(void);

/* Asked at each step's exception: true: go on; false: nobody steps, or the time is over. */
bool trap_step_goes_on(void);
