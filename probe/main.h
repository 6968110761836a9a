/* SPDX-License-Identifier: BSD-2-Clause */
/* The program. */
#pragma once

/* What leads on to the next entry of the firmware's boot order, and is no verdict. */
#define PROBE_BOOT_ON 256u

/*
 * From the first look at the machine to the report's end. Returns only to go back to what has
 * started it, with the run's exit code or PROBE_BOOT_ON.
 */
unsigned probe_run(void);
