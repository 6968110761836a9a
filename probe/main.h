/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's entry, called by whatever has started it. */
#pragma once

/*
 * The return value that makes the firmware try the next entry of its boot order; no verdict has
 * this exit code.
 */
#define PROBE_BOOT_ON 256u

/*
 * Do a whole run, from the first look at the machine to the end of the report. Returns only if it
 * goes back to its caller, with the run's exit code or PROBE_BOOT_ON.
 */
unsigned probe_run(void);
