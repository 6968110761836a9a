/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings are dealt one by one: those that always changed together come apart. */
#include "hunt_plan.h"

#include "hunt_shuffle.h"

#include "host/lib/memory.h"

#include <stdlib.h>

/* The first runs that have each of its values, one value after the other, round and round. */
static void lay(const struct hunt_setting *s, const struct hunt *h, size_t *as, size_t runs)
{
	size_t of = 0;

	for (size_t n = 0; n < runs; n++) {
		while (s->same[of] != of)
			of = (of + 1) % h->runs;
		as[n] = of;
		of = (of + 1) % h->runs;
	}
}

static void shuffle(size_t *as, size_t runs, uint64_t *seed)
{
	for (size_t n = runs; n > 1; n--) {
		size_t other = hunt_shuffle_lot(seed, n), t = as[n - 1];

		as[n - 1] = as[other];
		as[other] = t;
	}
}

void hunt_plan_deal(struct hunt_plan *plan, const struct hunt *h, size_t runs)
{
	uint64_t seed = runs;

	*plan = (struct hunt_plan){ runs, memory_new(runs * h->settings, sizeof(*plan->as)) };
	for (size_t r = 0; r < h->runs; r++)
		seed = seed * 31 + h->run[r].sid;
	for (size_t i = 0; i < h->settings; i++) {
		lay(&h->setting[i], h, plan->as + i * runs, runs);
		shuffle(plan->as + i * runs, runs, &seed);
	}
}

void hunt_plan_free(struct hunt_plan *plan)
{
	free(plan->as);
}

const char *hunt_plan_value(const struct hunt_plan *plan, const struct hunt *h, size_t run,
			    size_t setting)
{
	return h->setting[setting].value[plan->as[setting * plan->runs + run]];
}
