/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of limits. */
#include "limit.h"

#include "core/lib/arith.h"
#include "core/lib/units.h"
#include "config.h"

static void print_count(struct text *t, uint64_t value)
{
	text_add(t, "%llu", (unsigned long long)value);
}

static void print_factor(struct text *t, uint64_t value)
{
	text_fixed(t, value, 6, 0);
}

#define NS     .print = text_duration, .exact = units_print_ns
#define COUNT  .print = print_count, .exact = print_count
#define PPM    COUNT
#define FACTOR .print = print_factor, .exact = print_factor

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
