/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of one stage of a run. */
#pragma once

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/table/table_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_gap {
	uint64_t t_ns, len_ns;
	uint32_t cpu;
	enum cause cause;
};

struct run_window {
	uint64_t n, windows;
	uint64_t start_ns, len_ns;
	uint64_t gaps;
};

struct run_stage {
	char *name;
	bool has_state;
	struct record_stage state; /* that it was measured in */

	struct record_cpu *cpu; /* by number; without any, the stage was not measured */
	size_t cpus;
	uint32_t highest;               /* number of a core */
	uint64_t gaps_counted, dropped; /* by these */
	uint64_t bound[2];              /* the two largest error bounds of TSC offsets, ticks */

	/* Events: all that came, and the longest of them in time order. */
	uint64_t of; /* events of the stage, by these records; 0: none came */
	uint64_t events;
	uint64_t scope[SCOPES];
	struct record_event longest[TABLE_EVENTS];
	uint32_t listed;

	struct record_source *source;
	size_t sources;
	struct run_gap *gap;
	size_t gaps;
	struct run_window *window;
	size_t windows;
};

struct run;

/* Keep what a record has about its stage. False when there is no room for it. */
bool run_stage_keep(struct run *run, enum record_type type, const union record *record);

void run_stage_free(struct run_stage *stage);
