/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of the pauses that clocks see. A clock that goes wrong may do so with
 * every window: the first of a stage are told one by one, the others when it ends,
 * added up by the clock that saw them and by their direction.
 */
#ifndef CORE_PAUSES_H
#define CORE_PAUSES_H

#include "clockwatch.h"
#include "record.h"

#define PAUSES_SINGLE 16 /* that a stage tells one by one */

struct pauses {
	unsigned told;
	struct record_pause rest[CLOCKWATCH_MAX][2]; /* of each clock; behind, and ahead */
};

/* Begin a stage. */
void pauses_clear(struct pauses *p);

/* One more, seen by the n-th clock. True: it is to be told now. Else it is kept. */
bool pauses_add(struct pauses *p, unsigned n, const struct record_pause *pause);

/* The next of what was kept, which then is kept no more; false: nothing is. */
bool pauses_take(struct pauses *p, struct record_pause *pause);

#endif
