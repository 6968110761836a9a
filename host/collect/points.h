/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's points, in a process of its own: what a run of hundreds of megabytes takes of memory, or
 * breaks, is not the collector's. Its memory is bounded, and the system kills it first.
 */
#pragma once

#define POINTS_NAME "points" /* the argument before those of points_print() */

/* Of this process, which is to be the first that the system ends when memory runs out. */
void points_bound_memory(void);

/*
 * Print the points of a run of the folder's store as `noisefloor show --format influx` does.
 * Returns the exit code.
 */
int points_print(const char *folder, const char *sid);
