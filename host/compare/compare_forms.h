/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons for other programs.
 *
 * JUnit and TAP: a suite per output of the OS's tools, a test per core, which is skipped if its
 * noise could not be split, and one that is an error if the comparison was refused or parts are
 * missing; its text has the flags.
 *
 * InfluxDB and Prometheus: noisefloor_compare, a row per core, with the time of the output's file.
 * A refused comparison has no rows.
 */
#pragma once

#include "split.h"

#include <stddef.h>

void compare_junit(const struct floor *floor, const struct split_result *split, size_t count);
void compare_tap(const struct floor *floor, const struct split_result *split, size_t count);
void compare_influx(const struct floor *floor, const struct split_result *split, size_t count);
void compare_prom(const struct floor *floor, const struct split_result *split, size_t count);
