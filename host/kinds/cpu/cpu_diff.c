/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of two runs' cores, as `noisefloor diff` prints them. */
#include "cpu_parts.h"
#include "cpu_rates.h"

#include "host/lib/columns.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 4

struct rates {
	struct diff_part part;
	struct cpu_rates of;
};

static const struct cpu_rates *of_part(const struct diff_part *part)
{
	return &((const struct rates *)part)->of;
}

static void free_part(struct diff_part *part)
{
	free(part);
}

static struct diff_part *read_part(const struct diff_sides *of)
{
	struct rates *r = memory_new(1, sizeof(*r));

	if (!cpu_rates_read(&r->of, of->selected[0]->run, of->selected[1]->run, of->name,
			    of->spread)) {
		free_part(&r->part);
		return NULL;
	}
	for (size_t i = 0; i < r->of.count; i++)
		diff_part_count(&r->part, r->of.rate[i].change);
	return &r->part;
}

/* ---- Text ---- */

/* Four digits, and no exponent for realistic values. */
static void print_number(double value, char buf[32])
{
	snprintf(buf, 32, value >= 1000 && value < 1e15 ? "%.0f" : "%.4g", value);
}

/* "2 (1.66 to 2.39)", or "n/a". */
static void print_side(const struct cpu_rate_side *s, char buf[112])
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

/* The probability that chance alone explains a change: "5.6e-09", "under 1e-15". */
#define CHANCE_MAX 32

static const char *chance_text(const struct cpu_rate *r, char p[CHANCE_MAX])
{
	if (r->chance_milli <= RATE_CHANCE_MIN)
		snprintf(p, CHANCE_MAX, "under 1e%d", RATE_CHANCE_MIN / 1000);
	else
		snprintf(p, CHANCE_MAX, "%.2g", pow(10, (double)r->chance_milli / 1000));
	return p;
}

static double burst_of(const struct cpu_rate *r)
{
	return fmax(r->before.bursts.size, r->after.bursts.size);
}

/* "-100 %, p under 1e-15: less", "+12 %, p 0.3 in bursts of 21: not significant" */
static void print_change(const struct cpu_rate *r, char buf[112])
{
	char percent[32] = "", p[CHANCE_MAX], bursts[48] = "", size[32];

	if (r->change == RATE_NOT_COMPARED) {
		snprintf(buf, 112, "%s%s", *r->why ? "not judged: " : "not compared", r->why);
		return;
	}
	if (r->before.count.value)
		snprintf(percent, sizeof(percent), "%+.1f %%, ",
			 (r->after.per_s / r->before.per_s - 1) * 100);
	print_number(burst_of(r), size);
	if (burst_of(r) >= 2)
		snprintf(bursts, sizeof(bursts), " in bursts of %s", size);
	snprintf(buf, 112, "%sp %s%s: %s", percent, chance_text(r, p), bursts,
		 r->change == RATE_SAME ? "not significant" : ratetest_change_name(r->change));
}

static void print_rates(const struct cpu_rates *d)
{
	static char buf[CPU_RATES_MAX][COLUMNS][112];
	const char *cell[1 + CPU_RATES_MAX][COLUMNS] = { { "  PER SECOND AND CORE", "BEFORE (95 %)",
							   "AFTER (95 %)", "CHANGE" } };

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

static void print_longest(const struct cpu_longest *l, struct text *t)
{
	if (!l->ns) {
		text_add(t, "none");
		return;
	}
	text_duration(t, l->ns);
	text_add(t, " on cpu %u", l->cpu);
}

static void put_text(const struct diff_part *part, struct text *t)
{
	const struct cpu_rates *r = of_part(part);

	text_add(t, "%llu cores, ", (unsigned long long)r->cores_before);
	text_duration(t, r->exposure_before_ns);
	text_add(t, " each before; %llu cores, ", (unsigned long long)r->cores_after);
	text_duration(t, r->exposure_after_ns);
	text_add(t, " each after");
	text_sanitize_print(t);
	print_rates(r);
	if (r->spread > 0)
		printf("  equal runs are taken to differ by %.4g %%\n", expm1(r->spread) * 100);
	text_add(t, "  longest gap: ");
	print_longest(&r->longest_before, t);
	text_add(t, " before, ");
	print_longest(&r->longest_after, t);
	text_add(t, " after");
	text_sanitize_print(t);
}

/* ---- For CI servers and programs ---- */

static void add_check(struct checks *checks, const char *stage, const struct cpu_rates *of,
		      const struct cpu_rate *r)
{
	char p[CHANCE_MAX];
	struct text t;
	struct checks_row *c = checks_add(checks, diff_part_status(r->change), stage, &t, "%s",
					  r->what);

	c->ns = of->exposure_after_ns;
	if (r->change == RATE_NOT_COMPARED)
		text_add(&t, "%s", *r->why ? r->why : "not known for both runs");
	else
		snprintf(c->text, sizeof(c->text), "%.6g /s and core before, %.6g after: %s, p %s",
			 r->before.per_s, r->after.per_s, ratetest_change_name(r->change),
			 chance_text(r, p));
}

static void put_checks(const struct diff_part *part, struct checks *checks, const char *stage)
{
	const struct cpu_rates *r = of_part(part);

	for (size_t i = 0; i < r->count; i++)
		add_check(checks, stage, r, &r->rate[i]);
}

static json_t *pair(uint64_t before, uint64_t after)
{
	return json_pack("{s:o,s:o}", "before", json_number(before), "after", json_number(after));
}

static json_t *side_object(const struct cpu_rate_side *s)
{
	if (!s->count.known)
		return json_null();
	return json_pack("{s:o,s:f,s:f,s:f,s:f,s:I}", "count", json_number(s->count.value), "per_s",
			 s->per_s, "low", s->low, "high", s->high, "burst", s->bursts.size,
			 "freedom", (json_int_t)s->bursts.freedom);
}

static json_t *rate_object(const struct cpu_rate *r)
{
	const char *change = ratetest_change_name(r->change);

	return json_pack("{s:s,s:o,s:o,s:s?,s:o,s:s?}", "what", r->what, "before",
			 side_object(&r->before), "after", side_object(&r->after), "change", change,
			 "log10_p",
			 change ? json_real((double)r->chance_milli / 1000) : json_null(), "why",
			 *r->why ? r->why : NULL);
}

static void put_json(const struct diff_part *part, json_t *stage)
{
	const struct cpu_rates *r = of_part(part);

	json_object_set_new(stage, "cores", pair(r->cores_before, r->cores_after));
	json_object_set_new(stage, "exposure_ns",
			    pair(r->exposure_before_ns, r->exposure_after_ns));
	json_object_set_new(stage, "max_ns", pair(r->longest_before.ns, r->longest_after.ns));
	json_object_set_new(stage, "rates", JSON_ARRAY(i, i < r->count, rate_object(&r->rate[i])));
}

const struct diff_kind cpu_diff = {
	.read = read_part,
	.free = free_part,
	.text = put_text,
	.checks = put_checks,
	.json = put_json,
};
