/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Phases are turns in 2^-64: time times turns per ns, where whole turns fall off
 * the top of the product.
 */
#include "rayleigh.h"

#include "chance.h"
#include "train.h"

#include <stdbool.h>

/* 127 * cos(2 pi i / 256) */
static const int8_t cosine[256] = {
	127,  127,  127,  127,  126,  126,  126,  125,  125,  124,  123,  122,  122,  121,  120,
	118,  117,  116,  115,  113,  112,  111,  109,  107,  106,  104,  102,  100,  98,   96,
	94,   92,   90,   88,   85,   83,   81,   78,   76,   73,   71,   68,   65,   63,   60,
	57,   54,   51,   49,   46,   43,   40,   37,   34,   31,   28,   25,   22,   19,   16,
	12,   9,    6,    3,    0,    -3,   -6,   -9,   -12,  -16,  -19,  -22,  -25,  -28,  -31,
	-34,  -37,  -40,  -43,  -46,  -49,  -51,  -54,  -57,  -60,  -63,  -65,  -68,  -71,  -73,
	-76,  -78,  -81,  -83,  -85,  -88,  -90,  -92,  -94,  -96,  -98,  -100, -102, -104, -106,
	-107, -109, -111, -112, -113, -115, -116, -117, -118, -120, -121, -122, -122, -123, -124,
	-125, -125, -126, -126, -126, -127, -127, -127, -127, -127, -127, -127, -126, -126, -126,
	-125, -125, -124, -123, -122, -122, -121, -120, -118, -117, -116, -115, -113, -112, -111,
	-109, -107, -106, -104, -102, -100, -98,  -96,  -94,  -92,  -90,  -88,  -85,  -83,  -81,
	-78,  -76,  -73,  -71,  -68,  -65,  -63,  -60,  -57,  -54,  -51,  -49,  -46,  -43,  -40,
	-37,  -34,  -31,  -28,  -25,  -22,  -19,  -16,  -12,  -9,   -6,   -3,   0,    3,    6,
	9,    12,   16,   19,   22,   25,   28,   31,   34,   37,   40,   43,   46,   49,   51,
	54,   57,   60,   63,   65,   68,   71,   73,   76,   78,   81,   83,   85,   88,   90,
	92,   94,   96,   98,   100,  102,  104,  106,  107,  109,  111,  112,  113,  115,  116,
	117,  118,  120,  121,  122,  122,  123,  124,  125,  125,  126,  126,  126,  127,  127,
	127,
};

#define UNIT    127
#define QUARTER 64 /* of a turn, in steps of the table */

/* log10(e) in thousandths. */
#define LOG10_E     INT64_C(434294)
#define LOG10_E_DIV INT64_C(1000)

/* Events closer than this part of a period count once. */
#define DEAD_PART 256

/* Blocks to tune on: the first in periods, then each so many times the last. */
#define BLOCK_PERIODS 16
#define BLOCK_GROWTH  8

/* Windows this much in phase with a period hide it; thousandths of the sum. */
#define IN_STEP_MAX 900

struct comb {
	struct event_series of;
	uint64_t span; /* ns, first to last event */
	uint64_t dead; /* ns */
	uint64_t rate; /* turns per ns, 2^-64 */
};

struct vector {
	int64_t x, y;
};

static void add_turn(struct vector *v, uint64_t turn)
{
	/* To the nearest step of the table. */
	uint8_t step = (uint8_t)((turn + (UINT64_C(1) << 55)) >> 56);

	v->x += cosine[step];
	v->y += cosine[(uint8_t)(step - QUARTER)];
}

/* To the sum: b times the conjugate of a, a vector at the angle from a to b. */
static void add_between(struct vector *sum, struct vector a, struct vector b)
{
	sum->x += a.x * b.x + a.y * b.y;
	sum->y += a.x * b.y - a.y * b.x;
}

static int64_t along(struct vector v, uint8_t step)
{
	return v.x * cosine[step] + v.y * cosine[(uint8_t)(step - QUARTER)];
}

/*
 * The angle of a vector, turns in 2^-32: the step of the table that lies closest,
 * and what remains, small enough for an angle to be its tangent.
 */
