/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of stages. */
#include "ladder.h"

#include "core/config/config.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/ticks.h"

/* a * b / c without overflow, rounded down; UINT64_MAX where the result does not fit. c > 0. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	while (a && b > UINT64_MAX / a) {
		if (c < 2)
			return UINT64_MAX;
		if (a > b)
			a >>= 1;
		else
			b >>= 1;
		c >>= 1;
	}
	return a * b / c;
}

/* The mean of the rung's cores; 0 without any. */
static uint64_t per_core(uint64_t value, const struct ladder_rung *r)
{
	return r->cores ? value / r->cores : 0;
}

/* Where a stage stands on the ladder: unknown ones last. */
static unsigned rank_of(const char *stage)
{
	unsigned s = 0;

	while (s < STAGES && strcmp(config_stage_name(s), stage) != 0)
		s++;
	return s;
}

static void copy_name(char name[LADDER_NAME_MAX], const char *stage)
{
	struct text t;

	text_init(&t, name, LADDER_NAME_MAX);
	text_add(&t, "%s", stage);
}

/* The stage's rung, made in its place when it is new; NULL when the ladder is full. */
static struct ladder_rung *rung_of(struct ladder *l, const char *stage)
{
	struct ladder_rung new = { .smi.known = true };
	size_t at = 0;

	copy_name(new.stage, stage);
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->rung[i].stage, new.stage) == 0)
			return &l->rung[i];
	if (l->count == LADDER_RUNGS)
		return NULL;
	while (at < l->count && rank_of(l->rung[at].stage) <= rank_of(new.stage))
		at++;
	memmove(&l->rung[at + 1], &l->rung[at], (l->count - at) * sizeof(new));
	l->rung[at] = new;
	l->count++;
	return &l->rung[at];
}

void ladder_add(struct ladder *l, const struct record_cpu *cpu)
{
	struct ladder_rung *r = rung_of(l, cpu->stage);

	if (!r)
		return;
	r->cores++;
	r->exposure_ns = arith_sum(r->exposure_ns, cpu->exposure_ns);
	r->noise_ns = arith_sum(r->noise_ns, cpu->noise_ns);
	r->gaps = arith_sum(r->gaps, cpu->gaps);
	r->max_ns = arith_max(r->max_ns, cpu->max_ns);
	r->smi.known = r->smi.known && cpu->smi.known;
	r->smi.value = arith_sum(r->smi.value, cpu->smi.value);
	if (cpu->cpu == 0)
		r->first = (struct ladder_core){ cpu->exposure_ns, cpu->gaps, cpu->smi };
}

static void spread(struct ladder_spread *s, uint64_t count, uint64_t length_us)
{
	struct number n = number_of(count);

	s->counts = arith_sum(s->counts, count);
	s->length_us = arith_sum(s->length_us, length_us);
	s->squares = number_add(s->squares,
				number_divide(number_multiply(n, n), number_of(length_us)));
}

void ladder_add_window(struct ladder *l, const struct record_window *w)
{
	uint64_t length_us = w->len_ns / 1000;
	struct ladder_rung *r = rung_of(l, w->stage);

	if (!r || !length_us)
		return;
	r->windows++;
	spread(&r->gaps_spread, w->gaps, length_us);
	spread(&r->smi_spread, w->smi.known ? w->smi.value : 0, length_us);
}

/*
 * Pearson's chi-square of equal rates over its degrees of freedom. With
 * rate = counts / length, the sum of (count - rate * length)^2 / (rate * length)
 * over the windows is squares / rate - counts.
 */
static uint64_t dispersion(const struct ladder_spread *s, uint64_t windows)
{
	struct number counts = number_of(s->counts), chi;

	if (!s->counts)
		return LADDER_BURST_ONE;
	chi = number_multiply(s->squares, number_divide(number_of(s->length_us), counts));
	chi = number_subtract(chi, counts);
	chi = number_divide(number_multiply(chi, number_of(LADDER_BURST_ONE)),
			    number_of(windows - 1));
	return number_to_u64(chi);
}

/* What one rung's cores counted, all together, and the spread that it is taken to have. */
struct counted {
	const struct ladder_rung *rung;
	const struct ladder_spread *spread;
	uint64_t count;
};

static struct counted gaps_of(const struct ladder_rung *r)
{
	return (struct counted){ r, &r->gaps_spread, r->gaps };
}

