/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a run that ended without files, found at the next start. */
#pragma once

#include <stdbool.h>

struct app;

/*
 * Look for a report in the firmware's variables; write it to files, show it, send it, and remove
 * it. True: this start is over with that. A machine whose first boot entry is noisefloor would
 * else measure for ever: so what comes after a whole report measures nothing, until the machine
 * is reset. What was left of a run that broke off is saved as well, and then measuring begins.
 */
bool harvest(struct app *app);
