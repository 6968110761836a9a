/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor fleet list`: the latest run of each machine beside those of its peers.
 *
 * Peers are machines of one product and BIOS version, measured in the same stage. One of them
 * differs in a figure if its distance from their median exceeds six times their spread, which is
 * the larger of 1.4826 times the median of the distances (the usual robust estimate of a standard
 * deviation, Rousseeuw and Croux 1993) and a tenth of the median; and in a source that more than
 * half of them have and it does not, or the other way round. In groups of fewer than five no
 * machine differs. Periods of sources that are in order within one in a hundred are one source.
 *
 * SQLite does that in tables of the connection: list.sql. Each result is a JSON object, as --json
 * prints it; the text is printed from these objects.
 */
#include "fleet.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO_SIGMA 1.4826
#define AT_LEAST 0.1

static struct options {
	struct form_choice form;
} options;

enum { ALL_RUNS, MACHINES, MEASURED, DIFFERING, COUNTS };

static const char *const counts[COUNTS] = {
	[ALL_RUNS] = "SELECT count(*) FROM run",
	[MACHINES] = "SELECT count(*) FROM node",
	[MEASURED] = "SELECT count(*) FROM node WHERE cores",
	[DIFFERING] = "SELECT count(DISTINCT node) FROM differ",
};

struct list {
	struct runs runs;
	uint64_t count[COUNTS];
	json_t *json; /* NULL: text */
	uint64_t id;  /* the run whose calls are being read */
	int error;
};

/* ---- SQL's aggregates median(x) and spread(x), of all that are not NULL ---- */

struct values {
	double *value;
	size_t count;
};

static void add_value(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct values *v = sqlite3_aggregate_context(context, sizeof(*v));

	(void)count;
	if (v && sqlite3_value_type(values[0]) != SQLITE_NULL)
		*MEMORY_ADD(v->value, v->count) = sqlite3_value_double(values[0]);
}

static ORDER_NUMBERS(by_value, double);

static double median_of(const struct values *v)
{
	qsort(v->value, v->count, sizeof(*v->value), by_value);
	return (v->value[(v->count - 1) / 2] + v->value[v->count / 2]) / 2;
}

/* The user data is not NULL for the spread. */
static void put_median(sqlite3_context *context)
{
	struct values *v = sqlite3_aggregate_context(context, 0);
	double median;

	if (!v || !v->count)
		return;
	median = median_of(v);
	if (sqlite3_user_data(context)) {
		for (size_t i = 0; i < v->count; i++)
			v->value[i] = fabs(v->value[i] - median);
		median = fmax(TO_SIGMA * median_of(v), AT_LEAST * median);
	}
	sqlite3_result_double(context, median);
	free(v->value);
}

static int add_functions(struct store *s)
{
	static const char *const names[] = { "median", "spread" };
	int code = SQLITE_OK;

	for (size_t i = 0; i < 2 && code == SQLITE_OK; i++)
		code = sqlite3_create_function(store_sql(s), names[i], 1, SQLITE_UTF8,
					       i ? &options : NULL, NULL, add_value, put_median);
	return code == SQLITE_OK ? 0 : ENOMEM;
}

/* ---- Calls of firmware, from the lines of runs of mode=services ---- */

#define CALLERS "SELECT id, sid FROM node WHERE mode='services'"

/*
 * Lines that are not JSON have no calls. A node may also send a line that is several values of an
 * array, and ->> fails for one that is a text.
 */
#define ADD_CALLS                                                                               \
	"INSERT INTO call SELECT %llu, line->>'stage', line->>'service', line->>'stops' IS 1, " \
	"max(0, CAST(line->>'p50_ns' AS INTEGER)), max(0, CAST(coalesce(line->>'max_ns', 0) "   \
	"AS INTEGER)) FROM (SELECT iif(type='object', value, '{}') AS line FROM (SELECT '[' "   \
	"|| replace(rtrim('%.*q', char(10)), char(10), ',') || ']' AS lines), "                 \
	"json_each(iif(json_valid(lines), lines, '[]'))) WHERE line->>'type'='service' AND "    \
	"line->>'p50_ns' IS NOT NULL AND line->>'service' IS NOT NULL"

static void add_calls(void *ctx, const char *text, size_t bytes)
{
	struct list *l = ctx;

	l->error = l->error ?: store_do(l->runs.store, ADD_CALLS, l->id, (int)bytes, text);
}

static int read_calls(void *ctx, sqlite3_stmt *row)
{
	struct list *l = ctx;
	const char *sid = (const char *)sqlite3_column_text(row, 1);
	const struct store_run run = { .id = (uint64_t)sqlite3_column_int64(row, 0),
				       .sid = sid ? strtoull(sid, NULL, 16) : 0 };

	l->id = run.id;
	return runs_lines(&l->runs, &run, add_calls, l) ? l->error : EIO;
}

/* ---- Text ---- */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text && *text ? text : "unknown";
}

static long long number_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

/* Print it in the unit for people, with four digits, or all of those before the point. */
static void put_figure(struct text *t, const json_t *object, const char *name,
		       const struct figures_kind *kind)
{
	double value = json_number_value(json_object_get(object, name)) * kind->scale;
	char digits[32];

	snprintf(digits, sizeof(digits), value >= 1000 ? "%.0f" : "%.4g", value);
	text_add(t, "%s", digits);
}

static void put_source(struct text *t, const json_t *source)
{
	text_add(t, "source of ");
	text_duration(t, (uint64_t)number_of(source, "period_ns"));
	text_add(t, " (%s)", text_of(source, "cause"));
}

static void print_verdicts(const json_t *group)
{
	const char *before = ": ";
	TEXT_DEFINE(t, 200);

	text_add(&t, "  %lld machines", number_of(group, "nodes"));
	for (unsigned v = 0; v < VERDICTS; v++) {
		const char *name = verdict_name((enum verdict)v);

		if (!number_of(group, name))
			continue;
		text_add(&t, "%s%lld %s", before, number_of(group, name), name);
		if (v == VERDICT_PASS && number_of(group, "remarks"))
			text_add(&t, " (%lld of them shorter than the preset requires)",
				 number_of(group, "remarks"));
		before = ", ";
	}
	text_sanitize_print(&t);
}

static void print_group(const json_t *group)
{
	const json_t *source;
	size_t i;
	TEXT_DEFINE(t, 400);

	text_add(&t, "%s, BIOS %s, stage %s", text_of(group, "product"), text_of(group, "bios"),
		 text_of(group, "stage"));
	text_sanitize_print(&t);
	print_verdicts(group);
	for (unsigned f = 0; f < FIGURES; f++) {
		const struct figures_kind *kind = &figures_kinds[f];
		const json_t *figure = json_object_get(group, kind->name);

		text_add(&t, "  %s: %s", kind->words, json_is_object(figure) ? "median " : "n/a");
		if (json_is_object(figure)) {
			put_figure(&t, figure, "median", kind);
			text_add(&t, " %s, most ", kind->unit);
			put_figure(&t, figure, "max", kind);
		}
		text_sanitize_print(&t);
	}
	json_array_foreach(json_object_get(group, "sources"), i, source)
	{
		text_add(&t, "  ");
		put_source(&t, source);
		text_add(&t, ": %lld of %lld", number_of(source, "nodes"),
			 number_of(group, "nodes"));
		text_sanitize_print(&t);
	}
}

static void print_call(const json_t *call)
{
	TEXT_DEFINE(t, 400);

	text_add(&t, "%s, BIOS %s, stage %s, %s: %lld machines, stops others on %lld; median ",
		 text_of(call, "product"), text_of(call, "bios"), text_of(call, "stage"),
		 text_of(call, "service"), number_of(call, "nodes"), number_of(call, "stops"));
	text_duration(&t, (uint64_t)number_of(call, "p50_ns"));
	text_add(&t, ", most ");
	text_duration(&t, (uint64_t)number_of(call, "max_ns"));
	text_add(&t, " (%s)", text_of(call, "uuid"));
	text_sanitize_print(&t);
}

static void print_difference(const json_t *d)
{
	const struct figures_kind *kind;
	unsigned f = 0;
	const char *began = json_string_value(json_object_get(d, "began"));
	TEXT_DEFINE(t, 400);

	text_add(&t, "  %s %s%s%s: ", text_of(d, "uuid"), text_of(d, "sid"),
		 began ? ", began " : "", began ? began : "");
	if (json_object_get(d, "source")) {
		text_add(&t, json_is_true(json_object_get(d, "has")) ? "a " : "no ");
		put_source(&t, json_object_get(d, "source"));
		text_add(&t, ", which %lld of %lld have", number_of(d, "nodes"),
			 number_of(d, "of"));
	} else {
		while (f < FIGURES - 1 && strcmp(figures_kinds[f].name, text_of(d, "figure")) != 0)
			f++;
		kind = &figures_kinds[f];
		text_add(&t, "%s ", kind->words);
		put_figure(&t, d, "value", kind);
		text_add(&t, " %s, the median of its peers ", kind->unit);
		put_figure(&t, d, "median", kind);
	}
	text_sanitize_print(&t);
}

/* ---- All ---- */

static const struct section {
	const char *name, *query;
	void (*print)(const json_t *row);
	const char *heading;
} sections[] = {
	{ "groups", "SELECT * FROM shown_groups", print_group, NULL },
	{ "calls", "SELECT * FROM shown_calls", print_call, NULL },
	{ "differ", "SELECT * FROM shown_differ", print_difference,
	  "\nDifferent from their peers:" },
};

struct showing {
	const struct section *section;
	json_t *rows; /* NULL: text */
};

/* A collector writes UTF-8: other bytes are damage. */
static int show_row(void *ctx, sqlite3_stmt *row)
{
	const struct showing *s = ctx;
	const char *text = (const char *)sqlite3_column_text(row, 0);
	json_t *object = text ? json_loads(text, 0, NULL) : NULL;

	if (!object)
		return STORE_DAMAGED;
	if (s->rows)
		return json_array_append_new(s->rows, object) ? ENOMEM : 0;
	s->section->print(object);
	json_decref(object);
	return 0;
}

static int show_sections(struct list *l)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !error; i++) {
		struct showing s = { &sections[i], l->json ? json_array() : NULL };

		if (s.rows)
			json_object_set_new(l->json, sections[i].name, s.rows);
		else if (sections[i].heading)
			puts(sections[i].heading);
		error = store_ask(l->runs.store, sections[i].query, NULL, show_row, &s);
	}
	return error;
}

/* Count the machines whose latest run has no gaps to compare. */
static int show_modes(struct list *l)
{
	const struct mode *mode;
	uint64_t machines;
	char query[80];
	int error = 0;

	for (unsigned n = 1; (mode = mode_at(n)) && !error; n++) {
		snprintf(query, sizeof(query), "SELECT count(*) FROM node WHERE mode='%s'",
			 mode->name);
		error = store_number(l->runs.store, query, &machines);
		if (machines && l->json)
			json_object_set_new(l->json, mode->name, json_number(machines));
		else if (machines)
			printf("The latest run of %" PRIu64 " of them is of mode=%s, which has no "
			       "gaps to compare\n",
			       machines, mode->name);
	}
	return error;
}

static int fleet_list_show(struct list *l)
{
	int error;

	if (options.form.form == FORM_JSON)
		l->json = json_pack("{s:I}", "machines", (json_int_t)l->count[MACHINES]);
	else
		printf("%" PRIu64 " machines, %" PRIu64 " runs; %" PRIu64
		       " of the machines have no figures\n",
		       l->count[MACHINES], l->count[ALL_RUNS],
		       l->count[MACHINES] - l->count[MEASURED]);
	error = show_modes(l);
	if (!l->json)
		putchar('\n');
	error = error ? error : show_sections(l);
	if (!l->json) {
		printf("%" PRIu64 " of %" PRIu64 " machines differ\n", l->count[DIFFERING],
		       l->count[MEASURED]);
		return error;
	}
	json_object_set_new(l->json, "differing", json_number(l->count[DIFFERING]));
	json_print("fleet/1", l->json, JSON_INDENT(2));
	return error;
}

/* Fill the tables of the connection, and count what is in them. */
static int read_fleet(struct list *l)
{
	struct store *s = l->runs.store;
	int error = add_functions(s);

	error = error ? error : store_run_sql(s, fleet_list_sql);
	error = error ? error : store_ask(s, CALLERS, NULL, read_calls, l);
	for (unsigned n = 0; n < COUNTS && !error; n++)
		error = store_number(s, counts[n], &l->count[n]);
	return error;
}

static int fleet_list_run(int count, char **paths)
{
	struct list l = { .json = NULL };
	int code = EXIT_ERROR, error;

	(void)count;
	if (runs_open(&l.runs, "fleet list", paths[0], STORE_READ)) {
		error = read_fleet(&l);
		if (!error && !l.count[MACHINES])
			fprintf(stderr, "fleet list: %s/" STORE_NAME ": no runs there\n",
				text_sanitize_name(paths[0]));
		else if (error || (error = fleet_list_show(&l)))
			runs_fail(&l.runs, error);
		else if (fflush(stdout) == 0 && !l.runs.damaged)
			code = l.count[DIFFERING] ? EXIT_FAIL : EXIT_PASS;
	}
	store_close(l.runs.store);
	return code;
}

static const struct options_row rows[] = {
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_list = {
	.name = "list",
	.command = "noisefloor fleet list",
	.run = fleet_list_run,
	.summary = "a collector's machines, and which of them differ",
	.arguments = "DIR",
	.least = 1,
	.most = 1,
	.about = "Sets the latest run of each machine in a collector's store beside those of its "
		 "peers, the machines of one product and BIOS version: longest gap, noise, SMIs "
		 "and sources of the last stage. Reports which machines differ, and in what.",
	.exit_code = "0 no machine differs, 1 some do, 2 error, or no run in the store.",
	.rows = rows,
	.options = &options,
};
