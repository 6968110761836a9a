/* SPDX-License-Identifier: BSD-2-Clause */
/* Following a train of events with a g-h filter in fixed point. */
#include "train.h"

#include "chance.h"

#include "core/lib/arith.h"

/* Periods are carried in 2^-12 ns, gains in 2^-16. */
#define FINE_BITS 12
#define GAIN_ONE  (INT64_C(1) << 16)

/*
 * A train is given up when it has more than this many slots for its hits: it has missed too many.
 * A real one, which fills 70 % of its slots, is given up by chance once in 2,500 times. Of many
 * slots a share that is less than TRAIN_FILL_MIN is known better: one that fills half of them ends
 * after 900, one that fills 60 % never.
 */
#define GIVEN_UP(hits, slots) ((slots) > 5 * (hits) / 2 + 6 || (slots) > 9 * (hits) / 5 + 90)

/*
 * So many slots missed in a row end a train; those between windows do not count. A rearmed one
 * begins again instead, since its phase is lost with the first slot missed.
 */
#define MISSED_MAX     64
#define MISSED_REARMED 2

/*
 * Longest time between windows, ns, over which a train is continued: in 2^-12 ns, as periods are
 * counted, it fits 64 bits.
 */
#define PAUSE_MAX (UINT64_C(1) << 50)

/* A period may drift so far from where it began: 1 part in this. */
#define DRIFT_PART 8

/*
 * Memory of the filter in hits. A steady train keeps its phase, so that position and period are
 * averaged over many; a rearmed one continues from its last event. The period that the search
 * begins with is known about as well as from so many hits (MEMORY_PRIOR).
 */
#define MEMORY_STEADY 64
#define MEMORY_PRIOR  3
#define GAIN_REARMED  (GAIN_ONE / 2)
#define DRIFT_REARMED (GAIN_ONE / 64)

/*
 * Reaches to try: 1 part in this of the period. The fewer events chance alone puts within reach,
 * the more a train shows: so the narrowest reach that holds it is the best.
 */
static const uint16_t reach_parts[] = { 2048, 1024, 512, 256, 128, 64, 32, 16, 8 };
#define REACHES    (sizeof(reach_parts) / sizeof(reach_parts[0]))
#define REACH_WIDE 8

/* The events of a train lie within so many times its jitter, up to the widest reach. */
#define WIDE_JITTERS 4

/* A reach below this would be finer than the times are. */
#define REACH_MIN UINT64_C(1000)

/* The train is looked for from the events of the first periods, at most so many. */
#define SEED_PERIODS 8
#define SEEDS_MAX    64
/* Of seeds that belong to one train, so many are compared. */
#define SEEDS_GOOD 3

/*
 * Of a train's hits so many are looked for in so many other windows each. With
 * fewer windows than a train has hits they cannot make one.
 */
#define TWINS_HITS    256
#define TWINS_WINDOWS 8

struct follower {
	struct event_series of;
	size_t next;   /* first event not yet passed */
	size_t window; /* number of that which the last slot was seen in */
	const struct train_course *course;
	uint64_t at;     /* ns: the last slot that was hit, as filtered */
	uint64_t period; /* 2^-12 ns */
	uint64_t passed; /* slots since then ... */
	uint64_t missed; /* ... and how many of them could be seen */
	uint64_t hits, slots;
	uint64_t number;  /* of the next slot, from 0, those in pauses counted */
	size_t hit;       /* index of the event that hit the slot ... */
	int64_t distance; /* ... and its distance from it, ns */
};

enum slot { SLOT_HIT, SLOT_MISSED, SLOT_PAUSE, SLOT_END };

static void follower_start(struct follower *f, const struct event_series *s,
			   const struct train_course *course)
{
	*f = (struct follower){
		.of = *s,
		.course = course,
		.at = course->start,
		.period = course->period << FINE_BITS,
	};
}

/* The event nearest to `due` and within reach. */
static bool nearest(struct follower *f, uint64_t due)
{
	uint64_t reach = f->course->reach;
	uint64_t low = due > reach ? due - reach : 0;
	uint64_t best = UINT64_MAX;

	/* follower_step() saw to it that the last event is not before `due`: this ends. */
	while (f->of.t[f->next] < low)
		f->next++;
	for (size_t i = f->next; i < f->of.count; i++) {
		uint64_t away = arith_apart(f->of.t[i], due);

		/* Times rise: once an event is farther away than the one before, all are. */
		if (away > reach || away >= best)
			break;
		best = away;
		f->hit = i;
	}
	if (best == UINT64_MAX)
		return false;
	f->distance = (int64_t)(f->of.t[f->hit] - due);
	return true;
}

