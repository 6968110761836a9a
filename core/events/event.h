/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: gaps of one cause that overlap, on one core or on several, are merged into an event.
 *
 * Two gaps overlap if they have an instant in common, or if they are closer than `slack`, because a
 * smaller distance does not show which of two cores' clocks is right. An event is a largest set of
 * gaps that overlap one another in a chain. Gaps that only touch (one ends in the tick in which
 * another begins) have no instant in common. The scope of an event is the smallest part of the
 * machine that contains its cores.
 *
 * After a stage, core/report lists the gaps of each cause by start (gaplist.h), merges them here,
 * and takes the events of all causes in time order. From their starts, period.h finds sources: what
 * causes events at regular times.
 */
#pragma once

#include "core/cause/cause.h"
#include "core/lib/cpulist.h"
#include "core/gaps/topology.h"

#include <stdbool.h>
#include <stdint.h>

enum event_scope {
	SCOPE_CPU,     /* one logical core */
	SCOPE_CORE,    /* threads of one physical core */
	SCOPE_PACKAGE, /* cores of one package */
	SCOPE_MACHINE, /* cores of several packages, or all cores of the machine */
	SCOPE_UNKNOWN, /* topology unknown, or only a part of the event is known (event.partial) */
	SCOPES
};

/* "cpu" "core" "package" "machine"; NULL, for a null in records, if unknown. */
const char *event_scope_name(enum event_scope scope);

/* One gap. Times are in one unit, ticks or ns, and on one clock for all cores. */
struct event_gap {
	uint64_t start, length;
	uint32_t position; /* index of the core in event_setup.cpu */
};

/* One core, and the merge's scratch for it. */
struct event_cpu {
	uint32_t index; /* the core's number in events; below CPULIST_MAX */
	bool measured;  /* takes part; an event hits every core if it hits all of these */
	struct topology place;

	uint64_t event;      /* number of the last event with a gap of this core, from 1 */
	uint64_t start, end; /* start of the core's first gap in that event, and end of its last */
	uint32_t member;     /* in entry n: index of the open event's n-th core */
};

struct event_setup {
	struct event_cpu *cpu;
	uint32_t cpus;
	bool whole; /* the measured cores are all cores of the machine */
	uint64_t slack;
	enum cause cause;        /* cause of all merged gaps */
	uint64_t complete_until; /* after this time gaps may be missing; UINT64_MAX: none is */
};

struct event {
	uint64_t start, length; /* from the first gap's start to the last gap's end */
	uint64_t skew;          /* from the first to the last core's start */
	uint64_t gaps;
	uint32_t cpus;        /* number of cores */
	uint32_t first, last; /* core that starts first, that ends last; of equals, the lowest */
	enum cause cause;     /* the setup's */
	enum event_scope scope;
	bool partial; /* gaps may be missing, so more cores may have been hit */
	struct cpulist set;
};

struct event_merge {
	struct event_setup setup;
	uint32_t measured;
	uint64_t events; /* begun so far */
	uint64_t end;    /* end of the open event */
	struct event open;
};

/* Begin to merge. setup->cpu stays in use until event_merge_end(); the rest is copied. */
void event_merge_begin(struct event_merge *m, const struct event_setup *setup);

/*
 * Add the next gap. True: it begins another event, and *closed is the one before. Starts must not
 * decrease. If one does nevertheless (a TSC that stepped back), its gap may become an event of its
 * own, and events may be out of order.
 */
bool event_merge_add(struct event_merge *m, const struct event_gap *gap, struct event *closed);

/* Complete the last event; false if there is none. */
bool event_merge_end(struct event_merge *m, struct event *closed);
