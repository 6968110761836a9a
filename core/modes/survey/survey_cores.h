/* SPDX-License-Identifier: BSD-2-Clause */
/* What was read of all cores: a line for each value, with the cores that have it. */
#pragma once

#include "core/kinds/survey/survey.h"
#include "core/lib/text.h"

#include <stdint.h>

/*
 * One area's lines; `number` is each core's, as people know it. Readings that are printed are
 * marked, so that each area can be printed once.
 *
 *   cpuid      00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id
 *   msr, apic  1a0 850089 0-3          3a fault 0-3          e7 moves 0-3
 *   sysreg     midr_el1 410fd083 0-3   evidence   mperf found 0-3
 *
 * id: the core's own id, which stood there, is taken out.
 */
void survey_cores_print(struct survey_core *core, const uint32_t *number, uint32_t cores,
			enum survey_area area, struct text *t);
