/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dictionary test: try each known period, take out the best train, and repeat. The grid of a
 * kernel's ticks is looked for first.
 */
#include "period.h"

#include "chance.h"

#include "core/lib/arith.h"
#include "core/lib/sort.h"
#include "core/lib/ticks.h"

/* us */
#define MS 1000u
#define S  (1000 * MS)

/*
 * The timers of Intel's chipsets, and round numbers. A slack of 0 is 1 %.
 *
 * Intel I/O Controller Hub 9 (ICH9) Family Datasheet (316972), D31:F0: GEN_PMCON_3 SWSMI_RATE_SEL
 * is 1.5 ms +-0.6 ms, 16, 32 or 64 ms +-4 ms; GEN_PMCON_1 PER_SMI_SEL 64, 32, 16 or 8 s; TCO_TMR
 * counts ticks of 0.6 s, at least 2. Later chipsets have the same in PWRMBASE GEN_PMCON_A, with the
 * same tolerances (edk2-platforms, Silicon/Intel, PMC registers).
 */
struct known_period {
	const char *hint;
	uint32_t period_us;
	uint16_t slack_us;
	bool smi; /* a timer that raises SMIs */
};

/* clang-format off */
#define TCO(n) { "matches the TCO timer at " #n " ticks of 0.6 s", (n) * 600 * MS, 0, true }
#define ROUND(n, unit, text) { "matches a round " text, (n) * (unit), 0, false }
/* clang-format on */

static const struct known_period dictionary[] = {
	{ "matches the SWSMI timer's 1.5 ms", 1500, 600, true },
	{ "matches the SWSMI timer's 16 ms", 16 * MS, 4 * MS, true },
	{ "matches the SWSMI timer's 32 ms", 32 * MS, 4 * MS, true },
	{ "matches the SWSMI timer's 64 ms", 64 * MS, 4 * MS, true },
	{ "matches the periodic SMI timer's 8 s", 8 * S, 0, true },
	{ "matches the periodic SMI timer's 16 s", 16 * S, 0, true },
	{ "matches the periodic SMI timer's 32 s", 32 * S, 0, true },
	{ "matches the periodic SMI timer's 64 s", 64 * S, 0, true },
	TCO(2),
	TCO(3),
	TCO(4),
	TCO(5),
	TCO(6),
	TCO(7),
	TCO(8),
	TCO(9),
	TCO(10),
	TCO(11),
	TCO(12),
	TCO(13),
	TCO(14),
	TCO(15),
	TCO(16),
	TCO(17),
	TCO(18),
	TCO(19),
	TCO(20),
	{ "matches the PIT's 18.2 Hz", 54925, 0, false },
	ROUND(10, MS, "10 ms"),
	ROUND(100, MS, "100 ms"),
	ROUND(250, MS, "250 ms"),
	ROUND(500, MS, "500 ms"),
	ROUND(1, S, "second"),
	ROUND(1500, MS, "1.5 s"),
	ROUND(2, S, "2 s"),
	ROUND(5, S, "5 s"),
	ROUND(10, S, "10 s"),
	ROUND(30, S, "30 s"),
	ROUND(60, S, "minute"),
	ROUND(3600, S, "hour"),
};

#define DICTIONARY (sizeof(dictionary) / sizeof(dictionary[0]))

/* Buckets of the histogram of differences, over the slack of a period. */
#define STEPS 64

/* Largest number of later events compared with one event. */
#define NEIGHBOURS_MAX 64

/* A train that was found may be every n-th event of a faster train, up to this n. */
#define PARTS_MAX 64

struct search {
	struct event_series of; /* events that no source has taken */
	const struct period_context *context;
	size_t rows;     /* rows of the dictionary, plus one per timer */
	uint64_t grid;   /* ns: all events are at its multiples; 0: no grid */
	uint64_t period; /* period of the current row, ns */
	uint64_t slack;
};

static uint64_t one_percent(uint64_t ns)
{
	return ns / (1000000 / PERIOD_SAME_PPM);
}

static bool same_period(uint64_t a_ns, uint64_t b_ns)
{
	return arith_apart(a_ns, b_ns) <= one_percent(a_ns > b_ns ? a_ns : b_ns);
}

static uint64_t period_of(const struct known_period *known)
{
	return known->period_us * NS_PER_US;
}

/* The dictionary's row with exactly this period; NULL: none. */
static const struct known_period *known_period(uint64_t period)
{
	for (size_t i = 0; i < DICTIONARY; i++) {
		if (period_of(&dictionary[i]) == period)
			return &dictionary[i];
	}
	return NULL;
}

/* Largest deviation of a timer from its nominal period, ns. */
static uint64_t timer_slack(uint64_t period)
{
	const struct known_period *known = known_period(period);

	return known && known->slack_us ? known->slack_us * NS_PER_US : one_percent(period);
}