static struct counted smi_of(const struct ladder_rung *r)
{
	return (struct counted){ r, &r->smi_spread, r->smi.value };
}

/* Of the mean of cores: a sum that is c times as large varies c^2 as much. */
static uint64_t core_dispersion(const struct counted *c)
{
	return dispersion(c->spread, c->rung->windows) / c->rung->cores;
}

/* How many gaps, or SMIs, of a core are one event: at least 1. */
static uint64_t burst(const struct counted *b, const struct counted *a)
{
	if (b->rung->windows < LADDER_WINDOWS_MIN || a->rung->windows < LADDER_WINDOWS_MIN)
		return LADDER_BURST_ONE;
	return arith_max(arith_max(core_dispersion(b), core_dispersion(a)), LADDER_BURST_ONE);
}

static void compare(struct ladder_change *c, const struct counted b, const struct counted a)
{
	uint64_t time_before = per_core(b.rung->exposure_ns, b.rung);
	uint64_t time_after = per_core(a.rung->exposure_ns, a.rung);
	uint64_t before, after;

	*c = (struct ladder_change){ .change = RATE_NOT_COMPARED };
	if (!time_before || !time_after)
		return;
	c->burst = burst(&b, &a);
	before = scale(per_core(b.count, b.rung), LADDER_BURST_ONE, c->burst);
	after = scale(per_core(a.count, a.rung), LADDER_BURST_ONE, c->burst);
	c->change = ratetest_change(before, time_before, after, time_after);
	c->chance_milli = ratetest_chance(before, time_before, after, time_after);
}

void ladder_compare(const struct ladder_rung *b, const struct ladder_rung *a,
		    struct ladder_step *step)
{
	compare(&step->gaps, gaps_of(b), gaps_of(a));
	compare(&step->smi, smi_of(b), smi_of(a));
	if (!b->smi.known || !a->smi.known)
		step->smi.change = RATE_NOT_COMPARED;
}

/* As if only the boot core had been measured. */
static struct ladder_rung first_of(const struct ladder_rung *r)
{
	struct ladder_rung first = *r;

	first.cores = r->first.exposure_ns != 0;
	first.exposure_ns = r->first.exposure_ns;
	first.gaps = r->first.gaps;
	first.smi = r->first.smi;
	return first;
}

/* The rungs before and after, with the cores that both have: all, or the boot core alone. */
static bool common(const struct ladder *l, size_t to, struct ladder_rung rung[2])
{
	bool all = l->rung[to - 1].cores == l->rung[to].cores;

	for (size_t i = 0; i < 2; i++)
		rung[i] = all ? l->rung[to - 1 + i] : first_of(&l->rung[to - 1 + i]);
	return all;
}

void ladder_step(const struct ladder *l, size_t to, struct ladder_step *step)
{
	struct ladder_rung rung[2];

	common(l, to, rung);
	ladder_compare(&rung[0], &rung[1], step);
}

/* Events per second and core, in hundredths: `count` of all cores in their exposure. */
static uint64_t per_second(uint64_t count, const struct ladder_rung *r)
{
	return r->exposure_ns ? scale(count, 100 * NS_PER_S, r->exposure_ns) : 0;
}

#define RATE_DIGITS 2

static void add_known(struct text *t, bool known, uint64_t value, unsigned digits, unsigned width)
{
	if (known)
		text_fixed(t, value, digits, width);
	else
		text_add(t, "%*s", (int)width, "n/a");
}

static void print_rung(struct lines *p, const struct ladder_rung *r, bool no_smi)
{
	struct text *t = &p->out;
	bool known = r->exposure_ns;

	text_add(t, "%-8s", r->stage);
	text_fixed(t, r->cores, 0, 7);
	add_known(t, r->cores, per_core(r->exposure_ns, r) / 1000000, 3, 12);
	add_known(t, known, per_second(r->gaps, r), RATE_DIGITS, 11);
	if (!no_smi)
		add_known(t, known && r->smi.known, per_second(r->smi.value, r), RATE_DIGITS, 10);
	add_known(t, known, known ? scale(r->noise_ns, 10000000, r->exposure_ns) : 0, 1, 12);
	add_known(t, known, (r->max_ns + 50) / 100, 1, 12);
	lines_end(p);
}

#define PLAIN_DIGITS 3 /* smaller probabilities are written with an exponent */

