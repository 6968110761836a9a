/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the cores sampled: the windows of a stage, in time order. Between them
 * nothing is seen, so a search for sources must know them: what is unrelated to
 * time still comes in the windows' rhythm.
 *
 * Wherever a `const struct exposure *` is asked for, NULL and one without windows
 * mean that sampling never paused.
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
 * Add a window after the last. False for one that is not added: it is empty, begins
 * before the last one's end, or there is no room.
 */
bool exposure_add(struct exposure *e, uint64_t start, uint64_t end);

/* Keep only what was sampled before `t`. */
void exposure_cut(struct exposure *e, uint64_t t);

/* Is there any window? */
bool exposure_known(const struct exposure *e);

/* The last window that begins at `t` or before; the first one where none does. Known only. */
size_t exposure_window_of(const struct exposure *e, uint64_t t);

/* ns sampled between two times, from <= to. */
uint64_t exposure_between(const struct exposure *e, uint64_t from, uint64_t to);

/* Is there a moment from `from` to `to`, these included, in which it was sampled? */
bool exposure_meets(const struct exposure *e, uint64_t from, uint64_t to);

/* Start of the first window that begins after `t`; UINT64_MAX where none does. */
uint64_t exposure_next(const struct exposure *e, uint64_t t);
