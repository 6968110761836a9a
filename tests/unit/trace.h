/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Made-up traces of events: trains with missing events, jitter and lateness, and
 * unrelated events between. The same seed gives the same trace everywhere.
 */
#pragma once

#include "draw.h"

#include "core/events/train.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TRACE_EVENTS_MAX (1u << 18)
#define TRACE_S          1e9 /* ns */

/* The input of the searches. */
#define SERIES(t, count, watched) (&(struct event_series){ t, count, watched })

struct trace {
	uint64_t seed;
	size_t count;
	uint64_t t[TRACE_EVENTS_MAX];
};

struct trace_train {
	double period;   /* s */
	double missing;  /* share of the events that are not there */
	double jitter;   /* standard deviation of each event, as a share of the period */
	double lateness; /* mean by which an event is late after the last, as a share */
};

/* 0 ... 1 */
static inline double trace_uniform(struct trace *tr)
{
	return (double)(draw_bits(&tr->seed) >> 11) / 9007199254740992.0;
}

/* Exponential with mean 1, by comparing uniform numbers (von Neumann, 1951). */
static inline double trace_exponential(struct trace *tr)
{
	for (double whole = 0;; whole++) {
		double first = trace_uniform(tr), last = first;
		unsigned run = 1;

		for (;;) {
			double next = trace_uniform(tr);

			if (next >= last)
				break;
			last = next;
			run++;
		}
		if (run % 2)
			return whole + first;
	}
}

/* Normal with deviation 1: twelve uniform numbers. */
static inline double trace_normal(struct trace *tr)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += trace_uniform(tr);
	return sum;
}

static inline void trace_begin(struct trace *tr, uint64_t seed)
{
	tr->seed = seed;
	tr->count = 0;
}

static inline void trace_add(struct trace *tr, double s)
{
	if (tr->count < TRACE_EVENTS_MAX)
		tr->t[tr->count++] = (uint64_t)(s * TRACE_S);
}

/* Unrelated events, so many per second. */
static inline void trace_add_poisson(struct trace *tr, double rate, double seconds)
{
	if (rate <= 0)
		return;
	for (double s = trace_exponential(tr) / rate; s < seconds;
	     s += trace_exponential(tr) / rate)
		trace_add(tr, s);
}

/* A train that begins somewhere in its first period. */
static inline void trace_add_train(struct trace *tr, const struct trace_train *train,
				   double seconds)
{
	double due = trace_uniform(tr) * train->period;

	while (due < seconds) {
		double s = due + trace_normal(tr) * train->jitter * train->period;

		if (trace_uniform(tr) >= train->missing && s >= 0 && s < seconds)
			trace_add(tr, s);
		due += train->period;
		if (train->lateness > 0)
			due += trace_exponential(tr) * train->lateness * train->period;
	}
}

static inline int trace_by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline void trace_sort(struct trace *tr)
{
	qsort(tr->t, tr->count, sizeof(tr->t[0]), trace_by_time);
}

/* True if a period, ns, differs from the wanted one, s, by at most `share`. */
static inline bool trace_is_period(uint64_t ns, double period, double share)
{
	double wanted = period * TRACE_S;

	return (double)ns > wanted * (1 - share) && (double)ns < wanted * (1 + share);
}

/* A kernel's scheduler: turns of mostly two ticks, s, some of more; and 2 % that wait for no tick.
 */
static inline void trace_schedule(struct trace *tr, unsigned seed, double tick, double seconds)
{
	trace_begin(tr, seed);
	for (double at = 0.4e-3; at < seconds;) {
		double kind = trace_uniform(tr);
		double turns = kind < 0.77 ? 2 : kind < 0.96 ? 3 : 4 + (uint64_t)(kind * 1000) % 4;

		trace_add(tr, at + trace_uniform(tr) * 1e-6);
		if (kind > 0.98)
			trace_add(tr, at + trace_uniform(tr) * tick);
		at += turns * tick;
	}
	trace_sort(tr);
}

/* True for the period of the tick, or of turns of two or three ticks. */
static inline bool trace_is_turn(uint64_t period_ns, double tick)
{
	double ticks = (double)period_ns / TRACE_S / tick;

	return trace_is_period(period_ns, tick, 0.001) || (ticks > 1.9 && ticks < 3.1);
}