static uint64_t within(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

/*
 * Gains of a filter that has seen m + 1 points: 2(2m+1)/((m+1)(m+2)) for the
 * position and 6/((m+1)(m+2)) for the period make it the least-squares line
 * (Brookner, Tracking and Kalman Filtering Made Easy, 1998, growing memory).
 */
#define GAIN(m)  (2 * (2 * (m) + 1) * GAIN_ONE / (((m) + 1) * ((m) + 2)))
#define DRIFT(m) (6 * GAIN_ONE / (((m) + 1) * ((m) + 2)))

static void correct(struct follower *f, uint64_t due)
{
	uint64_t fine = f->course->period << FINE_BITS;
	int64_t seen = (int64_t)f->hits + MEMORY_PRIOR;
	bool steady = seen >= MEMORY_STEADY; /* mostly: nothing is divided then */
	int64_t gain = steady ? GAIN(MEMORY_STEADY) : GAIN(seen);
	int64_t drift = steady ? DRIFT(MEMORY_STEADY) : DRIFT(seen);
	int64_t steps = (int64_t)f->passed + 1;
	int64_t change;

	if (f->course->rearmed) {
		gain = GAIN_REARMED;
		drift = DRIFT_REARMED;
	}
	f->at = due + (uint64_t)(f->distance * gain / GAIN_ONE);
	change = f->distance * drift / (GAIN_ONE >> FINE_BITS);
	f->period += (uint64_t)(steps == 1 ? change : change / steps);
	f->period = within(f->period, fine - fine / DRIFT_PART, fine + fine / DRIFT_PART);
}

/*
 * A rearmed timer that came too late to be in reach stays out of it. Begin again
 * at the next event, which is no hit: nothing predicted it.
 */
static void begin_again(struct follower *f, uint64_t due)
{
	uint64_t period = f->period >> FINE_BITS;

	f->at = f->of.t[f->next++];
	f->number += (f->at - due + period / 2) / period;
	f->slots += (exposure_between(f->of.watched, due, f->at) + period / 2) / period;
	f->passed = f->missed = 0;
}

static void miss(struct follower *f, uint64_t due)
{
	f->passed++;
	f->number++;
	f->missed++;
	f->slots++;
	if (f->course->rearmed && f->hits && f->missed == MISSED_REARMED)
		begin_again(f, due);
}

/*
 * The slot could not be seen. A steady train is continued at its first slot in
 * a window; the phase of a rearmed one is not known any more.
 */
static enum slot pause(struct follower *f, uint64_t due)
{
	uint64_t next = exposure_next(f->of.watched, due);
	uint64_t period = f->period >> FINE_BITS;
	uint64_t steps;

	if (next == UINT64_MAX || next - f->at > PAUSE_MAX)
		return SLOT_END;
	if (f->course->rearmed && f->hits) {
		begin_again(f, due);
		return SLOT_PAUSE;
	}
	steps = (next - f->course->reach - due - 1) / period + 1;
	f->passed += steps;
	f->number += steps;
	return SLOT_PAUSE;
}

/* Is any of the slot's reach within a window? */
static bool visible(struct follower *f, uint64_t due)
{
	uint64_t reach = f->course->reach;
	uint64_t from = due > reach ? due - reach : 0, to = due + reach;
	const struct exposure *e = f->of.watched;

	if (!exposure_known(e))
		return true;
	/* Most slots are in the window of the one before: that is not looked up again. */
	if (e->window[f->window].start <= from && to <= e->window[f->window].end)
		return true;
	f->window = exposure_window_of(e, to);
	return exposure_meets(e, from, to);
}

static void hit(struct follower *f, uint64_t due)
{
	if (f->hits)
		correct(f, due);
	else
		f->at = f->of.t[f->hit];
	f->hits++;
	f->slots++;
	f->number++;
	f->passed = f->missed = 0;
	f->next = f->hit + 1;
}

/* Go to the next slot. */
static enum slot follower_step(struct follower *f)
{
	/* Until there is a hit, `at` is the start, which is itself the first slot. */
	uint64_t steps = f->passed + (f->hits > 0);
	uint64_t due = f->at + (f->period * steps >> FINE_BITS);

	if (f->next == f->of.count || due < f->at || due > f->of.t[f->of.count - 1] ||
	    f->missed == MISSED_MAX)
		return SLOT_END;
	if (nearest(f, due)) {
		hit(f, due);
		return SLOT_HIT;
	}
	if (!visible(f, due))
		return pause(f, due);
	miss(f, due);
	return SLOT_MISSED;
}

/* Sums over the hits of a train. */
struct tally {
	uint64_t hits;
	uint64_t first, last;           /* ns */
	uint64_t first_slot, last_slot; /* their numbers */
	uint64_t squares;
	unsigned shift; /* distances are squared in units of 2^shift ns */
};

static void tally_hit(struct tally *y, const struct follower *f)
{
	uint64_t away = (uint64_t)(f->distance < 0 ? -f->distance : f->distance) >> y->shift;

	if (!y->hits) {
		y->first = f->of.t[f->hit];
		y->first_slot = f->number;
	} else {
		/* The first one is where the train was put. */
		y->squares += away * away;
	}
	y->last = f->of.t[f->hit];
	y->last_slot = f->number;
	y->hits++;
}

/* False as soon as the train is too thin to become one. */
static bool tally_all(struct follower *f, struct tally *y)
{
	enum slot slot;

	while ((slot = follower_step(f)) != SLOT_END) {
		if (slot == SLOT_HIT)
			tally_hit(y, f);
		if (GIVEN_UP(y->hits, f->slots))
			return false;
	}
	return y->hits >= TRAIN_HITS_MIN;
}

static unsigned square_shift(uint64_t reach)
{
	unsigned shift = 0;

	/* 2^17 squares of 23 bits fit 64 bits. */
	while (reach >> shift >> 23)
		shift++;
	return shift;
}

/* The chance that unrelated events hit a slot. */
static uint64_t share_hit(const struct event_series *s, const struct train_course *course)
{
	uint64_t width = 2 * course->reach, grid = course->grid;

	if (grid)
		width = (width / grid + 1) * grid;
	return chance_share(width * s->count,
			    exposure_between(s->watched, s->t[0], s->t[s->count - 1]));
}

/* The chance of so many hits, if unrelated events hit each slot with that probability. */
static int64_t chance_of_train(const struct train *train, uint64_t share)
{
	/* The first hit is where the train was put. */
	return chance_of_hits(train->hits - 1, train->slots - 1, share);
}

bool train_follow(const struct event_series *s, const struct train_course *course,
		  struct train *found)
{
	struct tally y = { .shift = square_shift(course->reach) };
	struct follower f;

	if (!s->count)
		return false;
	follower_start(&f, s, course);
	if (!tally_all(&f, &y))
		return false;
	*found = (struct train){ .course = *course, .hits = y.hits, .slots = f.slots };
	if (train_fill(found) < TRAIN_FILL_MIN)
		return false;
	found->period = (y.last - y.first) / (y.last_slot - y.first_slot);
	found->jitter = chance_root(y.squares / (y.hits - 1)) << y.shift;
	found->chance = chance_of_train(found, share_hit(s, course));
	return true;
}

/* From the n-th event on. */
static struct event_series series_from(const struct event_series *s, size_t n)
{
	return (struct event_series){ s->t + n, s->count - n, s->watched };
}

static size_t seeds(const struct event_series *s, uint64_t period)
{
	size_t n = 0;

	while (n < s->count && n < SEEDS_MAX && s->t[n] - s->t[0] < SEED_PERIODS * period)
		n++;
	return n;
}

/* The chance of a course, were every slot hit and the period as short as it may become. */
static int64_t best_chance(const struct event_series *s, const struct train_course *course)
{
	uint64_t period = course->period - course->period / DRIFT_PART;
	uint64_t slots = (s->t[s->count - 1] - s->t[0]) / period + 1;

	if (slots > s->count)
		slots = s->count;
	return chance_of_hits(slots, slots, share_hit(s, course));
}

/* Is there an event from `low` to `high`? */
static bool any_between(const struct event_series *s, uint64_t low, uint64_t high)
{
	size_t from = 0, to = s->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->t[middle] < low)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->count && s->t[from] <= high;
}

