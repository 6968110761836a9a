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
	size_t next; /* first event not yet passed */
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

static struct follower follower_of(const struct event_series *s, const struct train_course *course)
{
	return (struct follower){
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
	size_t i;

	/* This ends: follower_hit() has checked that the last event is not before `due`. */
	while (f->of.t[f->next] < low)
		f->next++;
	/* Times rise: once the next event is not nearer, no later one is. */
	for (i = f->next; i + 1 < f->of.count; i++)
		if (arith_apart(f->of.t[i + 1], due) >= arith_apart(f->of.t[i], due))
			break;
	if (arith_apart(f->of.t[i], due) > reach)
		return false;
	f->hit = i;
	f->distance = (int64_t)(f->of.t[i] - due);
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
	int64_t seen = (int64_t)arith_min(f->hits + MEMORY_PRIOR, MEMORY_STEADY);
	int64_t gain = f->course->rearmed ? GAIN_REARMED : GAIN(seen);
	int64_t drift = f->course->rearmed ? DRIFT_REARMED : DRIFT(seen);
	int64_t steps = (int64_t)f->passed + 1;

	f->at = due + (uint64_t)(f->distance * gain / GAIN_ONE);
	f->period += (uint64_t)(f->distance * drift / (GAIN_ONE >> FINE_BITS) / steps);
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
 * phase of a rearmed train is lost. Returns false if the train ends here.
 */
static bool pause(struct follower *f, uint64_t due)
{
	uint64_t next = exposure_next(f->of.watched, due);
	uint64_t steps;

	if (next == UINT64_MAX || next - f->at > PAUSE_MAX)
		return false;
	if (f->course->rearmed && f->hits) {
		begin_again(f, due);
		return true;
	}
	steps = (next - f->course->reach - due - 1) / (f->period >> FINE_BITS) + 1;
	f->passed += steps;
	f->number += steps;
	return true;
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

/* Go to the next slot that is hit. Returns false at the train's end, or when it is given up. */
static bool follower_hit(struct follower *f)
{
	while (!GIVEN_UP(f->hits, f->slots)) {
		/* Before the first hit, `at` is the start of the course: the first slot. */
		uint64_t steps = f->passed + (f->hits > 0), reach = f->course->reach;
		uint64_t due = f->at + (f->period * steps >> FINE_BITS);

		if (f->next == f->of.count || due > f->of.t[f->of.count - 1] ||
		    f->missed == MISSED_MAX)
			break;
		if (nearest(f, due)) {
			hit(f, due);
			return true;
		}
		/* A slot is visible if a part of its reach is within a window. */
		if (exposure_meets(f->of.watched, due > reach ? due - reach : 0, due + reach))
			miss(f, due);
		else if (!pause(f, due))
			break;
	}
	return false;
}

/* The unit, as a power of 2, in which 2^17 squares of distances up to `reach` fit 64 bits. */
static unsigned square_shift(uint64_t reach)
{
	unsigned shift = 0;

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
	struct follower f = follower_of(s, course);
	unsigned shift = square_shift(course->reach);
	uint64_t first = 0, first_slot = 0, last_slot = 0, squares = 0;

	while (follower_hit(&f)) {
		uint64_t away = (uint64_t)(f.distance < 0 ? -f.distance : f.distance) >> shift;

		last_slot = f.number;
		/* The first hit has no distance: it defines the train's position. */
		if (f.hits > 1) {
			squares += away * away;
		} else {
			first = f.of.t[f.hit];
			first_slot = last_slot;
		}
	}
	if (f.hits < TRAIN_HITS_MIN || GIVEN_UP(f.hits, f.slots))
		return false;
	*found = (struct train){
		.course = *course,
		.hits = f.hits,
		.slots = f.slots,
		.period = (f.of.t[f.hit] - first) / (last_slot - first_slot),
		.jitter = chance_root(squares / (f.hits - 1)) << shift,
	};
	found->chance = chance_of_train(found, share_hit(s, course));
	return train_fill(found) >= TRAIN_FILL_MIN;
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
	int64_t in_step = train->chance;
	struct twins twins = { 0 };
	struct follower f = follower_of(s, &train->course);

	if (!exposure_known(s->watched) || s->watched->count < TRAIN_HITS_MIN)
		return train->chance;
	while (follower_hit(&f)) {
		if (n++ % every == 0)
			look_for_twins(&twins, &f);
	}
	if (twins.found)
		in_step = chance_of_train(train, chance_share(twins.found, twins.tried));
	return in_step > train->chance ? in_step : train->chance;
}

/*
 * Find the best train that starts at a seed. `found` has the best so far, and is replaced by one
 * with more evidence, even if that one's events are in phase with the windows.
 */
static void search_seeds(const struct event_series *s, struct train_course *course, int64_t tries,
			 struct train *found)
{
	size_t from = seeds(s, course->period);
	unsigned good = 0;
	struct train train;

	tries += chance_log10(from);
	for (size_t i = 0; i < from && good < SEEDS_GOOD; i++) {
		const struct event_series rest = { s->t + i, s->count - i, s->watched };

		course->start = rest.t[0];
		if (best_chance(&rest, course) + tries >= found->chance ||
		    !train_follow(&rest, course, &train))
			continue;
		good++;
		if (train.chance + tries >= found->chance)
			continue;
		train.chance = tries + chance_in_step(&rest, &train);
		if (train.chance < found->chance)
			*found = train;
	}
}

bool train_search(const struct event_series *s, const struct train_choice *choice,
		  struct train *found)
{
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

		search_seeds(s, &course, tries, found);
	}
	return found->chance < choice->beat;
}

void train_widen(const struct event_series *s, struct train *train)
{
	struct train_course wide = train->course;
	struct train all;

	wide.reach = arith_min(train->jitter * WIDE_JITTERS, wide.period / REACH_WIDE);
	if (wide.reach <= train->course.reach || !train_follow(s, &wide, &all))
		return;
	all.chance = train->chance;
	*train = all;
}

void train_remove(struct event_series *s, const struct train_course *course)
{
	size_t kept = 0, passed = 0;
	struct follower f = follower_of(s, course);

	while (follower_hit(&f)) {
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
