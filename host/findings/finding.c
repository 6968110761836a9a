/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings, and the forms in which they are printed. */
#define _GNU_SOURCE /* qsort_r */
#include "finding.h"

#include "host/forms/checks.h"
#include "host/lib/columns.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "host/statistics/chance.h"
#include "core/lib/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CELL    700
#define COLUMNS 4

static const struct {
	const char *name;  /* NULL: null in JSON */
	const char *words; /* NULL: nothing but `why` is printed */
	enum check_status status;
} changes[FINDING_CHANGES] = {
	[FINDING_SAME] = { "same", "not significant", CHECK_PASS },
	[FINDING_LESS] = { "less", "less", CHECK_PASS },
	[FINDING_MORE] = { "more", "more", CHECK_FAIL },
	[FINDING_NOT_COMPARED] = { NULL, "not compared", CHECK_SKIP },
	[FINDING_KEPT] = { "same", "kept", CHECK_PASS },
	[FINDING_GONE] = { "gone", "gone", CHECK_PASS },
	[FINDING_NEW] = { "new", "new", CHECK_FAIL },
	[FINDING_STATED] = { "stated", NULL, CHECK_SKIP },
	[FINDING_SHOWN] = { "stated", NULL, CHECK_PASS },
	[FINDING_MISSING] = { "stated", NULL, CHECK_SKIP },
	[FINDING_MET] = { "met", NULL, CHECK_PASS },
	[FINDING_EXCEEDED] = { "exceeded", NULL, CHECK_FAIL },
	[FINDING_UNDECIDED] = { "undecided", NULL, CHECK_ERROR },
};

static const struct {
	const char *name;  /* in JSON */
	const char *to;    /* between bounds; shorter for durations, so that the columns fit */
	const char *words; /* the unit in a check, for values that are printed without it */
} units[FINDING_UNITS] = {
	[FINDING_RATE] = { "1/s", " to ", ", per second and core" },
	[FINDING_PPM] = { "ppm", " to ", ", ppm" },
	[FINDING_NS] = { "ns", "-", "" },
	[FINDING_CORES] = { "cores", " to ", ", cores" },
};

struct finding *findings_add(struct findings *f, enum finding_unit unit, const char *what, ...)
{
	struct finding *new = MEMORY_ADD(f->at, f->count);
	va_list args;

	*new = (struct finding){ .unit = unit, .change = FINDING_NOT_COMPARED, .log10_p = NAN };
	va_start(args, what);
	vsnprintf(new->what, sizeof(new->what), what, args);
	va_end(args);
	return new;
}

void findings_free(struct findings *f)
{
	free(f->at);
}

static bool has_change(const struct findings *f, enum finding_change a, enum finding_change b)
{
	size_t i = 0;

	while (i < f->count && f->at[i].change != a && f->at[i].change != b)
		i++;
	return i < f->count;
}

bool findings_more(const struct findings *f)
{
	return has_change(f, FINDING_MORE, FINDING_NEW);
}

bool findings_less(const struct findings *f)
{
	return has_change(f, FINDING_LESS, FINDING_GONE);
}

/* ---- Text ---- */

/* Four digits, and no exponent for realistic values. */
static void put_value(struct text *t, enum finding_unit unit, double value)
{
	char number[32];

	if (unit == FINDING_NS) {
		text_duration(t, (uint64_t)fmin(fmax(value, 0), 0x1p63));
		return;
	}
	snprintf(number, sizeof(number), value >= 1000 && value < 1e15 ? "%.0f" : "%.4g", value);
	text_add(t, "%s", number);
}

/* "2 (1.66 to 2.39)", or "n/a". */
static void put_side(struct text *t, const struct finding *f, int side)
{
	const struct finding_side *s = &f->side[side];

	if (!s->known) {
		text_add(t, "n/a");
		return;
	}
	put_value(t, f->unit, s->value);
	if (!s->bounded)
		return;
	text_add(t, " (");
	put_value(t, f->unit, s->low);
	text_add(t, "%s", units[f->unit].to);
	put_value(t, f->unit, s->high);
	text_add(t, ")");
}

