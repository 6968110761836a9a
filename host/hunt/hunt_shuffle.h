/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often does a random assignment of runs to settings give a difference as large? That makes no
 * assumption about how rates are distributed: bursts, two states of the firmware, single events.
 * It has no answer below 1/20 for three runs of each kind, whatever was measured.
 */
#pragma once

#include "hunt_tests.h"

struct hunt_shuffle {
	const struct hunt *h;
	size_t rounds; /* the first: the runs as they were; 0: nothing was shuffled so far */
	double *left;  /* of each round, the least chance of all tests */
};

/*
 * The chance that any of the tests shows as much as this one, beyond what the changes of `with`
 * explain: minP of Westfall and Young (Resampling-Based Multiple Testing, 1993), residuals shuffled
 * as Freedman and Lane do (J. Bus. Econ. Stat. 1, 1983). The same for the same runs, always.
 */
double hunt_shuffle_chance(struct hunt_shuffle *s, const struct hunt_tests *tests,
			   const struct hunt_test *test, const bool *with);

void hunt_shuffle_free(struct hunt_shuffle *s);

/* A number below `most` (above 0, below 2^32) that looks random; the same for the same seed. */
size_t hunt_shuffle_lot(uint64_t *seed, size_t most);
