/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's points, in a process of its own: what a run of hundreds of megabytes takes of memory, or
 * breaks, is not the collector's.
 */
#pragma once

#define POINTS_NAME "points" /* the argument before the two of points_print() */

/*
 * Print the points of a run's file as `noisefloor show --format influx` does, `began` being s since
 * 1970. Returns the exit code.
 */
int points_print(const char *began, const char *path);