static void put_p(struct text *t, const struct finding *f)
{
	if (isnan(f->log10_p))
		return;
	text_add(t, "%s", t->len ? ", " : "");
	ratetest_add_p(t, f->log10_p);
}

/* "-100.0 %, p under 1e-15: less", "p 0.3 in bursts of 21: not significant" */
static void put_change(struct text *t, const struct finding *f)
{
	const struct finding_side *b = &f->side[0], *a = &f->side[1];
	char percent[32];

	if (f->change == FINDING_NOT_COMPARED || !changes[f->change].words) {
		text_add(t, "%s%s",
			 !changes[f->change].words ? ""
			 : *f->why                 ? "not judged: "
						   : changes[f->change].words,
			 f->why);
		return;
	}
	if (b->known && a->known && b->value > 0) {
		snprintf(percent, sizeof(percent), "%+.1f %%", (a->value / b->value - 1) * 100);
		text_add(t, "%s", percent);
	}
	put_p(t, f);
	text_add(t, "%s%s", t->len && *f->why ? " " : "", f->why);
	text_add(t, "%s%s", t->len ? ": " : "", changes[f->change].words);
}

static void fill_row(const struct finding *f, char buf[COLUMNS][CELL])
{
	struct text t;

	snprintf(buf[0], CELL, "  %s", f->what);
	for (int side = 0; side < 2; side++) {
		text_init(&t, buf[1 + side], CELL);
		put_side(&t, f, side);
	}
	text_init(&t, buf[3], CELL);
	put_change(&t, f);
	text_sanitize(buf[0]);
	text_sanitize(buf[3]);
}

/* ---- Tables of figures ---- */

static int by_size(const void *a, const void *b, void *worst)
{
	const struct finding *x = *(const struct finding *const *)a;
	const struct finding *y = *(const struct finding *const *)b;
	size_t n = *(const size_t *)worst;

	return ORDER(y->figure[n].low, x->figure[n].low) ?: ORDER(x, y);
}

#define FIGURE_COLUMNS (1 + FINDING_FIGURES)
#define FIGURE_CELL    48

/* Cells of a row, and its columns that have something. */
static void put_figures(char (*cell)[FIGURE_CELL], bool *used, const struct findings *f,
			const struct finding *of)
{
	struct text text;

	snprintf(cell[0], FIGURE_CELL, "%.*s", FIGURE_CELL - 1, of->what);
	for (size_t i = 0; i < f->figures; i++) {
		const struct finding_figure *figure = &f->figure[i];

		text_init(&text, cell[1 + i], FIGURE_CELL);
		range_text(&text, range_in_units(of->figure[i], figure->unit ?: 1), figure->digits);
		used[1 + i] |= figure->head && (of->figure[i].known || !figure->optional);
	}
}

static void print_figures(const struct findings *f)
{
	const struct finding **row = memory_new(f->count + 1, sizeof(*row));
	char(*buf)[FIGURE_COLUMNS][FIGURE_CELL] = memory_new(f->count + 1, sizeof(*buf));
	const char **cell = memory_new((f->count + 1) * FIGURE_COLUMNS, sizeof(*cell)), **at = cell;
	size_t shown = f->count - f->has_sum, worst = f->worst;
	bool used[FIGURE_COLUMNS] = { true };

	for (size_t i = 0; i < f->count; i++)
		row[i] = &f->at[i];
	if (shown > FINDINGS_ALL) {
		printf("the %d cores with the most noise, of %zu:\n", FINDINGS_WORST, shown);
		qsort_r(row, shown, sizeof(const struct finding *), by_size, &worst);
		shown = FINDINGS_WORST;
	}
	if (f->has_sum)
		row[shown++] = &f->at[f->count - 1];
	snprintf(buf[0][0], FIGURE_CELL, "%s", f->what);
	for (size_t i = 0; i < f->figures; i++)
		snprintf(buf[0][1 + i], FIGURE_CELL, "%s", f->figure[i].head ?: "");
	for (size_t n = 0; n < shown; n++)
		put_figures(buf[1 + n], used, f, row[n]);
	for (size_t n = 0; n <= shown; n++)
		for (size_t c = 0; c < FIGURE_COLUMNS; c++)
			*at++ = n || used[c] ? buf[n][c] : NULL;
	columns_print(cell, 1 + shown, FIGURE_COLUMNS, "rr");
	free(cell);
	free(buf);
	free(row);
}

