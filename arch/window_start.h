/* SPDX-License-Identifier: BSD-2-Clause */
/* Up to a window's first sample: which of the counters' steps came before it. */
#pragma once

#include "clock_now.h"
#include "evidence.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/*
 * Wait for the start tick with counters and clock read in turn, so that it is
 * known which steps came before it. Returns the first sample; in *before is the
 * start tick when something held the core across that, `held` ticks or more,
 * else the first sample.
 */
static inline uint64_t window_start_wait(struct cpu *cpu, uint64_t start, uint64_t held,
					 uint64_t *before)
{
	uint32_t smi = cpu->smi.last, nmi = cpu->nmi_last, mce = cpu->mce_last;
	uint64_t now = start, last;

	do {
		last = now;
		cpu->smi.last = smi;
		smi = evidence_smi_now(cpu);
		now = clock_now();
		if ((int64_t)(now - start) >= 0)
			break;
		last = now;
		cpu->nmi_last = nmi;
		cpu->mce_last = mce;
		nmi = evidence_nmi_now(cpu);
		mce = evidence_mce_now(cpu);
		now = clock_now();
	} while ((int64_t)(now - start) < 0);
	*before = start;
	if ((int64_t)(now - start) < (int64_t)held) {
		*before = now;
		/* What held it up till after the start, but is no gap of the window. */
		if ((int64_t)(now - last) >= (int64_t)held) {
			smi = evidence_smi_now(cpu);
			nmi = evidence_nmi_now(cpu);
			mce = evidence_mce_now(cpu);
		}
		cpu->smi.last = smi;
		cpu->nmi_last = nmi;
		cpu->mce_last = mce;
	}
	cpu->smi_window = cpu->smi.last;
	cpu->nmi_window = cpu->nmi_last;
	cpu->mce_window = cpu->mce_last;
	cpu->window_start = *before;
	return now;
}

/*
 * Counters that measure count from the last reading: so read as late as can be. Where something
 * held the core up till too near the start, its steps may be the first gap's.
 */
static inline void window_start_steps(struct cpu *cpu, uint64_t start)
{
	uint64_t lead = 4 * (cpu->cost[PIECE_COUNTS] + cpu->cost[PIECE_STEPS]);
	uint64_t now = clock_now();

	if (!cpu->read_counters || (int64_t)(now - (start - lead)) >= 0)
		return;
	while ((int64_t)(now - (start - lead)) < 0)
		now = clock_now();
	if ((int64_t)(now - (start - lead / 2)) < 0)
		evidence_forget_steps(cpu);
}
