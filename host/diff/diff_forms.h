/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed, for other programs.
 *
 * JUnit and TAP: a test per rate and source of each stage. It fails if the rate is significantly
 * higher, or the source new; it is skipped if that is unknown. Runs that are not compared are one
 * test, an error.
 *
 * InfluxDB and Prometheus: noisefloor_diff, a row per rate, with the time of the file AFTER.
 */
#pragma once

#include "diff_compared.h"

void diff_junit(const struct diff_compared *c);
void diff_tap(const struct diff_compared *c);
void diff_influx(const struct diff_compared *c);
void diff_prom(const struct diff_compared *c);