/* Hint at a source with about this period, or NULL; timers that raise SMIs only if `smi`. */
static const char *hint_of(uint64_t period, bool smi)
{
	for (size_t i = 0; i < DICTIONARY; i++) {
		if ((smi || !dictionary[i].smi) && same_period(period_of(&dictionary[i]), period))
			return dictionary[i].hint;
	}
	return NULL;
}

/*
 * Select a row. Returns false for a timer that the dictionary has, or whose period is out of range.
 */
static bool take_row(struct search *s, size_t row)
{
	bool listed = row < DICTIONARY;

	s->period = listed ? period_of(&dictionary[row])
			   : s->context->timers[row - DICTIONARY].period_ns;
	s->slack = timer_slack(s->period);
	return listed || (s->period >= TRAIN_PERIOD_MIN && s->period <= TRAIN_PERIOD_MAX &&
			  !known_period(s->period));
}

/* Histogram of the differences between events, within the band around the row's period. */
static void period_gather(const struct search *s, uint64_t step, uint32_t number[STEPS],
			  uint64_t sum[STEPS])
{
	uint64_t low = s->period - s->slack;
	size_t from = 0;

	for (size_t i = 0; i < s->of.count; i++) {
		while (from < s->of.count && s->of.t[from] - s->of.t[i] < low)
			from++;
		for (size_t j = from; j < s->of.count && j - from < NEIGHBOURS_MAX; j++) {
			uint64_t over = s->of.t[j] - s->of.t[i] - low;

			if (over / step >= STEPS)
				break;
			number[over / step]++;
			sum[over / step] += over;
		}
	}
}

/* The mean of the most frequent differences near the row's period; without any, that period. */
static uint64_t common_difference(const struct search *s)
{
	uint64_t step = 2 * s->slack / STEPS + 1;
	uint64_t sum[STEPS] = { 0 }, best = 0, period = s->period;
	uint32_t number[STEPS] = { 0 };

	period_gather(s, step, number, sum);
	/* A bucket and both of its neighbours make a peak. */
	for (size_t i = 1; i + 1 < STEPS; i++) {
		uint64_t peak = (uint64_t)number[i - 1] + number[i] + number[i + 1];

		if (peak <= best)
			continue;
		best = peak;
		period = s->period - s->slack + (sum[i - 1] + sum[i] + sum[i + 1]) / peak;
	}
	return period;
}

/*
 * Every second, third ... event of a train makes a train as well. Replace such a train by the
 * faster one, even if the dictionary lacks its period: it explains more events, and its fill is as
 * good.
 */
static void take_fastest(const struct search *s, struct train *train)
{
	const struct train slower = *train;
	struct train faster;

	for (unsigned part = 2; part <= PARTS_MAX; part++) {
		struct train_choice choice = {
			.period = slower.period / part,
			.spread = 2 * s->slack / part,
			.others = s->rows * PARTS_MAX,
			.grid = s->grid,
			.beat = train->chance,
		};

		if (choice.period >= TRAIN_PERIOD_MIN && train_search(&s->of, &choice, &faster) &&
		    same_period(faster.period * part, slower.period) &&
		    train_fill(&faster) >= train_fill(&slower) / 4 * 3)
			*train = faster;
	}
}

/*
 * Search the current row. Returns true, and replaces *best, if it has a train with more evidence.
 * The train is followed slot by slot, from a period taken from the differences; this finds rearmed
 * timers as well.
 */
static bool search_row(const struct search *s, struct train *best)
{
	struct train_choice choice = {
		.period = s->period,
		.spread = 2 * s->slack,
		.others = s->rows,
		.grid = s->grid,
		.beat = best->chance,
	};
	struct train train;

	if (s->of.t[s->of.count - 1] - s->of.t[0] < (TRAIN_HITS_MIN - 1) * (s->period - s->slack))
		return false;
	choice.period = common_difference(s);
	if (!train_search(&s->of, &choice, &train) ||
	    arith_apart(train.period, s->period) > s->slack)
		return false;
	*best = train;
	return true;
}

/* Find the train with the most evidence among the remaining events. */
static bool search_rows(struct search *s, struct train *best)
{
	best->chance = PERIOD_CHANCE_MAX;
	for (size_t row = 0; row < s->rows && s->of.count >= TRAIN_HITS_MIN; row++)
		if (take_row(s, row) && search_row(s, best))
			take_fastest(s, best);
	if (best->chance == PERIOD_CHANCE_MAX)
		return false;
	train_widen(&s->of, best);
	return true;
}

