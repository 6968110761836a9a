/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the rates of the cores of two runs, or of two stages: counts, their clustering, their
 * limits, and the test.
 *
 * Events count as bursts, as each row's own times in the windows of the stage show them. What
 * chance would not explain is not judged if a run has too few windows to show how events come.
 */
#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "host/statistics/chance.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAIL 0.025 /* on each side */

/* Gaps, SMIs, NMIs, machine checks, gaps over the other run's longest, gaps of each cause. */
#define ROWS_MAX (5 + CAUSES)

/* A stage's cores, or its boot core alone. */
struct side {
	const struct result_stage *stage;
	const struct record_cpu *cpu;
	size_t cpus;
	struct record_cpu total; /* sums over these cores */
};

/* Both stages: before, after. */
struct sides {
	struct side of[2];
	double spread; /* between equal runs: diff_sides.spread */
};

/* The events that a row counts. */
struct row {
	char what[40];
	enum spread_counter counter; /* the windows' counter that clusters like these events */
	uint32_t causes;             /* causes of the gaps, if those show more clustering; or 0 */
	uint64_t over_ns;            /* only gaps longer than this count */
	struct maybe count[2];       /* sum over all cores */
	struct dispersion bursts[2]; /* how the events cluster */
};

static const struct record_cpu *cpu_diff_longest(const struct side *s)
{
	const struct record_cpu *of = s->cpu;

	for (size_t i = 1; i < s->cpus; i++) {
		if (s->cpu[i].max_ns > of->max_ns)
			of = &s->cpu[i];
	}
	return of;
}

/*
 * Gaps longer than `ns`, of all cores. The bucket that holds `ns` itself is uncertain; the core's
 * longest gap is exact.
 */
static struct maybe sum_over(const struct side *s, uint64_t ns)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->cpus; i++) {
		const struct record_pairs *h = &s->cpu[i].histogram;
		uint64_t over = 0;

		for (size_t k = 0; k < h->count; k++)
			over = arith_sum(over, h->at[k][0] > ns ? h->at[k][1] : 0);
		total = arith_sum(total, over || s->cpu[i].max_ns <= ns ? over : 1);
	}
	return (struct maybe){ total, true };
}

/* Round up to a multiple of the number of cores, so that few events do not become 0 per core. */
static uint64_t round_up(uint64_t total, const struct side *s)
{
	uint64_t rest = total % s->cpus;

	return rest ? arith_sum(total, s->cpus - rest) : total;
}

static uint64_t exposure_of(const struct side *s)
{
	return s->total.exposure_ns / s->cpus;
}

/* ---- Clustering ---- */

static struct dispersion bursts_of(const struct side *s, const struct row *row, struct maybe count)
{
	struct dispersion d = { 1, 0 };

	if (!count.known || !count.value)
		return d;
	if (row->causes && spread_of_gaps(&d, s->stage, row->causes, row->over_ns, count.value))
		return d;
	d = spread_of_counter(s->stage, row->counter, s->cpus);
	/* A burst cannot have more events than a core has of this row. */
	d.size = fmax(fmin(d.size, (double)count.value / (double)s->cpus), 1);
	return d;
}

static struct finding_side side_of(const struct sides *sides, size_t n, struct row *row)
{
	const struct side *s = &sides->of[n];
	double events = (double)row->count[n].value / (double)s->cpus;
	double seconds = (double)s->total.exposure_ns / (double)s->cpus / NS_PER_S;
	struct dispersion d = row->bursts[n] = bursts_of(s, row, row->count[n]);

	d.size += sides->spread * sides->spread * events;
	return (struct finding_side){ .known = row->count[n].known,
				      .bounded = true,
				      .value = events / seconds,
				      .low = dispersion_lower(&d, events, TAIL) / seconds,
				      .high = dispersion_upper(&d, events, TAIL) / seconds };
}

/* ---- The test ---- */

