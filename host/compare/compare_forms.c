/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit and TAP: a suite per output of the OS's tools, a test per core, which is skipped if its
 * noise could not be split, and one that is an error if the comparison was refused or parts are
 * missing; its text has the flags.
 *
 * InfluxDB and Prometheus: noisefloor_compare, a row per core, with the time of the output's file.
 * A refused comparison has no rows.
 */
#include "compare.h"

#include "host/forms/checks.h"
#include "host/forms/ci.h"
#include "host/lib/exit.h"
#include "host/forms/series.h"
#include "host/capture/run.h"
#include "split_words.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- For CI servers ---- */

static void add_flag(void *ctx, bool refused, const char *name, const char *text)
{
	(void)text;
	text_add(ctx, "; %s%s", refused ? "refused: " : "", name);
}

static void add_output(struct checks *checks, const struct split_result *s)
{
	int code = split_exit_code(s);
	struct text t;

	checks_add(checks, code == EXIT_PASS ? CHECK_PASS : CHECK_ERROR, s->tool->tool, &t,
		   "compared");
	text_add(&t, "%s",
		 code == EXIT_PASS    ? "compared"
		 : code == EXIT_ERROR ? "refused"
				      : "incomplete");
	split_words_flags(s, add_flag, &t);
}

static void add_core(struct checks *checks, const struct split_result *s, const struct split_row *r)
{
	char name[SPLIT_NAME_MAX];
	struct text t;

	split_words_name(name, s, r);
	checks_add(checks, r->split ? CHECK_PASS : CHECK_SKIP, s->tool->tool, &t, "%s", name)->ns =
		r->exposure_ns.low;
	if (r->split)
		split_words_share(&t, r);
	else
		text_add(&t, "%s",
			 r->has_floor ? "only the longest gaps can be compared"
				      : "the floor has no such core");
}

static void read_checks(struct checks *checks, const struct split_result *s)
{
	for (size_t i = 0; i < s->rows && !s->refused; i++)
		add_core(checks, s, &s->row[i]);
	if (s->has_all && s->rows > 1)
		add_core(checks, s, &s->all);
	add_output(checks, s);
}

static void put_suite(const struct floor *floor, const struct split_result *s)
{
	char comment[SPLIT_WORDS_MAX], line[24];
	const char *property[][2] = { { "floor", floor->file },
				      { "stage", floor->stage_name },
				      { "file", s->tool->file },
				      { "line", line } };
	struct checks checks = { .count = 0 };
	const struct ci_suite suite = { "noisefloor compare", comment, property, 4, &checks };
	struct text t;

	text_init(&t, comment, sizeof(comment));
	split_words_tool(&t, s);
	snprintf(line, sizeof(line), "%" PRIu64, s->tool->line);
	read_checks(&checks, s);
	ci_suite(&suite);
	checks_free(&checks);
}

/* No output at all is not a pass. */
static void put_nothing(void)
{
	struct checks checks = { .count = 0 };
	const struct ci_suite suite = { "noisefloor compare", "no output", NULL, 0, &checks };
	struct text t;

	checks_add(&checks, CHECK_ERROR, "run", &t, "compared");
	text_add(&t, "no measurement of the OS could be read");
	ci_suite(&suite);
	checks_free(&checks);
}

void compare_ci(const struct comparison *c)
{
	ci_open(c->form);
	for (size_t i = 0; i < c->count; i++)
		put_suite(c->floor, &c->split[i]);
	if (!c->count)
		put_nothing();
	ci_close();
}

/* ---- For time-series databases ---- */

enum { LABEL_FLOOR, LABEL_STAGE, LABEL_FILE, LABEL_LINE, LABEL_TOOL, LABEL_CPU, LABELS };

enum {
	COLUMN_EXPOSURE,
	COLUMN_NOISE,
	COLUMN_FLOOR,
	COLUMN_CAUSE, /* the first of SPLIT_CAUSES */
	COLUMN_UNEXPLAINED = COLUMN_CAUSE + SPLIT_CAUSES,
	COLUMN_FLOOR_LOW,
	COLUMN_FLOOR_HIGH,
	COLUMN_MAX,
	COLUMN_FLOOR_MAX,
	COLUMNS
};

