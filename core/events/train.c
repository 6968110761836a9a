/* SPDX-License-Identifier: BSD-2-Clause */
/* Following a train of events with a g-h filter in fixed point. */
#include "train.h"

#include "chance.h"

#include "core/lib/arith.h"

/* Periods are carried in 2^-12 ns, gains in 2^-16. */
#define FINE_BITS 12
#define GAIN_ONE  (INT64_C(1) << 16)

/*
 * True if a train has missed too many slots to be followed any further. By chance, this happens to
 * one in 2,500 real trains that fill 70 % of their slots. The first condition is for few slots.
 * With many slots the fill is known better, and the second decides: a train that fills half of them
 * ends after 900 slots, one that fills 60 % never.
 */
#define GIVEN_UP(hits, slots) ((slots) > 5 * (hits) / 2 + 6 || (slots) > 9 * (hits) / 5 + 90)

/*
 * A train ends after MISSED_MAX consecutive misses; slots between windows are not misses. A rearmed
 * train starts over after MISSED_REARMED, since its phase is lost with the first miss.
 */
#define MISSED_MAX     64
#define MISSED_REARMED 2

/*
 * Longest time between windows, ns, over which a train is continued. In units of 2^-12 ns it fits
 * 64 bits.
 */
#define PAUSE_MAX (UINT64_C(1) << 50)

/* Largest drift of a period: 1 / DRIFT_PART of where it began. */
#define DRIFT_PART 8

/*
 * Memory of the filter, in hits. A steady train keeps its phase, so position and period are
 * averages over many hits; a rearmed train continues from its last event. The search's first
 * estimate of the period counts as MEMORY_PRIOR hits.
 */
#define MEMORY_STEADY 64
#define MEMORY_PRIOR  3
#define GAIN_REARMED  (GAIN_ONE / 2)
#define DRIFT_REARMED (GAIN_ONE / 64)

/*
 * Reaches to try, as divisors of the period. A narrow reach is hit less often by unrelated events,
 * so the narrowest reach that includes the train's events gives the most evidence.
 */
static const uint16_t reach_parts[] = { 2048, 1024, 512, 256, 128, 64, 32, 16, 8 };
#define REACHES    (sizeof(reach_parts) / sizeof(reach_parts[0]))
#define REACH_WIDE 8

/* train_widen(): reach in units of the jitter, up to 1 / REACH_WIDE of the period. */
#define WIDE_JITTERS 4

/* Shortest reach, ns: times are not known more precisely. */
#define REACH_MIN UINT64_C(1000)

/*
 * Seeds are the events of the first SEED_PERIODS periods, at most SEEDS_MAX: a train starts at one.
 */
#define SEED_PERIODS 8
#define SEEDS_MAX    64
/* Seeds compared per train, at most. */
#define SEEDS_GOOD 3

/*
 * At most TWINS_HITS hits of a train are looked for in TWINS_WINDOWS other windows each. Hits in
 * fewer windows than a train needs cannot make one.
 */
#define TWINS_HITS    256
#define TWINS_WINDOWS 8