/* 10^(thousandths / 1000) of 0 to 999, in tenths, rounded. */
static unsigned power_of_ten(unsigned thousandths)
{
	/* 10^(i/10), 10^(i/100) and 10^(i/1000), in thousandths. */
	static const uint16_t coarse[] = { 1000, 1259, 1585, 1995, 2512,
					   3162, 3981, 5012, 6310, 7943 };
	static const uint16_t fine[] = {
		1000, 1023, 1047, 1072, 1096, 1122, 1148, 1175, 1202, 1230
	};
	static const uint16_t finest[] = { 1000, 1002, 1005, 1007, 1009,
					   1012, 1014, 1016, 1019, 1021 };
	uint64_t product = (uint64_t)coarse[thousandths / 100] * fine[thousandths / 10 % 10];

	return (unsigned)((product * finest[thousandths % 10] + 50000000) / 100000000);
}

/* A probability from its log10: "0.32", "1.2e-6", "under 1e-15". */
static void add_probability(struct text *t, int64_t milli)
{
	unsigned exponent = (unsigned)((999 - milli) / 1000);
	unsigned mantissa = power_of_ten((unsigned)(exponent * 1000 + milli));

	if (milli <= RATE_CHANCE_MIN) {
		text_add(t, "under 1e%d", RATE_CHANCE_MIN / 1000);
	} else if (exponent <= PLAIN_DIGITS) {
		text_fixed(t, mantissa, exponent + 1, 0);
	} else {
		text_fixed(t, mantissa, 1, 0);
		text_add(t, "e-%u", exponent);
	}
}

/* By how much a rate changed, per mille of what it was. */
static void add_percent(struct text *t, uint64_t before, uint64_t after)
{
	uint64_t apart = arith_apart(before, after);

	if (!before)
		return;
	text_add(t, "%c", before > after ? '-' : '+');
	text_fixed(t, scale(apart, 1000, before), 1, 0);
	text_add(t, " %%, ");
}

static void add_change(struct text *t, const char *what, const struct ladder_change *c,
		       uint64_t before, uint64_t after)
{
	static const char *const judged[RATE_CHANGES] = {
		[RATE_SAME] = "not significant",
		[RATE_LESS] = "significant",
		[RATE_MORE] = "significant",
	};

	if (c->change == RATE_NOT_COMPARED) {
		text_add(t, "%s not compared", what);
		return;
	}
	text_add(t, "%s ", what);
	text_fixed(t, before, RATE_DIGITS, 0);
	text_add(t, " to ");
	text_fixed(t, after, RATE_DIGITS, 0);
	text_add(t, " /s (");
	add_percent(t, before, after);
	text_add(t, "%s, p ", judged[c->change]);
	add_probability(t, c->chance_milli);
	if (c->burst > 2 * LADDER_BURST_ONE) {
		text_add(t, ", in bursts of ");
		text_fixed(t, (c->burst + LADDER_BURST_ONE / 2) / LADDER_BURST_ONE, 0, 0);
	}
	text_add(t, ")");
}

static void print_step(struct lines *p, const struct ladder *l, size_t to)
{
	struct ladder_rung rung[2];
	const struct ladder_rung *b = &rung[0], *a = &rung[1];
	bool all = common(l, to, rung);
	struct text *t = &p->out;
	struct ladder_step step;

	ladder_compare(b, a, &step);
	text_add(t, "%s to %s%s: ", b->stage, a->stage, all ? "" : ", core 0 alone");
	add_change(t, "gaps", &step.gaps, per_second(b->gaps, b), per_second(a->gaps, a));
	if (!l->no_smi) {
		text_add(t, "; ");
		add_change(t, "SMIs", &step.smi, per_second(b->smi.value, b),
			   per_second(a->smi.value, a));
	}
	lines_wrap(p, LINES_CONTINUED);
}

void ladder_print(const struct ladder *l, lines_put *line, void *ctx)
{
	struct lines p;

	if (l->count < 2)
		return;
	lines_init(&p, line, ctx);
	text_add(&p.out, "ladder: what each step changed, per core (p: by chance alone)");
	lines_end(&p);
	text_add(&p.out, "STAGE     CORES  RUNTIME(s)     GAPS/s%s  NOISE(ppm)     MAX(us)",
		 l->no_smi ? "" : "     SMI/s");
	lines_end(&p);
	for (size_t i = 0; i < l->count; i++)
		print_rung(&p, &l->rung[i], l->no_smi);
	for (size_t i = 1; i < l->count; i++)
		print_step(&p, l, i);
}
