/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches for sources in rounds: make the histogram of the differences between events, follow a
 * train for each peak and its fractions, and remove the best train.
 */
#include "sources.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/events/chance.h"
#include "core/events/train.h"
#include "core/gaps/hist.h"
#include "core/lib/arith.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of later events that each event is compared with. It grows while pairs are few. */
#define NEIGHBOURS_MIN 64
#define PAIRS_MAX      (UINT64_C(1) << 22)

/* The square of the 2.5 sigma by which a peak has to stand out. */
#define PEAK_SIGMA_SQUARED 6.25
#define PEAKS_MAX          24

/* A peak at 2, 3 ... periods of a train is as high as the one at 1. */
#define FRACTIONS_MAX 5

/* ln(10), times 10. */
#define LN_10_TENTHS 23

/* Differences collected around one peak. */
#define DIFFERENCES_MAX 65536

/* Widths of the window over the differences of a peak, as fractions of the period. */
static const unsigned window_parts[] = { 1000, 150, 30 };
#define WINDOWS (sizeof(window_parts) / sizeof(window_parts[0]))

struct peak {
	uint64_t low, high; /* ns */
	double sigma_squared;
};

struct blind {
	struct event_series of;
	uint64_t grid; /* ns: at whose multiples all events come; 0: none */
	size_t neighbours;
	uint64_t longest; /* ns: the longest period there can be */
	struct hist pairs;
	struct hist reach; /* events by how far they are compared */
	double expected[HIST_BUCKETS];
	struct peak peak[PEAKS_MAX];
	size_t peaks;
	uint64_t difference[DIFFERENCES_MAX];
};

static ORDER_NUMBERS(by_time, uint64_t);

static uint64_t span_of(const struct blind *b)
{
	return b->of.count ? b->of.t[b->of.count - 1] - b->of.t[0] : 0;
}

static void set_limits(struct blind *b)
{
	uint64_t share = b->of.count ? PAIRS_MAX / b->of.count : 0;
	uint64_t longest = span_of(b) / (TRAIN_HITS_MIN - 1);

	b->neighbours = arith_max(share, NEIGHBOURS_MIN);
	b->longest = arith_min(longest, TRAIN_PERIOD_MAX);
}

/* The largest difference up to which event `i` is compared with later ones. */
static uint64_t reach_of(const struct blind *b, size_t i)
{
	return arith_min(b->of.t[arith_min(i + b->neighbours, b->of.count - 1)] - b->of.t[i],
			 b->longest);
}

static void count_pairs(struct blind *b)
{
	memset(&b->pairs, 0, sizeof(b->pairs));
	memset(&b->reach, 0, sizeof(b->reach));
	for (size_t i = 0; i < b->of.count; i++) {
		uint64_t reach = reach_of(b, i);

		b->reach.count[hist_bucket(reach)]++;
		for (size_t j = i + 1; j < b->of.count && j - i <= b->neighbours; j++) {
			if (b->of.t[j] - b->of.t[i] > reach)
				break;
			b->pairs.count[hist_bucket(b->of.t[j] - b->of.t[i])]++;
		}
	}
}

/* Pairs expected of unrelated events: those compared that far, times rate and width. */
static void expect_pairs(struct blind *b)
{
	double rate = (double)b->of.count / (double)span_of(b);
	uint64_t compared = 0;

	for (size_t k = HIST_BUCKETS - 1; k-- > 0;) {
		compared += b->reach.count[k];
		b->expected[k] = (double)compared * rate * (double)(hist_low(k + 1) - hist_low(k));
	}
}

/* Square of the excess of bucket `k` over its expectation, in sigma; 0 below. */
static double above(const struct blind *b, size_t k)
{
	double pairs = (double)b->pairs.count[k], expected = b->expected[k];

	if (pairs <= expected)
		return 0;
	return (pairs - expected) * (pairs - expected) / (expected > 1 ? expected : 1);
}

/* Keep the highest peaks, in falling order. */
static void keep_peak(struct blind *b, const struct peak *peak)
{
	size_t at = b->peaks;

	while (at && b->peak[at - 1].sigma_squared < peak->sigma_squared)
		at--;
	if (at == PEAKS_MAX)
		return;
	b->peaks -= b->peaks == PEAKS_MAX;
	memmove(&b->peak[at + 1], &b->peak[at], (b->peaks - at) * sizeof(*peak));
	b->peak[at] = *peak;
	b->peaks++;
}

