/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Only distances between neighbours are used, so that clocks have to agree for a short time only.
 */
#include "tick_grid.h"

#include "chance.h"

#include "core/lib/arith.h"

/* Tick periods that kernels are built with; a scheduler's slices are a few ticks. */
static const struct known_tick {
	uint64_t period_ns;
	const char *hint;
} ticks[] = {
	{ 10000000, "matches a kernel's tick of 100 Hz" },
	{ 4000000, "matches a kernel's tick of 250 Hz" },
	{ 3333333, "matches a kernel's tick of 300 Hz" },
	{ 1000000, "matches a kernel's tick of 1000 Hz" },
};
#define TICKS (sizeof(ticks) / sizeof(ticks[0]))

/* Events within 1/64 of a tick are on the grid; by chance, one in 32 is. */
#define REACH_PART 64
/*
 * Longer distances, in ticks, are ignored: the drift of two clocks, and periods rounded to ns,
 * would show.
 */
#define APART_MAX 64
/*
 * A grid needs SHARE_MIN of all distances on it, and UNLIKE_MIN of these must differ from the most
 * frequent one.
 */
#define SHARE_MIN(of)  ((of) - (of) / 4)
#define UNLIKE_MIN(of) ((of) / 16 + 1)
/* The bound for sources, too (period.h). */
#define CHANCE_MAX (-4000)

struct distances {
	uint64_t count, on, squares;
	uint64_t of[APART_MAX]; /* number of distances, by multiple of the tick */
};

static void add_distance(struct distances *d, uint64_t distance, uint64_t tick)
{
	uint64_t turns = (distance + tick / 2) / tick;
	uint64_t off = arith_apart(distance, turns * tick);

	if (!turns || turns >= APART_MAX)
		return;
	d->count++;
	if (off > tick / REACH_PART)
		return;
	d->on++;
	d->of[turns]++;
	d->squares += off * off;
}

static uint64_t most(const struct distances *d)
{
	uint64_t best = 0;

	for (unsigned i = 0; i < APART_MAX; i++)
		best = d->of[i] > best ? d->of[i] : best;
	return best;
}

static struct tick_grid tick_grid_look(const uint64_t *t, size_t count, uint64_t tick)
{
	struct distances d = { 0 };
	int64_t chance;

	for (size_t i = 1; i < count; i++)
		add_distance(&d, t[i] - t[i - 1], tick);
	if (!d.on || d.on < SHARE_MIN(d.count) || d.on - most(&d) < UNLIKE_MIN(d.on))
		return (struct tick_grid){ 0 };
	chance = chance_of_hits(d.on, d.count, CHANCE_ONE * 2 / REACH_PART) + chance_log10(TICKS);
	if (chance >= CHANCE_MAX)
		return (struct tick_grid){ 0 };
	return (struct tick_grid){ tick, d.on, chance_root(d.squares / d.on), chance };
}

struct tick_grid tick_grid_find(const uint64_t *t, size_t count)
{
	struct tick_grid grid = { 0 };

	for (unsigned i = 0; i < TICKS && !grid.period_ns; i++)
		grid = tick_grid_look(t, count, ticks[i].period_ns);
	return grid;
}

const char *tick_grid_hint(uint64_t period_ns, uint32_t slack_ppm)
{
	for (unsigned i = 0; i < TICKS; i++) {
		uint64_t tick = ticks[i].period_ns, slack = tick / 1000000 * slack_ppm;

		if (period_ns + slack >= tick && period_ns <= tick + slack)
			return ticks[i].hint;
	}
	return NULL;
}
