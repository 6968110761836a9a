/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of stages. */
#include "result.h"

#include "core/config/config.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

#include <math.h>
#include <string.h>

/* The place of a stage on the ladder; unknown stages are last. */
static unsigned rank_of(const char *stage)
{
	unsigned s = 0;

	while (s < STAGES && strcmp(config_stage_name(s), stage) != 0)
		s++;
	return s;
}

static struct ladder_rung rung_of(const struct result_stage *stage, size_t cores)
{
	struct ladder_rung r = { .stage = stage->name, .of = stage, .cores = cores };

	record_total_start(RECORD_CPU, &r.sum);
	for (size_t i = 0; i < cores; i++)
		record_total_add(RECORD_CPU, &r.sum, &stage->cpu[i]);
	return r;
}

void ladder_add(struct ladder *l, const struct result_stage *stage)
{
	size_t at = l->count;

	if (at == LADDER_RUNGS || (!stage->cpus && !stage->windows))
		return;
	while (at && rank_of(l->rung[at - 1].stage) > rank_of(stage->name))
		at--;
	memmove(&l->rung[at + 1], &l->rung[at], (l->count++ - at) * sizeof(*l->rung));
	l->rung[at] = rung_of(stage, stage->cpus);
}

void ladder_make(struct ladder *l, const struct result_stage *stage, size_t stages)
{
	l->count = 0;
	for (size_t i = 0; i < stages; i++)
		ladder_add(l, &stage[i]);
}

/* ---- Steps ---- */

/*
 * Fill `rung` with the rungs before and after the step, of the cores that both have. True: all
 * cores; false: the boot core alone.
 */
static bool common(const struct ladder *l, size_t to, struct ladder_rung rung[2])
{
	bool all = l->rung[to - 1].cores == l->rung[to].cores;

	for (size_t i = 0; i < 2; i++) {
		const struct result_stage *of = l->rung[to - 1 + i].of;

		rung[i] = all ? l->rung[to - 1 + i] : rung_of(of, of->cpus && of->cpu[0].cpu == 0);
	}
	return all;
}

/*
 * The number of a core's events that come as one, in whole 256ths: Pearson's chi-square of equal
 * rates in the windows over its degrees of freedom. A sum over c cores varies c times as much. 0:
 * there are too few windows.
 */
static double burst_of(const struct ladder_rung *r, bool smi)
{
	double count = 0, length = 0, squares = 0;
	size_t windows = 0;

	for (size_t i = 0; i < r->of->windows; i++) {
		const struct result_window *w = &r->of->window[i];
		struct maybe smis = w->counted[EVIDENCE_SMI];
		double n = (double)(smi ? smis.known ? smis.value : 0 : w->gaps);
		double us = (double)(w->len_ns / 1000);

		windows += us > 0;
		count += us > 0 ? n : 0;
		length += us;
		squares += us > 0 ? n * n / us : 0;
	}
	if (windows < DISPERSION_WINDOWS_MIN)
		return 0;
	if (!(count > 0))
		return 1;
	squares = (squares * length / count - count) / (double)(windows - 1);
	return fmax(floor(floor(squares * 256) / (double)r->cores) / 256, 1);
}

static struct ratetest compare(const struct ladder_rung rung[2], bool smi)
{
	struct ratetest_side side[2];
	double burst[2], size;

	for (size_t i = 0; i < 2; i++) {
		const struct record_cpu *sum = &rung[i].sum;
		uint64_t cores = rung[i].cores;

		if (!cores || (smi && !sum->smi.known))
			return (struct ratetest){ .change = RATE_NOT_COMPARED };
		side[i].count = (smi ? sum->smi.value : sum->gaps) / cores;
		side[i].time = sum->exposure_ns / cores;
		burst[i] = burst_of(&rung[i], smi);
	}
	size = burst[0] > 0 && burst[1] > 0 ? fmax(burst[0], burst[1]) : 1;
	side[0].bursts = side[1].bursts = (struct dispersion){ size, 0 };
	return ratetest_judge(side);
}

static void step_of(const struct ladder_rung rung[2], struct ladder_step *step)
{
	step->gaps = compare(rung, false);
	step->smi = compare(rung, true);
}

void ladder_step(const struct ladder *l, size_t to, struct ladder_step *step)
{
	struct ladder_rung rung[2];

	common(l, to, rung);
	step_of(rung, step);
}

/* ---- Text ---- */

/* a * b / c, rounded down. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned __int128 scaled = c ? (unsigned __int128)a * b / c : 0;

	return scaled < UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

/* Events per second and core, in hundredths: `count` of all cores in their exposure. */
static uint64_t per_second(uint64_t count, const struct ladder_rung *r)
{
	return scale(count, 100 * NS_PER_S, r->sum.exposure_ns);
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
	const struct record_cpu *sum = &r->sum;
	struct text *t = &p->out;
	bool known = sum->exposure_ns;

	text_add(t, "%-8.16s", r->stage); /* longer ones would not leave room for the figures */
	text_fixed(t, r->cores, 0, 7);
	add_known(t, r->cores, scale(sum->exposure_ns, 1, r->cores) / 1000000, 3, 12);
	add_known(t, known, per_second(sum->gaps, r), RATE_DIGITS, 11);
	if (!no_smi)
		add_known(t, known && sum->smi.known, per_second(sum->smi.value, r), RATE_DIGITS,
			  10);
	add_known(t, known, scale(sum->noise_ns, 10000000, sum->exposure_ns), 1, 12);
	add_known(t, known, arith_sum(sum->max_ns, 50) / 100, 1, 12);
	lines_end(p);
}

static void add_change(struct text *t, const char *what, const struct ratetest *r, uint64_t before,
		       uint64_t after)
{
	if (r->change == RATE_NOT_COMPARED) {
		text_add(t, "%s not compared", what);
		return;
	}
	text_add(t, "%s ", what);
	text_fixed(t, before, RATE_DIGITS, 0);
	text_add(t, " to ");
	text_fixed(t, after, RATE_DIGITS, 0);
	text_add(t, " /s (");
	if (before) {
		text_add(t, "%c", before > after ? '-' : '+');
		text_fixed(t, scale(arith_apart(before, after), 1000, before), 1, 0);
		text_add(t, " %%, ");
	}
	text_add(t, "%ssignificant, ", r->change == RATE_SAME ? "not " : "");
	ratetest_add_p(t, r->log10_p);
	if (r->size > 2) {
		text_add(t, ", in bursts of ");
		text_fixed(t, (uint64_t)(r->size < 0x1p63 ? r->size + 0.5 : 0x1p63), 0, 0);
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

	step_of(rung, &step);
	text_add(t, "%s to %s%s: ", b->stage, a->stage, all ? "" : ", core 0 alone");
	add_change(t, "gaps", &step.gaps, per_second(b->sum.gaps, b), per_second(a->sum.gaps, a));
	if (!l->no_smi) {
		text_add(t, "; ");
		add_change(t, "SMIs", &step.smi, per_second(b->sum.smi.value, b),
			   per_second(a->sum.smi.value, a));
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