static void find_peaks(struct blind *b)
{
	size_t last = hist_bucket(b->longest);

	b->peaks = 0;
	for (size_t k = hist_bucket(TRAIN_PERIOD_MIN); k <= last; k++) {
		struct peak peak = {
			.low = hist_low(k),
			.high = hist_low(k + 1),
			.sigma_squared = above(b, k),
		};

		if (peak.sigma_squared > PEAK_SIGMA_SQUARED &&
		    peak.sigma_squared >= above(b, k - 1) && peak.sigma_squared >= above(b, k + 1))
			keep_peak(b, &peak);
	}
}

/* The differences within a peak and close to it, sorted. Returns their number. */
static size_t blind_collect(struct blind *b, const struct peak *peak)
{
	uint64_t low = peak->low - peak->low / 100, high = peak->high + peak->high / 100;
	size_t from = 0, n = 0;

	for (size_t i = 0; i < b->of.count && n < DIFFERENCES_MAX; i++) {
		while (from < b->of.count && b->of.t[from] - b->of.t[i] < low)
			from++;
		for (size_t j = from; j < b->of.count && j - i <= b->neighbours; j++) {
			uint64_t difference = b->of.t[j] - b->of.t[i];

			if (difference > high || n == DIFFERENCES_MAX)
				break;
			b->difference[n++] = difference;
		}
	}
	qsort(b->difference, n, sizeof(b->difference[0]), by_time);
	return n;
}

/* Mean of the differences in the densest window of that width, of `n` sorted ones. */
static uint64_t densest(const struct blind *b, size_t n, uint64_t width)
{
	size_t from = 0, best_from = 0, best = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		while (b->difference[i] - b->difference[from] > width)
			from++;
		if (i + 1 - from > best) {
			best = i + 1 - from;
			best_from = from;
		}
	}
	for (size_t i = best_from; i < best_from + best; i++)
		sum += (double)(b->difference[i] - b->difference[best_from]);
	return b->difference[best_from] + (uint64_t)(sum / (double)best);
}

/*
 * Try trains with this period and its fractions. The period was chosen from the whole range of
 * periods, so the band is ln(longest / shortest) times the period wide.
 */
static void try_period(const struct blind *b, uint64_t period, struct train *best)
{
	uint64_t thousandths = (uint64_t)(chance_log10(b->longest) -
					  chance_log10(TRAIN_PERIOD_MIN));
	struct train train;

	for (unsigned part = 1; part <= FRACTIONS_MAX; part++) {
		uint64_t fraction = period / part;
		struct train_choice choice = {
			.period = fraction,
			.spread = fraction / 1000 * thousandths * LN_10_TENTHS / 10,
			.others = 1,
			.grid = b->grid,
			.beat = best->chance,
		};

		if (fraction < TRAIN_PERIOD_MIN || fraction > TRAIN_PERIOD_MAX)
			continue;
		if (train_search(&b->of, &choice, &train))
			*best = train;
	}
}

static void try_peak(struct blind *b, const struct peak *peak, struct train *best)
{
	size_t n = blind_collect(b, peak);
	uint64_t tried = 0;

	for (size_t i = 0; n && i < WINDOWS; i++) {
		uint64_t period = densest(b, n, peak->low / window_parts[i]);

		if (period != tried)
			try_period(b, period, best);
		tried = period;
	}
}

/* The train with the most evidence among the events that are left. */
static bool best_train(struct blind *b, struct train *best)
{
	best->chance = PERIOD_CHANCE_MAX;
	set_limits(b);
	if (b->of.count < TRAIN_HITS_MIN || b->longest <= TRAIN_PERIOD_MIN)
		return false;
	count_pairs(b);
	expect_pairs(b);
	find_peaks(b);
	for (size_t i = 0; i < b->peaks; i++)
		try_peak(b, &b->peak[i], best);
	if (best->chance == PERIOD_CHANCE_MAX)
		return false;
	train_widen(&b->of, best);
	return true;
}

void sources_blind(const struct event_series *s, const struct period_context *of,
		   struct period_list *found)
{
	struct blind *b = memory_new(1, sizeof(*b));
	struct event_series *events = &b->of;
	uint64_t *copy = memory_copy(s->t, s->count, sizeof(*s->t));
	struct train best;
	size_t searched;

	*events = (struct event_series){ copy, s->count, s->watched };
	period_order(events);
	found->count = 0;
	searched = events->count;
	b->grid = period_grid(events, of).period;
	for (unsigned round = 0; round < 2 * PERIOD_SOURCES_MAX && best_train(b, &best); round++) {
		period_add(found, &best, of);
		train_remove(events, &best.course);
	}
	period_search(events, of, found);
	found->searched = searched;
	free(copy);
	free(b);
}