/* Moments of other windows: how many were looked at, how many have an event. */
struct twins {
	uint64_t tried, found;
	uint32_t random;
};

/*
 * Windows at random distances: at regular ones a train with a multiple of their
 * period would be in phase with them.
 */
static size_t other_window(struct twins *w, size_t own, size_t windows)
{
	/* Numerical Recipes, 7.1: an even generator, good enough for this. */
	w->random = w->random * 1664525u + 1013904223u;
	return (own + 1 + (w->random >> 8) % (windows - 1)) % windows;
}

/*
 * At the moment of the slot that was hit, by the window its event lies in. Not of
 * the event: those of other windows lie about the slot too.
 */
static void look_for_twins(struct twins *w, const struct follower *f)
{
	const struct exposure *e = f->of.watched;
	uint64_t reach = f->course->reach;
	uint64_t slot = f->of.t[f->hit] - (uint64_t)f->distance;
	size_t own = exposure_window_of(e, f->of.t[f->hit]);

	for (unsigned i = 0; i < TWINS_WINDOWS; i++) {
		const struct exposure_window *other = &e->window[other_window(w, own, e->count)];
		/* Wraps where the slot is before its window, and comes right again. */
		uint64_t moment = other->start + (slot - e->window[own].start);
		uint64_t low = moment > reach ? moment - reach : 0;

		if (low > other->end)
			continue;
		w->tried++;
		w->found += any_between(&f->of, low, moment + reach);
	}
}