static int32_t angle(struct vector v)
{
	uint8_t best = 0;
	int64_t across;

	while (v.x >> 40 != v.x >> 63 || v.y >> 40 != v.y >> 63) {
		v.x >>= 1;
		v.y >>= 1;
	}
	for (unsigned step = 1; step < 256; step++) {
		if (along(v, (uint8_t)step) > along(v, best))
			best = (uint8_t)step;
	}
	if (!along(v, best))
		return 0;
	across = along(v, (uint8_t)(best + QUARTER));
	/* 2^32 / (2 pi) = 2^12 * 166886 */
	return (int32_t)(((uint32_t)best << 24) +
			 (uint32_t)((across * 4096 / along(v, best)) * 166886));
}

/* The first event after `i` that counts; count at the end. */
static size_t next_event(const struct comb *c, size_t i)
{
	uint64_t last = c->of.t[i];

	do {
		i++;
	} while (i < c->of.count && c->of.t[i] - last < c->dead);
	return i;
}

static uint64_t turn_of(const struct comb *c, size_t i)
{
	return (c->of.t[i] - c->of.t[0]) * c->rate;
}

/* How far the phase of the events moves on from one block to the next, turns in 2^-32. */
static int32_t advance(const struct comb *c, uint64_t block)
{
	struct vector sum = { 0, 0 }, before = { 0, 0 }, now = { 0, 0 };
	uint64_t number = 0;

	for (size_t i = 0; i < c->of.count; i = next_event(c, i)) {
		uint64_t at = (c->of.t[i] - c->of.t[0]) / block;

		if (at != number) {
			add_between(&sum, before, now);
			before = at == number + 1 ? now : (struct vector){ 0, 0 };
			now = (struct vector){ 0, 0 };
			number = at;
		}
		add_turn(&now, turn_of(c, i));
	}
	add_between(&sum, before, now);
	return angle(sum);
}

/*
 * Phases that advance mean that the comb turns faster than the events do. A last
 * pass compares the two halves of the whole time.
 */
static void tune(struct comb *c, uint64_t period)
{
	uint64_t half = c->span / 2 + 1;

	for (uint64_t block = BLOCK_PERIODS * period; block < half; block *= BLOCK_GROWTH) {
		c->rate -= (uint64_t)(advance(c, block) * (INT64_C(1) << 32) / (int64_t)block);
		if (block > half / BLOCK_GROWTH)
			break;
	}
	c->rate -= (uint64_t)(advance(c, half) * (INT64_C(1) << 32) / (int64_t)half);
}

/* Events within 1/8 turn of the phase, of all that count. */
static uint64_t near_phase(const struct comb *c, uint64_t phase)
{
	uint64_t near = 0;

	for (size_t i = 0; i < c->of.count; i = next_event(c, i)) {
		if (turn_of(c, i) - phase + (UINT64_C(1) << 61) < UINT64_C(1) << 62)
			near++;
	}
	return near;
}

/*
 * Whether the sum comes from one event per slot: as long as enough slots are
 * hit, and no longer than all slots and chance (3 sigma, sqrt(n/2) each) make it;
 * and where it points there are more events than the quarter that chance puts
 * there, by most of its length.
 */
static bool is_train(const struct comb *c, const struct rayleigh *r, uint64_t events,
		     uint64_t phase)
{
	uint64_t most = r->slots + r->slots / 4 + chance_root(events * 9 / 2);

	return r->slots >= TRAIN_HITS_MIN && r->length <= most &&
	       r->length * 1000000 >= r->slots * TRAIN_FILL_MIN &&
	       near_phase(c, phase) * 8 >= events * 2 + r->length * 5;
}

static uint64_t squared(struct vector v)
{
	return (uint64_t)(v.x * v.x + v.y * v.y) / (UNIT * UNIT);
}

/* Sums over the windows between the first and the last event. */
struct rhythm {
	uint64_t windows;
	struct vector starts;  /* of their starts ... */
	struct vector doubled; /* ... and of twice the phase of those */
};