static const char *const labels[LABELS] = {
	[LABEL_FLOOR] = "floor", [LABEL_STAGE] = "stage", [LABEL_FILE] = "file",
	[LABEL_LINE] = "line",   [LABEL_TOOL] = "tool",   [LABEL_CPU] = "cpu",
};

static const struct series_column columns[COLUMNS] = {
	[COLUMN_EXPOSURE] = { "exposure", "Time that the OS watched, at least.", SERIES_NS },
	[COLUMN_NOISE] = { "noise", "Noise seen from inside, at least.", SERIES_NS },
	[COLUMN_FLOOR] = { "floor", "Part of it attributed to the floor.", SERIES_NS },
	[COLUMN_CAUSE + TOOL_NMI] = { "nmi", "Part of it taken by NMIs.", SERIES_NS },
	[COLUMN_CAUSE + TOOL_IRQ] = { "irq", "Part of it taken by interrupts.", SERIES_NS },
	[COLUMN_CAUSE + TOOL_SOFTIRQ] = { "softirq", "Part of it taken by softirqs.", SERIES_NS },
	[COLUMN_CAUSE + TOOL_THREAD] = { "thread", "Part of it taken by threads.", SERIES_NS },
	[COLUMN_UNEXPLAINED] = { "unexplained", "Part of it that is unexplained.", SERIES_NS },
	[COLUMN_FLOOR_LOW] = { "floor_low", "The floor's part, lower bound at 95 %.", SERIES_NS },
	[COLUMN_FLOOR_HIGH] = { "floor_high", "The floor's part, upper bound at 95 %.", SERIES_NS },
	[COLUMN_MAX] = { "max", "Longest gap seen from inside, at least.", SERIES_NS },
	[COLUMN_FLOOR_MAX] = { "floor_max", "Longest gap of the floor.", SERIES_NS },
};

static void set_range(struct series_row *row, size_t column, struct range r)
{
	if (r.known)
		series_set(row, column, r.low);
}

static void set_split(struct series_row *row, const struct split_row *r)
{
	series_set(row, COLUMN_FLOOR, r->floor_ns);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		set_range(row, COLUMN_CAUSE + c, r->cause_ns[c]);
	series_set(row, COLUMN_UNEXPLAINED, r->unexplained_ns);
	set_range(row, COLUMN_FLOOR_LOW, r->bounds_ns);
	if (r->bounds_ns.known && r->bounds_ns.high != RANGE_OPEN)
		series_set(row, COLUMN_FLOOR_HIGH, r->bounds_ns.high);
}

static void add_row(struct series *series, const struct split_result *s, const struct split_row *r)
{
	struct series_row *row = series_add(series);

	series_label(row, LABEL_FLOOR, "%016" PRIx64, s->floor->run->sid);
	series_label(row, LABEL_STAGE, "%s", s->floor->stage_name);
	series_label(row, LABEL_FILE, "%s", s->tool->file);
	series_label(row, LABEL_LINE, "%" PRIu64, s->tool->line);
	series_label(row, LABEL_TOOL, "%s", s->tool->tool);
	if (r->cpu == TOOL_ANY_CPU)
		series_label(row, LABEL_CPU, "any");
	else
		series_label(row, LABEL_CPU, "%" PRIu32, r->cpu);
	set_range(row, COLUMN_EXPOSURE, r->exposure_ns);
	set_range(row, COLUMN_NOISE, r->noise_ns);
	set_range(row, COLUMN_MAX, r->max_ns);
	if (r->has_floor)
		series_set(row, COLUMN_FLOOR_MAX, r->floor_max_ns);
	if (r->split)
		set_split(row, r);
	row->time_ns = series_time_of(s->tool->file);
}

void compare_series(const struct comparison *c)
{
	struct series s = { "compare", labels, LABELS, columns, COLUMNS, NULL, 0 };

	for (size_t i = 0; i < c->count; i++) {
		for (size_t n = 0; n < c->split[i].rows && !c->split[i].refused; n++)
			add_row(&s, &c->split[i], &c->split[i].row[n]);
	}
	series_print(&s, c->form);
	series_free(&s);
}
