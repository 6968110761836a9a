/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed, for other programs.
 *
 * JUnit and TAP: a test per rate and source of each stage. It fails where the rate is more,
 * or the source new, than chance explains; it is skipped where that cannot be told. Runs that
 * are not compared are one test, which is an error.
 *
 * InfluxDB and Prometheus: noisefloor_diff, a row per rate, with the time of the file AFTER.
 */
#ifndef HOST_DIFF_FORMS_H
#define HOST_DIFF_FORMS_H

#include "diff_compared.h"

void diff_junit(const struct compared *c);
void diff_tap(const struct compared *c);
void diff_influx(const struct compared *c);
void diff_prom(const struct compared *c);

#endif