/* Counts of long gaps are rounded up to whole events per core, so that a few do not become none. */
static void cpu_diff_compare(const struct sides *s, struct row *r, struct finding *f)
{
	struct ratetest_side side[2];

	if (!r->count[0].known || !r->count[1].known)
		return;
	for (size_t i = 0; i < 2; i++) {
		uint64_t count = r->count[i].value;

		count = r->over_ns ? round_up(count, &s->of[i]) : count;
		side[i] = (struct ratetest_side){ count / s->of[i].cpus, exposure_of(&s->of[i]),
						  r->bursts[i] };
	}
	f->change = f->side[1].value < f->side[0].value ? FINDING_LESS : FINDING_MORE;
	f->log10_p = ratetest_log10_p(side, s->spread);
}

/* The rows of a stage: findings->at[i] is what row[i] has found. */
struct rows {
	struct sides s;
	struct findings *findings;
	struct row row[ROWS_MAX];
};

static void cpu_diff_add(struct rows *rows, struct row row)
{
	struct row *r = &rows->row[rows->findings->count];
	struct finding *f = findings_add(rows->findings, FINDING_RATE, "%s", row.what);

	*r = row;
	for (size_t n = 0; n < 2; n++)
		f->side[n] = side_of(&rows->s, n, r);
	f->ns = exposure_of(&rows->s.of[1]);
	cpu_diff_compare(&rows->s, r, f);
}

static struct maybe counted(uint64_t count)
{
	return (struct maybe){ count, true };
}

/* no_smi: leave out what only processors with SMM have. */
static void add_counters(struct rows *rows, bool no_smi)
{
	const struct record_cpu *b = &rows->s.of[0].total, *a = &rows->s.of[1].total;

	cpu_diff_add(rows, (struct row){ "gaps", SPREAD_GAPS,
					 .count = { counted(b->gaps), counted(a->gaps) } });
#define SPREAD_INTERRUPT(id) SPREAD_##id
#define SPREAD_ERROR(id)     SPREAD_GAPS
#define ALWAYS_INTERRUPT     false
#define ALWAYS_ERROR         true
#define COUNTED(id, name, from, kind, weight, plural, ...)                  \
	if (ALWAYS_##kind || !no_smi)                                       \
		cpu_diff_add(rows, (struct row){ plural, SPREAD_##kind(id), \
						 .count = { b->name, a->name } });
#include "core/cause/counted_rows.h"
}

/* Compare the tails: the longest gap alone proves little, as it is only one gap. */
static void add_over(struct rows *rows, uint64_t before_ns, uint64_t after_ns)
{
	struct row row = { .counter = SPREAD_GAPS,
			   .causes = RESULT_STAGE_ALL_CAUSES,
			   .over_ns = arith_min(before_ns, after_ns) };
	TEXT_DEFINE(length, 24);

	if (before_ns == after_ns)
		return;
	text_duration(&length, row.over_ns);
	snprintf(row.what, sizeof(row.what), "gaps over %s", length.buf);
	for (size_t i = 0; i < 2; i++)
		row.count[i] = sum_over(&rows->s.of[i], row.over_ns);
	cpu_diff_add(rows, row);
}

/* The windows' counter of a cause: its own if there is one, else that of all gaps. */
static enum spread_counter counter_of(unsigned cause)
{
	static const enum spread_counter of[CAUSES] = {
#define COUNTED(id, name, from, kind, ...) [CAUSE_##id] = SPREAD_##kind(id),
#include "core/cause/counted_rows.h"
	};

	return of[cause];
}

static void add_causes(struct rows *rows)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		struct row row = { .counter = counter_of(c), .causes = 1u << c };

		for (size_t i = 0; i < 2; i++)
			row.count[i] = counted(rows->s.of[i].total.cause[c].gaps);
		snprintf(row.what, sizeof(row.what), "gaps, cause %s", cause_name((enum cause)c));
		if (row.count[0].value || row.count[1].value)
			cpu_diff_add(rows, row);
	}
}

/* ---- Findings ---- */

/* More tests need a stricter level each: Bonferroni's correction. */
static double level(const struct findings *f)
{
	uint64_t asked = 0;

	for (size_t i = 0; i < f->count; i++)
		asked += f->at[i].change != FINDING_NOT_COMPARED;
	return asked ? RATE_LOG10_MAX - log10((double)asked) : 0;
}

/* True if the side has enough windows to show clustering, or has no events. */
static bool has_windows(const struct rows *rows, const struct row *r, size_t side)
{
	return !r->count[side].value || rows->s.of[side].stage->windows >= DISPERSION_WINDOWS_MIN;
}

