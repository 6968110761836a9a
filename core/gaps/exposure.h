/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The windows of a stage in time order, in which the cores sampled. No event is seen between
 * windows, so a search for sources must know them: events that are unrelated to time still have the
 * rhythm of the windows.
 *
 * Elsewhere a core's exposure is the time it sampled: its windows without the time spent on
 * recording gaps.
 *
 * Functions accept NULL, or an exposure without windows, for sampling that never paused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exposure_window {
	uint64_t start, end; /* ns */
	uint64_t before;     /* ns sampled in all windows before this one */
};

struct exposure {
	struct exposure_window *window; /* `capacity` of them */
	size_t count, capacity;
};

/*
 * Add a window after the last. Returns false if it is not added: it is empty, starts before the end
 * of the last one, or there is no room.
 */
bool exposure_add(struct exposure *e, uint64_t start, uint64_t end);

/* Remove everything from `t` on. */
void exposure_cut(struct exposure *e, uint64_t t);

/* True if there is a window. */
bool exposure_known(const struct exposure *e);

/*
 * The last window that starts at or before `t`; the first one if there is none. Requires
 * exposure_known().
 */
size_t exposure_window_of(const struct exposure *e, uint64_t t);

/* ns sampled between two times, from <= to. */
uint64_t exposure_between(const struct exposure *e, uint64_t from, uint64_t to);

/* True if a window includes a moment from `from` to `to`, both included. */
bool exposure_meets(const struct exposure *e, uint64_t from, uint64_t to);

/* Start of the first window that starts after `t`; UINT64_MAX if there is none. */
uint64_t exposure_next(const struct exposure *e, uint64_t t);
