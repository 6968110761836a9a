/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of limits. */
#include "limit.h"

#include "core/lib/arith.h"
#include "config_keys.h"

#define NS     &config_in_ns
#define COUNT  &config_in_counts
#define PPM    &config_in_counts
#define FACTOR &config_in_factors

#define OF_GAPS  LIMIT_OF_GAPS
#define OF_WORK  LIMIT_OF_WORK
#define OF_CALLS LIMIT_OF_CALLS
#define ON_CLOCK LIMIT_ON_CLOCK

static const struct limit_row rows[LIMITS] = {
#define LIMIT(id, name, where, accepted, help, what, unit, of, ...) \
	[LIMIT_##id] = { name, what, of, unit },
#include "limit_rows.h"
};

const struct limit_row *limit_row(enum limit limit)
{
	return &rows[limit];
}

bool limit_exceeded(const struct config *c, enum limit limit, struct maybe value)
{
	const struct config_limit *l = &c->limit[limit];

	return l->set && value.known && value.value > l->value;
}

bool limit_any(const struct config *c, unsigned of)
{
	for (unsigned l = 0; l < LIMITS; l++)
		if (c->limit[l].set && rows[l].of & of)
			return true;
	return false;
}

uint64_t limit_shortest_ns(const struct config *c)
{
	const struct config_limit *max = &c->limit[LIMIT_MAX];

	return max->set ? arith_max(c->threshold_ns, max->value) : c->threshold_ns;
}