static bool several_windows(const struct comb *c, size_t *first, size_t *last)
{
	if (!exposure_known(c->of.watched))
		return false;
	*first = exposure_window_of(c->of.watched, c->of.t[0]);
	*last = exposure_window_of(c->of.watched, c->of.t[c->of.count - 1]);
	return *last > *first;
}

static uint64_t turn_of_window(const struct comb *c, size_t n)
{
	return (c->of.watched->window[n].start - c->of.t[0]) * c->rate;
}

static void sum_windows(const struct comb *c, size_t first, size_t last, struct rhythm *m)
{
	for (size_t n = first; n <= last; n++) {
		uint64_t turn = turn_of_window(c, n);

		add_turn(&m->starts, turn);
		add_turn(&m->doubled, 2 * turn);
		m->windows++;
	}
}

/* Events by how far into their window they came. */
static struct vector sum_moments(const struct comb *c)
{
	struct vector sum = { 0, 0 };

	for (size_t i = 0; i < c->of.count; i = next_event(c, i))
		add_turn(&sum, turn_of(c, i) - turn_of_window(c, exposure_window_of(c->of.watched,
										    c->of.t[i])));
	return sum;
}

/* What is left of a sum of events that came in windows. */
struct rest {
	struct vector sum;
	uint64_t kept;   /* thousandths: of a train's length, what the subtraction left */
	uint64_t spread; /* thousandths: twice the variance along its widest axis, per event */
};

/*
 * Were moments and windows unrelated, the sum would be that over the moments times
 * the mean over the windows. A train's own sum loses the square of that mean.
 */
static struct rest without_rhythm(const struct comb *c, struct vector sum)
{
	struct rest rest = { sum, 1000, 1000 };
	struct rhythm m = { 0 };
	struct vector moments;
	size_t first, last;
	int64_t scale;
	uint64_t in_step;

	if (!several_windows(c, &first, &last))
		return rest;
	sum_windows(c, first, last, &m);
	moments = sum_moments(c);
	scale = (int64_t)m.windows * UNIT;
	rest.sum.x -= (moments.x * m.starts.x - moments.y * m.starts.y) / scale;
	rest.sum.y -= (moments.x * m.starts.y + moments.y * m.starts.x) / scale;
	in_step = squared(m.starts) * 1000 / (m.windows * m.windows);
	rest.kept = in_step < 1000 ? 1000 - in_step : 0;
	rest.spread += chance_root(squared(m.doubled)) * 1000 / m.windows;
	return rest;
}

static void sum_up(const struct comb *c, struct rayleigh *r)
{
	struct vector sum = { 0, 0 };
	uint64_t events = 0, phase;
	struct rest rest;

	for (size_t i = 0; i < c->of.count; i = next_event(c, i)) {
		add_turn(&sum, turn_of(c, i));
		events++;
	}
	rest = without_rhythm(c, sum);
	if (rest.kept < 1000 - IN_STEP_MAX)
		return;
	phase = (uint64_t)(uint32_t)angle(rest.sum) << 32;
	r->length = chance_root(squared(rest.sum)) * 1000 / rest.kept;
	/* 20 bits of the phase, so that a period of 42 fits beside them. */
	r->start = c->of.t[0] + ((phase >> 44) * r->period >> 20);
	if (is_train(c, r, events, phase))
		r->chance = -(int64_t)(squared(rest.sum) * 1000 / rest.spread / events) * LOG10_E /
			    LOG10_E_DIV;
}

void rayleigh_test(const struct event_series *s, uint64_t period, uint64_t slack,
		   struct rayleigh *result)
{
	struct comb c = {
		.of = *s,
		.dead = period / DEAD_PART,
	};
	uint64_t tuned;

	*result = (struct rayleigh){ .period = period };
	if (!s->count)
		return;
	c.span = s->t[s->count - 1] - s->t[0];
	c.rate = UINT64_MAX / period;
	tune(&c, period);
	tuned = UINT64_MAX / c.rate;
	if (tuned > period + slack || tuned < period - slack)
		c.rate = UINT64_MAX / period;
	else
		result->period = tuned;
	result->slots = exposure_between(s->watched, s->t[0], s->t[s->count - 1]) / result->period +
			1;
	sum_up(&c, result);
}
