/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed: identity and settings, then stage by stage rates, longest gaps and sources. */
#include "diff_compared.h"

#include "host/lib/columns.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <math.h>
#include <stdio.h>

#define LINE_BYTES 16384
#define COLUMNS    4

static void print_run(const char *which, const struct capture_select *p, struct text *t)
{
	bool dated = p->run->has_begin && p->run->begin.began;

	text_add(t, "%-7s %s: run %016llx%s%s%s", which, p->capture.name,
		 (unsigned long long)p->run->sid, dated ? ", began " : "",
		 dated ? p->run->begin.began : "",
		 result_is_whole(p->run) ? "" : ", records missing");
	text_sanitize_print(t);
}

static void print_differences(const struct diff_fields *d, struct text *t)
{
	puts(d->count ? "settings and identity that differ:"
		      : "settings and identity do not differ");
	for (size_t i = 0; i < d->count; i++) {
		text_add(t, "  %s: %s -> %s", d->at[i].name, d->at[i].before, d->at[i].after);
		text_sanitize_print(t);
	}
}

/* Four digits, and no exponent for realistic values. */
static void print_number(double value, char buf[32])
{
	snprintf(buf, 32, value >= 1000 && value < 1e15 ? "%.0f" : "%.4g", value);
}

/* "2 (1.66 to 2.39)", or "n/a". */
static void print_side(const struct diff_side *s, char buf[112])
{
	char number[3][32];

	if (!s->count.known) {
		snprintf(buf, 112, "n/a");
		return;
	}
	print_number(s->per_s, number[0]);
	print_number(s->low, number[1]);
	print_number(s->high, number[2]);
	snprintf(buf, 112, "%s (%s to %s)", number[0], number[1], number[2]);
}

const char *diff_chance(const struct ladder_change *c, char p[DIFF_CHANCE_MAX])
{
	if (c->chance_milli <= RATE_CHANCE_MIN)
		snprintf(p, DIFF_CHANCE_MAX, "under 1e%d", RATE_CHANCE_MIN / 1000);
	else
		snprintf(p, DIFF_CHANCE_MAX, "%.2g", pow(10, (double)c->chance_milli / 1000));
	return p;
}

/* "-100 %, p under 1e-15: less" */
static void print_change(const struct diff_rate *r, char buf[96])
{
	const struct ladder_change *c = &r->change;
	char percent[32] = "", p[DIFF_CHANCE_MAX];

	if (c->change == RATE_NOT_COMPARED) {
		snprintf(buf, 96, "not compared");
		return;
	}
	if (r->before.count.value)
		snprintf(percent, sizeof(percent), "%+.1f %%, ",
			 (r->after.per_s / r->before.per_s - 1) * 100);
	snprintf(buf, 96, "%sp %s: %s", percent, diff_chance(c, p),
		 c->change == RATE_SAME ? "not significant" : ratetest_change_name(c->change));
}

static void print_rates(const struct diff_rates *d)
{
	static char buf[DIFF_RATES_MAX][COLUMNS][112];
	const char *cell[1 + DIFF_RATES_MAX][COLUMNS] = {
		{ "  PER SECOND AND CORE", "BEFORE (95 %)", "AFTER (95 %)", "CHANGE" }
	};

	for (size_t i = 0; i < d->count; i++) {
		snprintf(buf[i][0], sizeof(buf[i][0]), "  %s", d->rate[i].what);
		print_side(&d->rate[i].before, buf[i][1]);
		print_side(&d->rate[i].after, buf[i][2]);
		print_change(&d->rate[i], buf[i][3]);
		for (size_t c = 0; c < COLUMNS; c++)
			cell[1 + i][c] = buf[i][c];
	}
	columns_print(cell[0], 1 + d->count, COLUMNS, "ll");
}

static void print_longest(const struct diff_longest *l, struct text *t)
{
	if (!l->ns) {
		text_add(t, "none");
		return;
	}
	text_duration(t, l->ns);
	text_add(t, " on cpu %u", l->cpu);
}

/* Negative: not known. */
static void print_value(double value, int places, char buf[32])
{
	if (value < 0)
		snprintf(buf, 32, "n/a");
	else
		snprintf(buf, 32, "%.*f", places, value);
}

/* "47.493 -> 47.214", or as a factor. */
static void print_pair(struct text *t, double before, double after, int places, int width)
{
	char number[2][32], pair[72];

	print_value(before, places, number[0]);
	print_value(after, places, number[1]);
	snprintf(pair, sizeof(pair), "%s -> %s", number[0], number[1]);
	text_add(t, "%*s", width, pair);
}

