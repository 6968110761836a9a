/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a run that ended without files, which the next start finds. */
#pragma once

#include <stdbool.h>

struct app;

/*
 * Look for a report in the firmware's variables; save it to files, show it, send it, and remove it.
 * True: that is all that this start does. A machine whose first boot entry is noisefloor would
 * otherwise measure for ever, so after a whole report nothing is measured until the machine is
 * reset. A report of an interrupted run is saved, too, and then measuring begins.
 */
bool harvest(struct app *app);
