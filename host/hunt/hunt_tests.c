/* SPDX-License-Identifier: BSD-2-Clause */
/* Holm's steps; what is found on the way explains a part of what the rest is tested for. */
#include "hunt_tests.h"

#include "hunt_shuffle.h"

#include "host/lib/memory.h"

#include <math.h>
#include <string.h>

/* What chance does less often than this may be more than chance. */
#define DOUBT 0.1

#define ALL_RATES HUNT_RATES_MAX

static bool is_compared(const struct hunt *h, unsigned rate)
{
	bool differs = false;

	for (size_t r = 0; r < h->runs; r++) {
		if (!h->run[r].known[rate])
			return false;
		differs |= h->run[r].value[rate] * hunt_weight(h, 0, rate) !=
			   h->run[0].value[rate] * hunt_weight(h, r, rate);
	}
	return differs;
}

/* Do values of one setting make both? */
static bool share_setting(const struct hunt_change *a, const struct hunt_change *b)
{
	for (size_t i = 0; i < a->settings; i++)
		for (size_t k = 0; k < b->settings; k++)
			if (a->setting[i] == b->setting[k])
				return true;
	return false;
}

static struct hunt_fit fit_with(const struct hunt *h, const struct hunt_test *t, const bool *with)
{
	return hunt_fit_change(&(struct hunt_fit_question){ h, t->rate, t->change, with, true });
}

static bool is_likely(const struct hunt_fit *f, const struct hunt_tests *tests)
{
	return f->possible && f->chance * (double)tests->count < HUNT_LEVEL;
}

/* With all others, if there are runs enough. */
static bool fit_all(const struct hunt *h, struct hunt_test *t)
{
	bool with[HUNT_CHANGES_MAX];

	for (size_t k = 0; k < h->changes; k++)
		with[k] = !share_setting(&h->change[k], &h->change[t->change]);
	t->fit = fit_with(h, t, with);
	return t->fit.possible && t->fit.freedom >= HUNT_FREEDOM;
}

/* With what was found, and any other: what one of these explains as well is not found. */
static void fit_each(const struct hunt *h, struct hunt_test *t, bool *with)
{
	const struct hunt_change *c = &h->change[t->change];

	for (size_t k = 0; k < h->changes && t->fit.possible; k++) {
		struct hunt_fit other;

		if (with[k] || share_setting(&h->change[k], c))
			continue;
		with[k] = true;
		other = fit_with(h, t, with);
		with[k] = false;
		if (!other.possible || other.chance > t->fit.chance)
			t->fit = other;
	}
}

/* Changes that explain a part of the rate. */
static void set_found(const struct hunt_tests *tests, unsigned rate, bool with[HUNT_CHANGES_MAX])
{
	memset(with, 0, HUNT_CHANGES_MAX * sizeof(*with));
	for (size_t i = 0; i < tests->count; i++)
		if (tests->at[i].found && tests->at[i].rate == rate)
			with[tests->at[i].change] = true;
}

static void fit(const struct hunt *h, struct hunt_test *t, const struct hunt_tests *tests)
{
	bool with[HUNT_CHANGES_MAX];
	struct hunt_fit alone, ordered;

	set_found(tests, t->rate, with);
	alone = hunt_fit_change(&(struct hunt_fit_question){ h, t->rate, t->change, with, false });
	ordered = fit_with(h, t, with);
	t->in_doubt = is_likely(&alone, tests);
	t->by_order = t->in_doubt && !is_likely(&ordered, tests);
	if (fit_all(h, t))
		return;
	t->fit = ordered;
	fit_each(h, t, with);
}

static double chance_of(const struct hunt_test *t)
{
	return t->fit.possible ? t->fit.chance : 1;
}

static void swap_least(struct hunt_tests *tests, size_t to)
{
	size_t least = to;
	struct hunt_test t;

	for (size_t i = to + 1; i < tests->count; i++)
		if (chance_of(&tests->at[i]) < chance_of(&tests->at[least]))
			least = i;
	t = tests->at[least];
	tests->at[least] = tests->at[to];
	tests->at[to] = t;
}

