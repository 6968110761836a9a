/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring: the stages of one platform, guarded. */
#pragma once

#include <stdint.h>

struct app;

/*
 * Measure these stages, a bit each, on the platform as it is; the first call begins the report.
 * An exception on the way still leads to a report of what was measured before.
 */
void measure_stages(struct app *a, uint32_t stages);
