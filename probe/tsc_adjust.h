/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IA32_TSC_ADJUST of all cores (Intel SDM vol. 3, "IA32_TSC_ADJUST Register Support"): the ticks by
 * which software has changed a core's clock. If all cores have the same value, it has no meaning.
 * If values differ, firmware has set the clocks apart, or has set some back.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/lib/text.h"

#include <stdint.h>

#define TSC_ADJUST_TEXT_MAX 400 /* bytes */

/*
 * Print "0: 0-2,4; -1250: 3": each value, in ticks, and the numbers of its cores; n/a for cores
 * without the register. The text is empty if all are equal. What does not fit is cut, and ends in
 * "...".
 */
void tsc_adjust_print(const struct cpu *cpu, uint32_t cpus, struct text *out);
