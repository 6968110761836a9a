/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In which order the runs of a folder began: that of their first entries in the index, whatever the
 * clock showed then. A run whose entry is lost is placed by the time of its file, among those whose
 * entries have times, and not after what was certainly added later.
 */
#pragma once

#include "index.h"

#include <stdbool.h>

/* What the order is found by: as in struct index_entry. */
struct index_place {
	uint64_t sid, place, began;
	bool is_guessed;
	size_t rank;
};

/* Their `rank`; sorts the pointers by something else. */
void index_order_places(struct index_place **places, size_t count);

/*
 * The runs that are in the folder, those that the index does not have among them, with their
 * `rank`. With a `dir` of -1 all that the table has. 0 or an errno.
 */
int index_order(struct index_table *t, int dir);

/* Is it only probable that `latest` began after `other`? */
bool index_order_is_guessed(const struct index_entry *latest, const struct index_entry *other);