/*
 * The chance of a train whose events may be in phase with the windows: the probe's
 * own rhythm, in which for instance the first moments of each may be noisy.
 */
static int64_t chance_in_step(const struct event_series *s, const struct train *train)
{
	uint64_t every = train->hits / TWINS_HITS + 1, n = 0;
	struct twins twins = { 0 };
	struct follower f;
	enum slot slot;

	if (!exposure_known(s->watched) || s->watched->count < TRAIN_HITS_MIN)
		return train->chance;
	follower_start(&f, s, &train->course);
	while ((slot = follower_step(&f)) != SLOT_END) {
		if (slot == SLOT_HIT && n++ % every == 0)
			look_for_twins(&twins, &f);
	}
	return twins.found ? chance_of_train(train, chance_share(twins.found, twins.tried))
			   : train->chance;
}

/* Take a train for the best so far when even in phase with the windows it is less likely. */
static bool take_better(const struct event_series *s, int64_t tries, struct train *train,
			struct train *found)
{
	int64_t in_step;

	if (train->chance + tries >= found->chance)
		return false;
	in_step = chance_in_step(s, train);
	if (in_step > train->chance)
		train->chance = in_step;
	train->chance += tries;
	if (train->chance >= found->chance)
		return false;
	*found = *train;
	return true;
}

/* The best train that starts at one of the seeds; `found` holds the best so far. */
static bool search_seeds(const struct event_series *s, struct train_course *course, int64_t tries,
			 struct train *found)
{
	size_t from = seeds(s, course->period);
	unsigned good = 0;
	bool better = false;
	struct train train;

	tries += chance_log10(from);
	for (size_t i = 0; i < from && good < SEEDS_GOOD; i++) {
		const struct event_series rest = series_from(s, i);

		course->start = rest.t[0];
		if (best_chance(&rest, course) + tries >= found->chance ||
		    !train_follow(&rest, course, &train))
			continue;
		good++;
		if (take_better(&rest, tries, &train, found))
			better = true;
	}
	return better;
}

bool train_search(const struct event_series *s, const struct train_choice *choice,
		  struct train *found)
{
	bool any = false;

	*found = (struct train){ .chance = choice->beat };
	for (size_t i = 0; i < 2 * REACHES; i++) {
		uint64_t reach = choice->period / reach_parts[i / 2];
		struct train_course course = {
			.period = choice->period,
			.reach = reach < REACH_MIN ? REACH_MIN : reach,
			.grid = choice->grid,
			.rearmed = i % 2,
		};
		uint64_t bands = choice->spread / (2 * course.reach) + 1;
		int64_t tries = chance_log10(bands) + chance_log10(choice->others) +
				chance_log10(2 * REACHES);

		if (search_seeds(s, &course, tries, found))
			any = true;
	}
	return any;
}

void train_widen(const struct event_series *s, struct train *train)
{
	struct train_course wide = train->course;
	uint64_t widest = wide.period / REACH_WIDE;
	uint64_t wanted = train->jitter * WIDE_JITTERS;
	int64_t chance = train->chance;
	struct event_series rest;
	struct train all;
	size_t from = 0;

	if (wanted > widest)
		wanted = widest;
	if (wanted <= wide.reach)
		return;
	wide.reach = wanted;
	while (from < s->count && s->t[from] + wide.reach < wide.start)
		from++;
	rest = series_from(s, from);
	if (train_follow(&rest, &wide, &all)) {
		*train = all;
		train->chance = chance;
	}
}

void train_remove(struct event_series *s, const struct train_course *course)
{
	size_t kept = 0, passed = 0;
	struct follower f;
	enum slot slot;

	if (!s->count)
		return;
	follower_start(&f, s, course);
	while ((slot = follower_step(&f)) != SLOT_END) {
		if (slot != SLOT_HIT)
			continue;
		while (passed < f.hit)
			s->t[kept++] = s->t[passed++];
		passed++;
	}
	while (passed < s->count)
		s->t[kept++] = s->t[passed++];
	s->count = kept;
}

uint32_t train_fill(const struct train *train)
{
	return (uint32_t)(train->hits * 1000000 / train->slots);
}
