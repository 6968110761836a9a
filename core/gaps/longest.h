/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest of many gaps or events, in two passes over a list of them: the first adds their
 * lengths, the second takes those that were chosen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest lengths so far. */
struct longest {
	uint64_t *length; /* room for `capacity`; once that is full, a heap with the least at the
			     root */
	size_t used, capacity;
	uint64_t count; /* lengths that were added */
};

struct longest_choice {
	uint64_t chosen;    /* how many */
	uint64_t cutoff;    /* all that are longer than this */
	uint64_t at_cutoff; /* the first so many of those that have exactly this length */
};

void longest_add(struct longest *l, uint64_t length);

/* Choose the `limit` longest, at most `capacity`; UINT64_MAX: all. */
struct longest_choice longest_choose(struct longest *l, uint64_t limit);

/* True if the length is chosen. Call this once for each length, in the order of the list. */
bool longest_take(struct longest_choice *c, uint64_t length);
