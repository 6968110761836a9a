/* SPDX-License-Identifier: BSD-2-Clause */
/* The formula for slowdown, against limits that are known and against a simulation of every domain.
 */
#include "host/predict/predict.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <string.h>

#include "tests/unit/draw.h"
#include "tests/unit/near.h"
#include "tests/unit/rounds.h"

#define US 1e3
#define MS 1e6

struct noise {
	const char *name;
	size_t count;
	struct predict_point class[3];
};

/* Frequent and short to rare and long. */
static const struct noise mixed = { "mixed",
				    3,
				    { { 2 * MS, 1 / 60.0 }, { 150 * US, 1 }, { 10 * US, 10 } } };

/* Several hits in a step of 10 ms. */
static const struct noise ticking = { "ticking",
				      3,
				      { { 1 * MS, 0.1 }, { 50 * US, 20 }, { 4 * US, 1000 } } };

static const struct noise single = { "single", 1, { { 500 * US, 2 } } };

static double predicted(const struct noise *n, double domains, double grain)
{
	return predict_slowdown(n->class, n->count, domains, grain);
}

/* ---- The simulation: every domain and every event of it ---- */

#define DOMAINS_MAX 8192
#define CLASSES_MAX 3

struct domain {
	double done;  /* end of its computing in this step */
	double away;  /* end of its last event */
	unsigned hit; /* the last step it took part in */
};

static struct simulation {
	const struct noise *noise;
	unsigned domains;
	double grain;
	uint64_t seed;

	double next[CLASSES_MAX]; /* each class's next event, and its domain */
	unsigned whose[CLASSES_MAX];

	struct domain domain[DOMAINS_MAX];
	unsigned hit[DOMAINS_MAX]; /* domains that took part in this step */
	unsigned hits, step;
	double begin, end;
} sim;

static unsigned any_domain(void)
{
	return (unsigned)((draw_uniform(&sim.seed) - 0x1p-54) * sim.domains);
}

static void draw_event(size_t k)
{
	double rate = sim.noise->class[k].rate * sim.domains / NS_PER_S;

	sim.next[k] -= log(draw_uniform(&sim.seed)) / rate;
	sim.whose[k] = any_domain();
}

/* The domain takes part in this step, and may be away as it begins. */
static void enter(unsigned d)
{
	struct domain *domain = &sim.domain[d];

	domain->hit = sim.step;
	domain->done = fmax(sim.begin, domain->away) + sim.grain;
	sim.end = fmax(sim.end, domain->done);
	sim.hit[sim.hits++] = d;
}

/* An event stops its domain. It costs nothing if the domain has already finished the step. */
static void strike(unsigned d, double at, double length)
{
	struct domain *domain = &sim.domain[d];

	if (domain->hit != sim.step)
		enter(d);
	domain->away = fmax(domain->away, at) + length;
	if (at >= domain->done)
		return;
	domain->done += length;
	sim.end = fmax(sim.end, domain->done);
}

static size_t soonest(void)
{
	size_t k = 0;

	for (size_t i = 1; i < sim.noise->count; i++) {
		if (sim.next[i] < sim.next[k])
			k = i;
	}
	return k;
}

/* Simulate one step. Returns the number of its events. */
static unsigned one_step(void)
{
	unsigned before = sim.hits, events = 0;

	sim.begin = sim.end;
	sim.end += sim.grain;
	sim.step++;
	sim.hits = 0;
	for (unsigned i = 0; i < before; i++) {
		if (sim.domain[sim.hit[i]].away > sim.begin)
			enter(sim.hit[i]);
	}
	for (size_t k = soonest(); sim.next[k] < sim.end; k = soonest()) {
		strike(sim.whose[k], sim.next[k], sim.noise->class[k].at);
		draw_event(k);
		events++;
	}
	return events;
}

#define EVENTS 400000

static double simulated(const struct noise *noise, unsigned domains, double grain)
{
	memset(&sim, 0, sizeof(sim));
	sim.noise = noise;
	sim.domains = domains;
	sim.grain = grain;
	sim.seed = domains;
	for (size_t k = 0; k < noise->count; k++)
		draw_event(k);
	for (unsigned n = 0; n < EVENTS || sim.step < 1000; n += one_step())
		;
	return sim.end / (sim.step * grain);
}

struct noise_case {
	const struct noise *noise;
	unsigned domains;
	double grain;
};

/* Relative error of the formula against the simulation. */
static double apart(const struct noise_case *c)
{
	double formula = predicted(c->noise, c->domains, c->grain);
	double found = simulated(c->noise, c->domains, c->grain);

	print_message("%s on %u, %g us: formula %.4f, simulation %.4f\n", c->noise->name,
		      c->domains, c->grain / US, formula, found);
	return formula / found - 1;
}

TEST(test_simulation)
{
	static const struct noise_case cases[] = {
		{ &mixed, 128, 100 * US },   { &mixed, 128, 1 * MS },   { &mixed, 128, 10 * MS },
		{ &mixed, 1024, 1 * MS },    { &mixed, 1024, 10 * MS }, { &mixed, 8192, 10 * MS },
		{ &ticking, 1, 1 * MS },     { &ticking, 64, 1 * MS },  { &ticking, 64, 10 * MS },
		{ &ticking, 1024, 10 * MS }, { &single, 1, 10 * MS },   { &single, 100, 1 * MS },
		{ &single, 1000, 5 * MS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i += rounds(2, 1))
		assert_true(fabs(apart(&cases[i])) < 0.02);
}

/*
 * If a step is mostly waiting, an event that begins in the wait delays the next step only by its
 * remainder. The formula assumes the whole event: it is too high, never too low.
 */
TEST(test_saturated)
{
	static const struct noise_case cases[] = {
		{ &mixed, 1024, 100 * US },
		{ &mixed, 8192, 100 * US },
		{ &mixed, 8192, 1 * MS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double over = apart(&cases[i]);

		assert_true(over > 0 && over < 0.25);
	}
}

TEST(test_limits)
{
	double few = predicted(&single, 10, 1 * MS);

	/* No noise, no slowdown. */
	assert_near(predict_slowdown(NULL, 0, 1000, 1 * MS), 1, 0);
	/* A single domain computes during the time that noise leaves. */
	assert_near(predicted(&ticking, 1, 1 * MS), 1 / (1 - 0.0051), 1e-6);
	/* Tsafrir's linear regime: N times the share of one, 0.001. */
	assert_near(few, 1 + 10 * 0.001, 0.0002);
	/* With very many domains, the longest event delays every step. */
	assert_near(predicted(&single, 1e9, 1 * MS), 1.5, 1e-4);
	assert_near(predicted(&mixed, 1e9, 1 * MS), 3, 0.001);
}

/* If noise takes nearly all the time, no finite slowdown is predicted. */
TEST(test_hopeless)
{
	static const struct predict_point half = { 1 * MS, 500 }, all = { 1 * MS, 1000 };

	assert_near(predict_slowdown(&half, 1, 1, 100 * MS), 2, 1e-4);
	assert_true(isinf(predict_slowdown(&all, 1, 1, 100 * MS)));
	assert_near(predict_noise_share(&half, 1), 0.5, 1e-12);
}