static void print_stretch_row(const struct diff_stretch_row *r, struct text *t)
{
	const struct record_stretch *b = r->side[0], *a = r->side[1];

	text_add(t, "  %-6s %-8s %3u", b->kernel, b->phase, (unsigned)b->cpu);
	print_pair(t, r->best_ns[0] / 1000, r->best_ns[1] / 1000, 3, 21);
	print_pair(t, 1 + (double)b->p999 / 1e6, 1 + (double)a->p999 / 1e6, 4, 20);
	print_pair(t, 1 + (double)b->mean / 1e6, 1 + (double)a->mean / 1e6, 4, 20);
	if (isfinite(r->percent)) {
		char percent[32];

		snprintf(percent, sizeof(percent), "  %+.1f %%", r->percent);
		text_add(t, "%s", percent);
	}
	text_add(t, ": %s",
		 r->change == RATE_NOT_COMPARED ? "not compared"
		 : r->change == RATE_SAME       ? "not significant"
						: ratetest_change_name(r->change));
	text_sanitize_print(t);
}

static void print_stretch(const struct diff_stretch *d, struct text *t)
{
	text_add(t, "  KERNEL PHASE    CPU             BEST(us)               P99.9"
		    "                MEAN  CHANGE");
	text_sanitize_print(t);
	for (size_t i = 0; i < d->rows; i++)
		print_stretch_row(&d->row[i], t);
	printf("  The change is that of the mean time of a quantum. It is significant where %.1f "
	       "%% "
	       "of one side's\n  quanta are longer than %.1f %% of the other's: a turn counts as "
	       "one "
	       "observation, of 20. P99.9\n  alone proves nothing, nor does a best; two runs also "
	       "differ by what no turn shows: repeat both.\n",
	       100 - (d->rank - 0.5) * 5, 100 - (d->rank - 0.5) * 5);
}

static void print_stage_head(const struct diff_stage *s, struct text *t)
{
	const struct diff_rates *r = &s->rates;

	text_add(t, "stage %s: ", s->name);
	if (!s->has_rates && s->stretch.rows) {
		text_add(t, "stretch");
		text_sanitize_print(t);
		return;
	}
	if (!s->has_rates) {
		text_add(t, "nothing to compare");
		text_sanitize_print(t);
		return;
	}
	text_add(t, "%llu cores, ", (unsigned long long)r->cores_before);
	text_duration(t, r->exposure_before_ns);
	text_add(t, " each before; %llu cores, ", (unsigned long long)r->cores_after);
	text_duration(t, r->exposure_after_ns);
	text_add(t, " each after");
	text_sanitize_print(t);
	print_rates(r);
	text_add(t, "  longest gap: ");
	print_longest(&r->longest_before, t);
	text_add(t, " before, ");
	print_longest(&r->longest_after, t);
	text_add(t, " after");
	text_sanitize_print(t);
}

static void print_sources(const struct diff_stage *s, struct text *t)
{
	if (!s->sources && (s->has_rates || !s->stretch.rows))
		puts("  no source before or after");
	for (size_t i = 0; i < s->sources; i++) {
		const struct diff_changed_source *c = &s->source[i];
		const struct record_source *r = &c->source;
		const char *likely = r->origin ? r->origin : r->hint;

		text_add(t, "  source %s: every ", diff_source_change_name(c->change));
		text_duration(t, r->period_ns);
		text_add(t, ", %s, %llu events", r->cause, (unsigned long long)r->events);
		if (likely)
			text_add(t, ", likely %s", likely);
		if (c->why)
			text_add(t, " (%s)", c->why);
		text_sanitize_print(t);
	}
}

static void print_outcome(const struct diff_compared *c)
{
	static const char *const sentences[] = {
		[OUTCOME_SAME] = "same: no significant change",
		[OUTCOME_BETTER] = "better: something is less or gone, nothing is more or new",
		[OUTCOME_WORSE] = "worse: something is more or new",
	};

	printf("\noutcome: %s (significance: 1 in 100, for all rows of a stage together)\n",
	       sentences[c->outcome]);
}

void diff_text(const struct diff_compared *c)
{
	static char buf[LINE_BYTES];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	print_run("before:", &c->before, &t);
	print_run("after:", &c->after, &t);
	for (size_t i = 0; i < c->unlikes; i++) {
		text_add(&t, "the runs differ in %s", c->unlike[i]);
		text_sanitize_print(&t);
	}
	print_differences(&c->differences, &t);
	for (size_t i = 0; i < c->stages; i++) {
		putchar('\n');
		print_stage_head(&c->stage[i], &t);
		if (c->stage[i].stretch.rows)
			print_stretch(&c->stage[i].stretch, &t);
		print_sources(&c->stage[i], &t);
	}
	print_outcome(c);
}
