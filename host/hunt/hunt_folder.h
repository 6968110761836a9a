/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of runs, each with the BIOS dump of that start beside it: NAME.jsonl, NAME.nf or
 * NAME.log, and NAME.bios.json; each may be packed, NAME.jsonl.gz. Other files are not read.
 */
#pragma once

#include "hunt.h"

/*
 * The runs that have a dump, by name; `stage` NULL: the last of the first run. What is left out
 * is reported on standard error and counted. False, with the reason there, where the runs cannot
 * be compared: of several machines, with several thresholds, or fewer than two. hunt_free() in any
 * case. The order of the runs is known if all have a time, by UTC or all without a zone, and no two
 * the same.
 */
bool hunt_folder_read(struct hunt *h, const char *path, const char *stage);
