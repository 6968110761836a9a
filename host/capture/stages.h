/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a run's stages: events and sources as told, and what a search for more needs. */
#ifndef HOST_STAGES_H
#define HOST_STAGES_H

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/table/table_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kept of one run, at most; the rest is counted. */
#define STAGES_MAX         64
#define STAGES_GAPS_MAX    (UINT64_C(1) << 24) /* 400 MB */
#define STAGES_WINDOWS_MAX (UINT64_C(1) << 20)
#define STAGES_SOURCES_MAX 256

struct stage_gap {
	uint64_t t_ns, len_ns;
	uint32_t cpu;
	enum cause cause;
};

struct stage_window {
	uint64_t n, windows;
	uint64_t start_ns, len_ns;
};

struct run_stage {
	char *name;

	/* Events: all that came, and the longest of them in time order. */
	uint64_t of; /* the stage has, by their own word; 0: no record came */
	uint64_t events;
	uint64_t scope[SCOPES];
	struct record_event longest[TABLE_EVENTS];
	uint32_t listed;

	struct record_source *source; /* strings are the caller's */
	size_t sources;

	struct stage_gap *gap;
	size_t gaps;
	struct stage_window *window;
	size_t windows;

	/* By the records of the cores. */
	bool counted;
	uint64_t gaps_counted, dropped;
	uint64_t bound[2]; /* the two largest error bounds of TSC offsets, ticks */
};

struct stages {
	struct run_stage *stage;
	size_t count;
	uint64_t gaps, windows, sources; /* of all stages */
};

/*
 * Keep what the record says of its stage; of a source, its strings too. False when there is no
 * room for it. Ends the program when memory has run out.
 */
bool stages_keep(struct stages *s, enum record_type type, const union record *record);

/* NULL where nothing is kept of a stage of that name. */
struct run_stage *stages_find(const struct stages *s, const char *name);

void stages_free(struct stages *s);

#endif
