/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IA32_TSC_ADJUST of all cores (Intel SDM vol. 3, "IA32_TSC_ADJUST Register
 * Support"): ticks that somebody added to a core's clock. Equal on all of them it
 * has no meaning; where it differs, firmware set clocks apart, or put time back on
 * some cores.
 */
#pragma once

#include "cpu.h"
#include "core/lib/text.h"

#include <stdint.h>

#define TSC_ADJUST_TEXT_MAX 400 /* bytes */

/*
 * Append "0: 0-2,4; -1250: 3": each value, in ticks, and the cores that have it, by
 * their numbers; n/a for cores without the register. Nothing when all are equal. What
 * does not fit is cut, and ends in "...".
 */
void tsc_adjust_print(const struct cpu *cpu, uint32_t cpus, struct text *out);