/* ---- Text ---- */

static void print_sides(const struct findings *f)
{
	char(*buf)[COLUMNS][CELL] = memory_new(1 + f->count, sizeof(*buf));
	const char **cell = memory_new((1 + f->count) * COLUMNS, sizeof(*cell)), **at = cell;

	snprintf(buf[0][0], CELL, "  %s", f->what);
	snprintf(buf[0][1], CELL, "%s%s", f->side[0] ?: "BEFORE", f->bounds);
	snprintf(buf[0][2], CELL, "%s%s", f->side[1] ?: "AFTER", f->bounds);
	snprintf(buf[0][3], CELL, "%s", f->side[2] ?: "CHANGE");
	for (size_t i = 0; i < f->count; i++)
		fill_row(&f->at[i], buf[1 + i]);
	for (size_t i = 0; i <= f->count; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			*at++ = buf[i][c];
	columns_print(cell, 1 + f->count, COLUMNS, "ll");
	free(cell);
	free(buf);
}

void findings_text(const struct findings *f)
{
	if (f->figures)
		print_figures(f);
	else if (f->count)
		print_sides(f);
	fputs(f->note, stdout);
}

/* ---- JSON ---- */

json_t *finding_change_json(const struct finding *f)
{
	return json_pack("{s:o,s:s?}", "what", json_name(f->what), "change",
			 changes[f->change].name);
}

static json_t *side_object(const struct finding_side *s)
{
	if (!s->known)
		return json_null();
	return json_pack("{s:f,s:o,s:o}", "value", s->value, "low",
			 s->bounded ? json_real(s->low) : json_null(), "high",
			 s->bounded ? json_real(s->high) : json_null());
}

static json_t *figures_object(const struct findings *f, const struct finding *of)
{
	json_t *object = json_pack("{s:o,s:s?,s:o}", "what", json_name(of->what), "change",
				   changes[of->change].name, "why",
				   *of->why ? json_name(of->why) : json_null());

	for (size_t i = 0; i < f->figures; i++)
		if (f->figure[i].key)
			json_object_set_new(object, f->figure[i].key, json_range(of->figure[i]));
	return object;
}

void findings_json(const struct findings *f, json_t *list)
{
	for (size_t i = 0; i < f->count && f->figures; i++)
		json_array_append_new(list, figures_object(f, &f->at[i]));
	for (size_t i = 0; i < f->count && !f->figures; i++) {
		const struct finding *of = &f->at[i];

		json_t *object = json_pack(
			"{s:o,s:o,s:s,s:o,s:o,s:s?,s:o}", "stage", json_name(f->stage), "what",
			json_name(of->what), "unit", units[of->unit].name, "before",
			side_object(&of->side[0]), "after", side_object(&of->side[1]), "change",
			changes[of->change].name, "why",
			*of->why ? json_name(of->why) : json_null());

		if (!isnan(of->log10_p))
			json_object_set_new(object, "log10_p", json_real(of->log10_p));
		json_array_append_new(list, object);
	}
}

/* ---- For CI servers ---- */

void findings_checks(const struct findings *f, struct checks *checks)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct finding *of = &f->at[i];
		bool sum = f->has_sum && i + 1 == f->count;
		char row[COLUMNS][CELL];
		struct text t;

		if (of->change == FINDING_STATED)
			continue;
		fill_row(of, row);
		checks_add(checks, changes[of->change].status, f->stage, &t, "%s%s",
			   f->kind && !sum ? f->kind : "", of->what)
			->ns = of->ns;
		if (!changes[of->change].words)
			text_add(&t, "%s", of->why);
		else
			text_add(&t, "%s before, %s after%s: %s", row[1], row[2],
				 units[of->unit].words, row[3]);
	}
}