/* Report the tick as a source if most events belong to no other source. */
static void add_grid(const struct search *s, struct train *grid, uint64_t span,
		     struct period_list *found)
{
	if (!grid->period || 2 * s->of.count <= found->searched)
		return;
	grid->slots = span / grid->period + 1;
	period_add(found, grid, s->context);
}

/* The events left of a source may look like it again: each source is reported once. */
static void search_all(struct search *s, struct period_list *found)
{
	struct train best;

	for (unsigned round = 0; round < 2 * PERIOD_SOURCES_MAX; round++) {
		if (found->count == PERIOD_SOURCES_MAX || !search_rows(s, &best))
			break;
		period_add(found, &best, s->context);
		train_remove(&s->of, &best.course);
	}
}

void period_order(struct event_series *events)
{
	sort_u64(events->t, events->count);
	events->count = arith_min(events->count, TRAIN_EVENTS_MAX);
	while (events->count && events->t[events->count - 1] >> 63)
		events->count--;
}

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

static struct train grid_of_tick(const uint64_t *t, size_t count, uint64_t tick)
{
	struct distances d = { 0 };
	int64_t chance;

	for (size_t i = 1; i < count; i++)
		add_distance(&d, t[i] - t[i - 1], tick);
	if (!d.on || d.on < SHARE_MIN(d.count) || d.on - most(&d) < UNLIKE_MIN(d.on))
		return (struct train){ 0 };
	chance = chance_of_hits(d.on, d.count, CHANCE_ONE * 2 / REACH_PART) + chance_log10(TICKS);
	if (chance >= PERIOD_CHANCE_MAX)
		return (struct train){ 0 };
	return (struct train){
		.hits = d.on,
		.period = tick,
		.jitter = chance_root(d.squares / d.on),
		.chance = chance,
	};
}

/* Only neighbours are compared, so that clocks have to agree for a short time only. */
struct train period_grid(const struct event_series *events, const struct period_context *of)
{
	struct train grid = { 0 };

	if (!of->guest || of->cause == CAUSE_SMI)
		return grid;
	for (unsigned i = 0; i < TICKS && !grid.period; i++)
		grid = grid_of_tick(events->t, events->count, ticks[i].period_ns);
	return grid;
}

void period_search(struct event_series *events, const struct period_context *of,
		   struct period_list *found)
{
	struct search s = { .context = of, .rows = DICTIONARY + of->timer_count };
	struct train grid;
	uint64_t span = 0;

	period_order(events);
	s.of = *events;
	found->searched = s.of.count;
	grid = period_grid(&s.of, of);
	s.grid = grid.period;
	if (s.of.count)
		span = exposure_between(s.of.watched, s.of.t[0], s.of.t[s.of.count - 1]);
	search_all(&s, found);
	add_grid(&s, &grid, span, found);
	*events = s.of;
}

/* The enabled timer nearest to the period, among those whose tolerance includes it. */
static const char *timer_name(uint64_t period, const struct period_context *of)
{
	const char *name = NULL;
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < of->timer_count; i++) {
		uint64_t away = arith_apart(of->timers[i].period_ns, period);

		if (away <= timer_slack(of->timers[i].period_ns) && away < best) {
			best = away;
			name = of->timers[i].name;
		}
	}
	return name;
}

/* Hint at a kernel's tick with this period, within 1 %; NULL: none has it. */
static const char *tick_hint(uint64_t period)
{
	for (unsigned i = 0; i < TICKS; i++) {
		if (arith_apart(ticks[i].period_ns, period) <= one_percent(ticks[i].period_ns))
			return ticks[i].hint;
	}
	return NULL;
}

static void period_name(struct record_source *s, const struct period_context *of)
{
	bool is_smi = of->cause == CAUSE_SMI, is_host = of->guest && !is_smi;

	s->origin = is_host ? NULL : timer_name(s->period_ns, of);
	s->hint = is_host ? tick_hint(s->period_ns) : NULL;
	if (!s->hint)
		s->hint = hint_of(s->period_ns, is_smi);
}

static bool is_found(const struct period_list *found, uint64_t period_ns)
{
	for (size_t i = 0; i < found->count; i++) {
		if (same_period(found->source[i].period_ns, period_ns))
			return true;
	}
	return false;
}

void period_add(struct period_list *found, const struct train *train,
		const struct period_context *of)
{
	struct record_source *source;

	if (found->count == PERIOD_SOURCES_MAX || is_found(found, train->period))
		return;
	source = &found->source[found->count++];
	*source = (struct record_source){
		.cause = cause_name(of->cause),
		.period_ns = train->period,
		.jitter_ns = train->jitter,
		.fill_ppm = (uint32_t)arith_min(train_fill(train), 1000000),
		.events = train->hits,
		.chance_milli = train->chance,
	};
	period_name(source, of);
}
