/* SPDX-License-Identifier: BSD-2-Clause */
/* The next runs: each setting has each of its values equally often, in an order dealt by lot. */
#pragma once

#include "hunt.h"

struct hunt_plan {
	size_t runs;
	size_t *as; /* of each run, of each setting: a run of the hunt that has its value */
};

/* The same for the same hunt. Free it, also for 0 runs. */
void hunt_plan_deal(struct hunt_plan *plan, const struct hunt *h, size_t runs);
void hunt_plan_free(struct hunt_plan *plan);

/* The value that a setting has in a run of the plan. */
const char *hunt_plan_value(const struct hunt_plan *plan, const struct hunt *h, size_t run,
			    size_t setting);
