/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours whose distance is a multiple of a tick: clocks need to agree for that long only. */
#include "tick_grid.h"

#include "chance.h"

#include "core/lib/arith.h"

/* What kernels are built with; a scheduler's turns are a few of them. */
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

/* An event is on the grid within 1/64 of a tick: one of 32 is by chance. */
#define REACH_PART 64
/* Neighbours farther apart are not looked at: two clocks, and 1/3 ns cut off, would show. */
#define APART_MAX 64
/* So large a share of the distances is on it, and so large a share of these is not the same. */
#define SHARE_MIN(of)  ((of) - (of) / 4)
#define UNLIKE_MIN(of) ((of) / 16 + 1)
/* As for sources (period.h). */
#define CHANCE_MAX (-4000)

struct distances {
	uint64_t count, on, squares;
	uint64_t of[APART_MAX]; /* multiples of the tick, by which */
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

static struct tick_grid look(const uint64_t *t, size_t count, uint64_t tick)
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
		grid = look(t, count, ticks[i].period_ns);
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
