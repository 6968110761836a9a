/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is reported of the pauses that clocks see, and when. A wrong clock may be wrong
 * in every window, and nothing is measured while one reports. The first hidden pauses of a
 * stage are reported at once, since a gap may be in them. A TSC that runs ahead hides
 * nothing: the first such times are reported one by one when the stage ends. All others
 * are added up until then, by the clock that saw them and their direction.
 */
#pragma once

#include "core/gaps/clockwatch.h"
#include "core/records/record.h"

#define PAUSES_SINGLE 16 /* of each direction, that a stage reports one by one */

struct pauses {
	unsigned reported;
	struct record_pause ahead[PAUSES_SINGLE];
	unsigned kept, taken;                        /* of these */
	struct record_pause rest[CLOCKWATCH_MAX][2]; /* of each clock; behind, and ahead */
};

/* Begin a stage. */
void pauses_clear(struct pauses *p);

/* One more, seen by the n-th clock. True: to be reported now. Else it is kept. */
bool pauses_add(struct pauses *p, unsigned n, const struct record_pause *pause);

/* The next of what was kept, which then is kept no more; false: nothing is. */
bool pauses_take(struct pauses *p, struct record_pause *pause);