static void fit_rest(struct hunt_tests *tests, const struct hunt *h, size_t from, unsigned rate)
{
	for (size_t i = from; i < tests->count; i++)
		if (rate == ALL_RATES || tests->at[i].rate == rate)
			fit(h, &tests->at[i], tests);
}

/* By the fits; and by the runs' order, which takes longer, where it matters. */
static void judge(struct hunt_tests *tests, struct hunt_test *t, struct hunt_shuffle *shuffle)
{
	bool with[HUNT_CHANGES_MAX];

	if (t->adjusted >= HUNT_LEVEL)
		return;
	set_found(tests, t->rate, with);
	t->adjusted = fmax(t->adjusted, hunt_shuffle_chance(shuffle, tests, t, with));
	t->found = t->adjusted < HUNT_LEVEL;
	t->too_few = !t->found;
	t->in_doubt = t->by_order = false;
}

static void step(struct hunt_tests *tests, const struct hunt *h)
{
	struct hunt_shuffle shuffle = { .h = h };
	double last = 0;

	fit_rest(tests, h, 0, ALL_RATES);
	for (size_t i = 0; i < tests->count; i++) {
		struct hunt_test *t = &tests->at[i];

		swap_least(tests, i);
		last = t->adjusted = fmin(fmax(last, chance_of(t) * (double)(tests->count - i)), 1);
		judge(tests, t, &shuffle);
		if (t->found)
			fit_rest(tests, h, i + 1, t->rate);
	}
	hunt_shuffle_free(&shuffle);
}

void hunt_tests_run(struct hunt_tests *tests, const struct hunt *h)
{
	*tests = (struct hunt_tests){ .at = NULL };
	for (unsigned rate = 0; rate < hunt_rates(h); rate++) {
		tests->compared[rate] = is_compared(h, rate);
		for (size_t c = 0; c < h->changes && tests->compared[rate]; c++)
			*MEMORY_ADD(tests->at, tests->count) = (struct hunt_test){ .change = c,
										   .rate = rate };
	}
	step(tests, h);
}

/* How much one more run would show. */
static unsigned open_question(const struct hunt *h, const struct hunt_test *t)
{
	if (t->found)
		return h->change[t->change].settings > 1 ? 3 : 0;
	if (t->in_doubt)
		return 3;
	if (t->too_few && h->change[t->change].settings > 1)
		return 3;
	if (!t->fit.possible)
		return 1;
	return t->fit.chance < DOUBT ? 2 : 0;
}

static size_t runs_on(const struct hunt *h, const struct hunt_change *c)
{
	size_t on = 0;

	for (size_t r = 0; r < h->runs; r++)
		on += c->on[r];
	return on;
}

static size_t last_run(const struct hunt *h)
{
	size_t last = 0;

	for (size_t r = 1; r < h->runs; r++)
		if (h->order[r] > h->order[last])
			last = r;
	return last;
}

struct hunt_advice hunt_tests_next(const struct hunt_tests *tests, const struct hunt *h)
{
	struct hunt_advice a = { .next = HUNT_NEXT_NONE };
	unsigned most = 0;

	for (size_t i = 0; i < tests->count; i++) {
		const struct hunt_test *t = &tests->at[i];
		const struct hunt_change *c = &h->change[t->change];
		unsigned open = open_question(h, t);

		if (open <= most)
			continue;
		most = open;
		a.next = open == 2 || t->by_order ? HUNT_NEXT_AGAIN : HUNT_NEXT_PART;
		a.test = t;
		a.on = c->first_on;
		a.again = 2 * runs_on(h, c) <= h->runs ? c->first_on : 0;
		/* Back, if it was on last. */
		if (t->by_order)
			a.again = c->on[last_run(h)] ? 0 : c->first_on;
		a.settings = c->settings > 1 ? c->settings / 2 : 1;
	}
	return a;
}

double hunt_tests_rate(const struct hunt *h, size_t change, unsigned rate, bool on)
{
	double value = 0, weight = 0;

	for (size_t r = 0; r < h->runs; r++) {
		if (h->change[change].on[r] != on)
			continue;
		value += h->run[r].value[rate];
		weight += hunt_weight(h, r, rate);
	}
	return value / weight;
}
