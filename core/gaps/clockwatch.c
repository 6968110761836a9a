/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC against other clocks. */
#include "clockwatch.h"

#include "core/lib/ticks.h"

/* Largest drift between clocks of one machine; real ones have 100 ppm at most. */
#define DRIFT_PPM   200
#define JITTER_NS   UINT64_C(3000)
#define FINE_HZ_MIN 1000000
/* Length of a block of readings in whole seconds. */
#define BLOCK_NS (60 * NS_PER_S)

void clockwatch_begin(struct clockwatch *w, const struct clockwatch_clock *clock, uint64_t tsc_hz)
{
	*w = (struct clockwatch){ .clock = *clock, .hz = tsc_hz };
}

/* A fine clock is compared with its last reading alone. */
static bool is_fine(const struct clockwatch *w)
{
	return w->clock.hz >= FINE_HZ_MIN;
}

/*
 * A coarse clock keeps its readings: if it started anew with each pause that a fine clock shows, it
 * would never show one itself.
 */
void clockwatch_reported(struct clockwatch *w, const struct clockwatch_pause *pause)
{
	int64_t least = (int64_t)pause->least, most = (int64_t)pause->most;

	if (is_fine(w))
		w->started = false;
	for (unsigned i = 0; i < 2; i++) {
		w->block[i].most += pause->forward ? -most : least;
		w->block[i].least += pause->forward ? -least : most;
	}
}

static uint64_t drift(uint64_t ns)
{
	return ns / 1000000 * DRIFT_PPM + JITTER_NS;
}

static int64_t width_ns(const struct clockwatch *w, const struct clockwatch_reading *r)
{
	return (int64_t)ticks_to_ns(r->after - r->before, w->hz);
}

/* How far the clock is ahead of the TSC since the origin, ns; it may have wrapped. */
static int64_t ahead(const struct clockwatch *w, const struct clockwatch_reading *r)
{
	uint64_t tsc_ns = ticks_to_ns(r->after - w->origin_tsc, w->hz);
	uint64_t steps = r->value - w->origin_value, range = UINT64_C(1) << w->clock.bits % 64;
	uint64_t wrap_ns, off;

	if (w->clock.bits >= 63)
		return (int64_t)(ticks_to_ns(steps, w->clock.hz) - tsc_ns);
	wrap_ns = ticks_to_ns(range, w->clock.hz);
	off = (ticks_to_ns(steps % range, w->clock.hz) + wrap_ns - tsc_ns % wrap_ns) % wrap_ns;
	return off <= wrap_ns / 2 ? (int64_t)off : (int64_t)off - (int64_t)wrap_ns;
}

/*
 * Widen the bounds: the clock was ahead by `off` at the end of the reading; its value may be older,
 * by `width`.
 */
static void clockwatch_widen(struct clockwatch_block *b, int64_t off, int64_t width, uint64_t tick)
{
	if (!b->any)
		*b = (struct clockwatch_block){ true, tick, off + width, off };
	b->least = off + width < b->least ? off + width : b->least;
	b->most = off > b->most ? off : b->most;
}

/*
 * A clock's value is up to one step less than its time. So it was ahead by `high` to low + a step
 * before, and now it is by off to off + width + a step.
 */
static bool compare(const struct clockwatch *w, const struct clockwatch_reading *r, int64_t off,
		    struct clockwatch_pause *pause)
{
	const struct clockwatch_block *now = &w->block[1];
	const struct clockwatch_block *before = w->block[0].any ? &w->block[0] : now;
	int64_t low = before->least < now->least ? before->least : now->least;
	int64_t high = before->most > now->most ? before->most : now->most;
	int64_t doubt = (int64_t)(NS_PER_S / w->clock.hz +
				  drift(ticks_to_ns(r->after - before->begin, w->hz)));
	int64_t least = off - low - doubt, most = off + width_ns(w, r) - high + doubt;

	*pause = (struct clockwatch_pause){
		.from = w->last.after,
		.until = r->before,
		.least = (uint64_t)(most < 0 ? -most : least),
		.most = (uint64_t)(most < 0 ? -least : most),
		.forward = most < 0,
		.clock = w->clock.name,
	};
	return least > 0 || most < 0;
}

static void clockwatch_start(struct clockwatch *w, const struct clockwatch_reading *r)
{
	w->started = true;
	w->origin_tsc = r->after;
	w->origin_value = r->value;
	w->block[0].any = w->block[1].any = false;
	clockwatch_widen(&w->block[1], 0, width_ns(w, r), r->before);
}

/* Add a reading to the current block, or to a new one. */
static void clockwatch_collect(struct clockwatch *w, const struct clockwatch_reading *r,
			       int64_t off)
{
	struct clockwatch_block *now = &w->block[1];

	if (ticks_to_ns(r->after - now->begin, w->hz) >= BLOCK_NS) {
		w->block[0] = *now;
		now->any = false;
	}
	clockwatch_widen(now, off, width_ns(w, r), r->before);
}

bool clockwatch_read(struct clockwatch *w, const struct clockwatch_reading *r,
		     struct clockwatch_pause *pause)
{
	int64_t off = w->started ? ahead(w, r) : 0;
	bool paused = w->started && compare(w, r, off, pause);

	if (!w->started || paused || is_fine(w))
		clockwatch_start(w, r);
	else
		clockwatch_collect(w, r, off);
	w->last = *r;
	return paused;
}
