/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps that are judged when the window is over, by the steps that were stored with them. */
#pragma once

#include "core/gaps/cpu.h"

#include <stddef.h>

/* From the steps in *why to the gap's causes. */
typedef void settle_decide(struct cpu *cpu, const struct gap *gap, struct attribution *why);

/*
 * Judge the gaps of the ring from that one on, in their order, and put right the window's sums,
 * where they stand with what was counted in each. Steps of several gaps, as why.followers has it,
 * are judged as one gap's, and show only what then holds of each: attribution_of_one().
 */
void settle_gaps(struct cpu *cpu, size_t from, settle_decide *decide);
