/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs that were begun with their node's own key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing, at most half full; a run that is removed keeps its slot. */
struct receiver_own {
	uint64_t *slot; /* 0: free. NULL: there are none */
	size_t used, slots;
	uint64_t odd; /* random: nobody can target one slot */
};

/* `random` as for receiver_runs_start(). */
void receiver_own_start(struct receiver_own *o, uint64_t random);
void receiver_own_free(struct receiver_own *o);

/* When memory has run out it is not added. */
void receiver_own_add(struct receiver_own *o, uint64_t sid);
bool receiver_own_has(const struct receiver_own *o, uint64_t sid);
