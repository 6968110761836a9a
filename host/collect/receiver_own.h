/* SPDX-License-Identifier: BSD-2-Clause */
/* The stored runs that were begun with their node's own key. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. */
struct receiver_own {
	void *tree;
};

/* When memory has run out it is not added. */
void receiver_own_add(struct receiver_own *o, uint64_t sid);
void receiver_own_remove(struct receiver_own *o, uint64_t sid);
bool receiver_own_has(const struct receiver_own *o, uint64_t sid);
void receiver_own_free(struct receiver_own *o);
