/* SPDX-License-Identifier: BSD-2-Clause */
/* Where `lava=yes`: test cases for LAVA, of the stage's cores and of the run, as lines for people.
 */
#pragma once

#include "report.h"

/* Of the first `count` of r->cpus. */
void report_lava_cpus(struct report *r, size_t count);

void report_lava_end(struct report *r, const struct verdict_reasons *reasons);
