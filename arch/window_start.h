/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's way to the first sample of a window, and which steps of its counters came before it. */
#pragma once

#include "clock_now.h"
#include "evidence.h"
#include "core/gaps/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/* Outcome of a reading of the clock while the core waits for the start. */
enum window_start { WINDOW_START_NOT_YET, WINDOW_START_SAMPLE, WINDOW_START_GAP };

/*
 * A delay that ends after the start is no gap if it takes less than `held` ticks of the window.
 * *from, the start of a possible gap, then moves to the end of the delay, and the window begins
 * with the next undelayed sample.
 */
static inline enum window_start window_start_look(uint64_t *from, uint64_t held, uint64_t last,
						  uint64_t now)
{
	int64_t since = (int64_t)(now - *from);

	if (since < 0)
		return WINDOW_START_NOT_YET;
	if (since >= (int64_t)held)
		return WINDOW_START_GAP;
	if ((int64_t)(now - last) < (int64_t)held)
		return WINDOW_START_SAMPLE;
	*from = now;
	return WINDOW_START_NOT_YET;
}

/* Begin the window with these counts, of registers or of handlers. */
static inline void window_start_registers(struct cpu *cpu, const struct gap_evidence *counts)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_REGISTER_##from(cpu->name.last = cpu->name.start = counts->name;)
#include "core/cause/counted_rows.h"
}

static inline void window_start_handlers(struct cpu *cpu, const struct gap_evidence *counts)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_HANDLER_##from(cpu->name.last = cpu->name.start = counts->name;)
#include "core/cause/counted_rows.h"
}

/*
 * Wait for the tick *from, and read counters and clock in turn. A step came before the start if
 * its reading was followed by a sample that also lies before the start. *now is the last sample.
 * True: a gap of at least `held` ticks lies between *from and *now, and the window begins with it;
 * the return is short then, as another gap may follow. False: *now is the window's first sample.
 */
static inline bool window_start_wait(struct cpu *cpu, uint64_t held, uint64_t *from, uint64_t *now)
{
	enum window_start look;
	struct gap_evidence counts;
	uint64_t last;

#define COUNTED(id, name, ...) counts.name = cpu->name.last;
#include "core/cause/counted_rows.h"
	window_start_registers(cpu, &counts);
	*now = *from;
	do {
		last = *now;
		window_start_handlers(cpu, &counts);
		evidence_registers(cpu, &counts);
		*now = clock_now();
		look = window_start_look(from, held, last, *now);
		if (look != WINDOW_START_NOT_YET)
			break;
		last = *now;
		window_start_registers(cpu, &counts);
		evidence_handlers(cpu, &counts);
		*now = clock_now();
		look = window_start_look(from, held, last, *now);
	} while (look == WINDOW_START_NOT_YET);
	if (look == WINDOW_START_GAP) {
		cpu->window_start = *from;
		return true;
	}
	cpu->window_start = *now;
	window_start_registers(cpu, &counts);
	window_start_handlers(cpu, &counts);
	return false;
}

/*
 * Counters that measure gaps count from their last reading, so read them as late as possible. If
 * something delays the core until too near the start, they are not read, and their steps may go
 * to the first gap. `start`: of the window, ticks of this core's clock.
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