struct follower {
	struct event_series of;
	size_t next;   /* first event not yet passed */
	size_t window; /* index of the last window in which a slot was visible */
	const struct train_course *course;
	uint64_t at;     /* ns: filtered time of the last slot that was hit */
	uint64_t period; /* 2^-12 ns */
	uint64_t passed; /* slots since then */
	uint64_t missed; /* passed slots that were visible */
	uint64_t hits, slots;
	uint64_t number;  /* number of the next slot, from 0, slots in pauses included */
	size_t hit;       /* index of the event that hit the last slot */
	int64_t distance; /* its distance from the slot, ns */
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

/* Find the event nearest to `due` and within reach. False if there is none. */
static bool nearest(struct follower *f, uint64_t due)
{
	uint64_t reach = f->course->reach;
	uint64_t low = due > reach ? due - reach : 0;
	uint64_t best = UINT64_MAX;

	/* This ends: follower_step() has checked that the last event is not before `due`. */
	while (f->of.t[f->next] < low)
		f->next++;
	for (size_t i = f->next; i < f->of.count; i++) {
		uint64_t away = arith_apart(f->of.t[i], due);

		/*
		 * Times rise: once an event is farther away than the one before, all later ones
		 * are.
		 */
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

/*
 * Gains after m + 1 points: with 2(2m+1)/((m+1)(m+2)) for the position and 6/((m+1)(m+2)) for the
 * period, the filter gives the least-squares line (Brookner, Tracking and Kalman Filtering Made
 * Easy, 1998, growing memory).
 */
#define GAIN(m)  (2 * (2 * (m) + 1) * GAIN_ONE / (((m) + 1) * ((m) + 2)))
#define DRIFT(m) (6 * GAIN_ONE / (((m) + 1) * ((m) + 2)))

static void correct(struct follower *f, uint64_t due)
{
	uint64_t fine = f->course->period << FINE_BITS;
	int64_t seen = (int64_t)f->hits + MEMORY_PRIOR;
	bool steady = seen >= MEMORY_STEADY; /* the common case, which avoids a division */
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
	f->period = arith_max(arith_min(f->period, fine + fine / DRIFT_PART),
			      fine - fine / DRIFT_PART);
}

/*
 * After a rearmed timer was too late for its reach, it remains out of reach. Begin again at the
 * next event, which does not count as a hit, since it was not predicted.
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
 * The slot is between windows. A steady train continues at its first slot in the next window; the
 * phase of a rearmed train is lost.
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

/* True if a part of the slot's reach is within a window. */
static bool visible(struct follower *f, uint64_t due)
{
	uint64_t reach = f->course->reach;
	uint64_t from = due > reach ? due - reach : 0, to = due + reach;
	const struct exposure *e = f->of.watched;

	if (!exposure_known(e))
		return true;
	/* Most slots are in the same window as the one before, which saves a look-up. */
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
	/* Before the first hit, `at` is the start of the course, which is the first slot itself. */
	uint64_t steps = f->passed + (f->hits > 0);
	uint64_t due = f->at + (f->period * steps >> FINE_BITS);

	if (f->next == f->of.count || due > f->of.t[f->of.count - 1] || f->missed == MISSED_MAX)
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
		/* The first hit has no distance: it defines the train's position. */
		y->squares += away * away;
	}
	y->last = f->of.t[f->hit];
	y->last_slot = f->number;
	y->hits++;
}

/* Follow a train to its end. Returns false when it is given up, or has too few hits. */
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

/* The probability that unrelated events hit a slot, in units of 1 / CHANCE_ONE. */
static uint64_t share_hit(const struct event_series *s, const struct train_course *course)
{
	uint64_t width = 2 * course->reach, grid = course->grid;

	if (grid)
		width = (width / grid + 1) * grid;
	return chance_share(width * s->count,
			    exposure_between(s->watched, s->t[0], s->t[s->count - 1]));
}

/* The probability of so many hits if unrelated events hit each slot with probability `share`. */
static int64_t chance_of_train(const struct train *train, uint64_t share)
{
	/* The first hit defines the train, so it does not count. */
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

/* The series from the n-th event on. */
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

/* The best chance that a course can have: every slot is hit, with the shortest possible period. */
static int64_t best_chance(const struct event_series *s, const struct train_course *course)
{
	uint64_t period = course->period - course->period / DRIFT_PART;
	uint64_t slots = (s->t[s->count - 1] - s->t[0]) / period + 1;

	if (slots > s->count)
		slots = s->count;
	return chance_of_hits(slots, slots, share_hit(s, course));
}

/* True if there is an event from `low` to `high`, both included. */
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

/* Twins of hits (train.h): moments of other windows that were examined, and those with an event. */
struct twins {
	uint64_t tried, found;
	uint32_t random;
};

/*
 * Choose another window at random. With windows at regular distances, a train whose period is a
 * multiple of the windows' would look as if it were in phase with them.
 */
static size_t other_window(struct twins *w, size_t own, size_t windows)
{
	/* Numerical Recipes, 7.1: an even generator, good enough for this. */
	w->random = w->random * 1664525u + 1013904223u;
	return (own + 1 + (w->random >> 8) % (windows - 1)) % windows;
}

/*
 * Look for twins of the last hit: events of other windows, at the same moment after the window's
 * start as the slot. The slot's time is used, not the event's, because twins are spread around it
 * as well.
 */
static void look_for_twins(struct twins *w, const struct follower *f)
{
	const struct exposure *e = f->of.watched;
	uint64_t reach = f->course->reach;
	uint64_t slot = f->of.t[f->hit] - (uint64_t)f->distance;
	size_t own = exposure_window_of(e, f->of.t[f->hit]);

	for (unsigned i = 0; i < TWINS_WINDOWS; i++) {
		const struct exposure_window *other = &e->window[other_window(w, own, e->count)];
		/*
		 * The difference wraps if the slot is before its window; the sum is right even so.
		 */
		uint64_t moment = other->start + (slot - e->window[own].start);
		uint64_t low = moment > reach ? moment - reach : 0;

		if (low > other->end)
			continue;
		w->tried++;
		w->found += any_between(&f->of, low, moment + reach);
	}
}

/*
 * The chance of a train if its events are only in phase with the windows: the beginning of each
 * window may be noisy, for instance, and windows are periodic. The share of twins takes the place
 * of the share of slots that unrelated events hit.
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

/*
 * Replace the best train so far if this one has more evidence, even if its events are in phase with
 * the windows.
 */
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

/*
 * Find the best train that starts at a seed. `found` has the best so far, and is replaced by a
 * better one. Returns true if it was.
 */
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