static void cpu_diff_judge(const struct rows *rows, const struct row *r, struct finding *f,
			   double most)
{
	bool before = has_windows(rows, r, 0);
	double size = fmax(r->bursts[0].size, r->bursts[1].size);

	if (f->change == FINDING_NOT_COMPARED)
		return;
	if (size >= 2)
		snprintf(f->why, sizeof(f->why),
			 size >= 1000 && size < 1e15 ? "in bursts of %.0f" : "in bursts of %.4g",
			 size);
	if (f->log10_p >= most) {
		f->change = FINDING_SAME;
	} else if (!before || !has_windows(rows, r, 1)) {
		f->change = FINDING_NOT_COMPARED;
		f->log10_p = NAN;
		snprintf(f->why, sizeof(f->why), "%zu windows, %d are needed",
			 rows->s.of[before].stage->windows, DISPERSION_WINDOWS_MIN);
	}
}

/* False: there is no core, or no time. */
static bool read_side(struct side *side, const struct result_stage *stage, size_t cores)
{
	*side = (struct side){ stage, stage->cpu, cores, result_total(stage, cores) };
	return cores && exposure_of(side);
}

static void judge_all(struct rows *rows)
{
	struct findings *f = rows->findings;
	double most = level(f);

	for (size_t i = 0; i < f->count; i++)
		cpu_diff_judge(rows, &rows->row[i], &f->at[i], most);
}

static void add_longest(struct findings *f, const struct record_cpu *b, const struct record_cpu *a)
{
	struct finding *l = findings_add(f, FINDING_NS, "longest gap");

	l->side[0] = (struct finding_side){ .known = true, .value = (double)b->max_ns };
	l->side[1] = (struct finding_side){ .known = true, .value = (double)a->max_ns };
	l->change = FINDING_STATED;
	snprintf(l->why, sizeof(l->why), "on cpu %u before, on cpu %u after", b->cpu, a->cpu);
}

static void cpu_diff_describe(struct findings *f, const struct sides *s)
{
	struct text t;

	text_init(&t, f->about, sizeof(f->about));
	for (size_t i = 0; i < 2; i++) {
		text_add(&t, "%s%llu cores, ", i ? "; " : "", (unsigned long long)s->of[i].cpus);
		text_duration(&t, exposure_of(&s->of[i]));
		text_add(&t, " each %s", i ? "after" : "before");
	}
	if (s->spread > 0)
		snprintf(f->note, sizeof(f->note), "  equal runs are taken to differ by %.4g %%\n",
			 expm1(s->spread) * 100);
	f->what = "PER SECOND AND CORE";
	f->bounds = " (95 %)";
}

bool host_kind_cpu_diff(struct findings *f, const struct diff_sides *of)
{
	struct rows rows = { .s.spread = of->spread, .findings = f };
	const struct record_cpu *before, *after;

	for (size_t i = 0; i < 2; i++)
		if (!read_side(&rows.s.of[i], of->stage[i], of->stage[i]->cpus))
			return false;
	before = cpu_diff_longest(&rows.s.of[0]);
	after = cpu_diff_longest(&rows.s.of[1]);
	add_counters(&rows, false);
	add_over(&rows, before->max_ns, after->max_ns);
	add_causes(&rows);
	judge_all(&rows);
	add_longest(f, before, after);
	cpu_diff_describe(f, &rows.s);
	return true;
}

bool host_kind_ladder_step(const struct host_kind_ladder *l, size_t to, struct findings *f)
{
	const struct result_stage *const *stage = &l->rung[to - 1];
	struct rows rows = { .findings = f };
	bool all = stage[0]->cpus == stage[1]->cpus;

	for (size_t i = 0; i < 2; i++) {
		bool has_boot_core = stage[i]->cpus && !stage[i]->cpu[0].cpu;

		if (!read_side(&rows.s.of[i], stage[i], all ? stage[i]->cpus : has_boot_core))
			return false;
	}
	add_counters(&rows, l->no_smi);
	judge_all(&rows);
	cpu_diff_describe(f, &rows.s);
	return true;
}
