/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: gaps of several cores that overlap, merged, one event at a time.
 *
 * Two gaps overlap when they have an instant in common, or come closer than
 * `slack`: below that it is not known which of two cores' clocks is right. An
 * event is a largest set of gaps that overlap one another in a chain. Gaps that only
 * touch (one ends in the tick in which another begins) have no instant in common.
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
	SCOPE_MACHINE, /* cores of several packages, or every core of the machine */
	SCOPE_UNKNOWN, /* more than one core, topology unknown */
	SCOPES
};

/* "cpu" "core" "package" "machine"; NULL for SCOPE_UNKNOWN, as absent things are null. */
const char *event_scope_name(enum event_scope scope);

/* One gap. Times are in one unit, ticks or ns, and on one clock for all cores. */
struct event_gap {
	uint64_t start, length;
	uint32_t position; /* of the core in event_setup.cpu */
};

/* One core, and the merge's scratch for it. */
struct event_cpu {
	uint32_t index; /* its number in events; below CPULIST_MAX */
	bool measured;  /* takes part; to hit every core is to hit all of these */
	struct topology place;

	uint64_t event;      /* the last event it had a part in, from 1 */
	uint64_t start, end; /* of its first and last gap there */
	uint32_t member;     /* in the n-th entry: position of the open event's n-th core */
};

struct event_setup {
	struct event_cpu *cpu;
	uint32_t cpus;
	bool whole; /* the measured cores are all that the machine has */
	uint64_t slack;
	enum cause cause;        /* each merged gap has this cause */
	uint64_t complete_until; /* from here on gaps may be missing; UINT64_MAX: nowhere */
};

struct event {
	uint64_t start, length; /* from the first gap's start to the last gap's end */
	/* Between the first and the last core to enter, to leave. */
	uint64_t start_skew, end_skew;
	uint64_t gaps;
	uint32_t cpus;        /* how many cores */
	uint32_t first, last; /* first in, last out; the lowest number of equals */
	enum cause cause;     /* the setup's */
	enum event_scope scope;
	bool partial; /* gaps may be missing: more cores than these may have been hit */
	struct cpulist set;
};

/* Receives each event once, when it is complete; *event belongs to the merge. */
typedef void event_sink(void *ctx, const struct event *event);

struct event_merge {
	struct event_setup setup;
	event_sink *sink;
	void *ctx;
	uint32_t measured;
	uint64_t events; /* begun so far */
	uint64_t end;    /* of the open event */
	struct event open;
};

/* Begin. setup->cpu stays in use until the end; the rest is copied. */
void event_merge_begin(struct event_merge *m, const struct event_setup *setup, event_sink *sink,
		       void *ctx);

/*
 * Take in the next gap; starts must not decrease. O(1) but for the sink. Where a
 * start decreases all the same (a TSC that stepped back), a gap may be left apart
 * from an event that is over already, and events may come out of order.
 */
void event_merge_add(struct event_merge *m, const struct event_gap *gap);

/* End: the last event is over. Returns how many there were. */
uint64_t event_merge_end(struct event_merge *m);

/* Room for one of the longest events. */
struct event_slot {
	struct event event;
	uint32_t order; /* in the n-th slot: which slot is n-th */
};

/* The longest events, the earliest of equals. */
struct event_longest {
	struct event_slot *slot;
	uint32_t capacity, used;
};

void event_longest_begin(struct event_longest *l, struct event_slot *slot, uint32_t capacity);

/* An event_sink; ctx is the struct event_longest. O(log capacity). */
void event_longest_add(void *ctx, const struct event *event);

/*
 * Bring the `count` longest of l->used into time order; then read the n-th of them. Other counts
 * may follow, and no event.
 */
void event_longest_sort(struct event_longest *l, uint32_t count);
const struct event *event_longest_at(const struct event_longest *l, uint32_t n);
