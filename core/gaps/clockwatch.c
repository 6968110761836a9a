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

static bool is_fine(const struct clockwatch *w)
{
	return w->clock.hz >= FINE_HZ_MIN;
}

/* Discard the state of this clock. */
static void forget(struct clockwatch *w)
{
	w->started = false;
	w->block[0].any = w->block[1].any = false;
}

/*
 * A coarse clock keeps its readings: if it started anew with each pause that a fine clock shows, it
 * would never show one itself.
 */
void clockwatch_reported(struct clockwatch *w, const struct clockwatch_pause *pause)
{
	int64_t least = (int64_t)pause->least, most = (int64_t)pause->most;

	if (is_fine(w))
		forget(w);
	for (unsigned i = 0; i < 2; i++) {
		w->block[i].most += pause->forward ? -most : least;
		w->block[i].least += pause->forward ? -least : most;
	}
}

static uint64_t mask_of(const struct clockwatch *w)
{
	return w->clock.bits < 64 ? (UINT64_C(1) << w->clock.bits) - 1 : UINT64_MAX;
}

static uint64_t drift(uint64_t ns)
{
	return ns / 1000000 * DRIFT_PPM + JITTER_NS;
}

static uint64_t middle(const struct clockwatch_reading *r)
{
	return r->before + (r->after - r->before) / 2;
}

static uint64_t width_ns(const struct clockwatch *w, const struct clockwatch_reading *r)
{
	return ticks_to_ns(r->after - r->before, w->hz);
}

/* How far the clock is ahead of the TSC since the last reading, ns; it may have wrapped. */
static int64_t ahead(const struct clockwatch *w, uint64_t tsc_ns, uint64_t steps)
{
	uint64_t clock_ns = ticks_to_ns(steps, w->clock.hz);
	uint64_t wrap_ns, off;

	if (w->clock.bits >= 63)
		return (int64_t)(clock_ns - tsc_ns);
	wrap_ns = ticks_to_ns(mask_of(w) + 1, w->clock.hz);
	off = (clock_ns + wrap_ns - tsc_ns % wrap_ns) % wrap_ns;
	return off <= wrap_ns / 2 ? (int64_t)off : (int64_t)off - (int64_t)wrap_ns;
}

static bool read_fine(const struct clockwatch *w, const struct clockwatch_reading *r,
		      struct clockwatch_pause *pause)
{
	const struct clockwatch_reading *last = &w->last;
	uint64_t tsc_ns = ticks_to_ns(middle(r) - middle(last), w->hz);
	int64_t off = ahead(w, tsc_ns, (r->value - last->value) & mask_of(w));
	uint64_t size = off < 0 ? (uint64_t)-off : (uint64_t)off;
	uint64_t slack = drift(tsc_ns) + (width_ns(w, r) + width_ns(w, last)) / 2 +
			 2 * NS_PER_S / w->clock.hz;

	if (size <= slack)
		return false;
	pause->least = size - slack;
	pause->most = size + slack;
	pause->forward = off < 0;
	return true;
}

/*
 * Widen the bounds: the clock was ahead by `off` at the end of the reading; its value may be older,
 * by `width`.
 */
static void clockwatch_widen(struct clockwatch_block *b, int64_t off, int64_t width, uint64_t tick)
{
	if (!b->any)
		*b = (struct clockwatch_block){ true, tick, off + width, off };
	if (off + width < b->least)
		b->least = off + width;
	if (off > b->most)
		b->most = off;
}

/* Read a clock of whole seconds, whose value is up to one second less than its time. */
static bool read_coarse(struct clockwatch *w, const struct clockwatch_reading *r,
			struct clockwatch_pause *pause)
{
	const int64_t second = (int64_t)(NS_PER_S / w->clock.hz);
	struct clockwatch_block *now = &w->block[1], *before = &w->block[0];
	uint64_t since = ticks_to_ns(r->after - w->origin_tsc, w->hz);
	int64_t off = (int64_t)(ticks_to_ns(r->value - w->origin_value, w->clock.hz) - since);
	uint64_t old = before->any ? before->begin : now->begin;
	int64_t width = (int64_t)width_ns(w, r);
	int64_t slack, least = 0, most = 0;

	if (now->any) {
		int64_t low = before->any && before->least < now->least ? before->least
									: now->least;
		int64_t high = before->any && before->most > now->most ? before->most : now->most;

		slack = (int64_t)drift(ticks_to_ns(r->after - old, w->hz));
		/*
		 * The clock was ahead by `high` to low + 1 s before; now it is by off to off +
		 * width + 1 s.
		 */
		least = off - (low + second) - slack;
		most = off + width + second - high + slack;
	}
	if (least > 0 || most < 0) {
		pause->forward = most < 0;
		pause->least = (uint64_t)(most < 0 ? -most : least);
		pause->most = (uint64_t)(most < 0 ? -least : most);
		return true;
	}
	if (now->any && ticks_to_ns(r->after - now->begin, w->hz) >= BLOCK_NS) {
		*before = *now;
		now->any = false;
	}
	clockwatch_widen(now, off, width, r->after);
	return false;
}

static void clockwatch_start(struct clockwatch *w, const struct clockwatch_reading *r)
{
	forget(w);
	w->started = true;
	w->origin_tsc = r->after;
	w->origin_value = r->value;
	clockwatch_widen(&w->block[1], 0, (int64_t)width_ns(w, r), r->after);
}

bool clockwatch_read(struct clockwatch *w, const struct clockwatch_reading *r,
		     struct clockwatch_pause *pause)
{
	bool paused = false;

	if (w->started) {
		*pause = (struct clockwatch_pause){ .from = w->last.after,
						    .until = r->before,
						    .clock = w->clock.name };
		paused = is_fine(w) ? read_fine(w, r, pause) : read_coarse(w, r, pause);
	}
	if (!w->started || paused)
		clockwatch_start(w, r);
	w->last = *r;
	return paused;
}
