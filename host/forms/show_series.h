/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs for time-series databases.
 *
 * InfluxDB's line protocol: measurements noisefloor_info, _cpu, _gap, _hist and _end, with integers
 * below 2^63 and wall times in ns. Gaps have their own time, all else that of the run's end. The
 * same capture gives the same lines, so sending it twice stores it once. Absent evidence is an
 * absent field.
 *
 * Prometheus' text format, for node_exporter's textfile collector: one family of metrics after the
 * other, without times. A run that occurs twice is printed once.
 */
#pragma once

#include "show_form.h"

bool show_influx_capture(const struct show_options *o, const struct capture *c);

void show_prom_start(void);
bool show_prom_capture(const struct show_options *o, const struct capture *c);
void show_prom_finish(void);
