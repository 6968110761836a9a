/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet list`: the latest run of each machine, by product and BIOS version. */
#include "fleet.h"
#include "fleet_group.h"
#include "runs.h"

#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run without a UUID is a machine of its own. */
#define LATEST "WHERE (id IN (SELECT max(id) FROM run WHERE uuid<>'' GROUP BY uuid) OR uuid='')"

static struct options {
	const char *policy;
	struct form_choice form;
} options;

struct list {
	struct runs runs;
	struct store_run *node; /* the latest run of each machine */
	size_t nodes;
	uint64_t all;              /* runs of the store */
	struct store_run **sorted; /* those with figures; peers are neighbours */
	size_t measured, differ;
	size_t of_mode[MODES]; /* machines of each mode but the first: they have no gaps */
	json_t *json;          /* NULL: text */
};

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

/* ---- Calls of firmware, from the lines of runs of mode=services ---- */

#define CALLED_TABLE                                                                            \
	"CREATE TEMP TABLE called(id INTEGER PRIMARY KEY, product, bios, stage, service, uuid," \
	" stops, p50_ns, max_ns)"

#define OF_ONE "(PARTITION BY product, bios, stage, service ORDER BY "
#define CALLS                                                                                   \
	"WITH ranked AS (SELECT *, row_number() OVER " OF_ONE "p50_ns) AS n, count(*) OVER "    \
	"(PARTITION BY product, bios, stage, service) AS nodes, first_value(uuid) OVER " OF_ONE \
	"max_ns DESC, p50_ns) AS longest FROM called) SELECT product, bios, stage, "            \
	"service, nodes, sum(stops), sum((n = (nodes + 1) / 2) * (p50_ns / 2) + "               \
	"(n = nodes / 2 + 1) * (p50_ns / 2)), max(max_ns), min(longest), min(id) = "            \
	"min(min(id)) OVER (PARTITION BY product, bios, stage) FROM ranked "                    \
	"GROUP BY product, bios, stage, service ORDER BY product, bios, min(id)"

static bool add_call(struct list *l, const struct summary *s, const char *stage,
		     const struct record_service *r)
{
	char names[2][24];
	int error;

	text_sanitize_ascii(names[0], sizeof(names[0]), stage);
	text_sanitize_ascii(names[1], sizeof(names[1]), r->service);
	error = store_do(l->runs.store,
			 "INSERT INTO called VALUES (NULL, %Q, %Q, %Q, %Q, %Q, %d, %lld, %lld)",
			 s->product, s->bios, names[0], names[1], s->uuid, r->stops,
			 (sqlite3_int64)r->p50_ns.value, (sqlite3_int64)r->max_ns.value);
	return !error || runs_fail(&l->runs, error);
}

static bool add_calls(struct list *l, const struct summary *s, const struct result *run)
{
	bool is_added = true;

	for (size_t n = 0; n < run->stages; n++) {
		const struct service_records of = service_records_of(&run->stage[n]);

		for (size_t i = 0; i < of.count && is_added; i++)
			if (of.at[i].service && of.at[i].p50_ns.known)
				is_added = add_call(l, s, run->stage[n].name, &of.at[i]);
	}
	return is_added;
}

static void leave_out(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static void feed(void *ctx, const char *text, size_t bytes)
{
	capture_feed(ctx, text, bytes);
}

static bool read_calls(struct list *l, const struct store_run *run)
{
	const struct capture_want want = { .keep = 1u << RECORD_BEGIN | 1u << RECORD_SERVICE,
					   .complain = leave_out };
	struct capture c;
	bool is_read;

	capture_begin(&c, "", &want);
	is_read = runs_lines(&l->runs, run, feed, &c);
	capture_end(&c);
	for (size_t i = 0; i < c.runs && is_read; i++)
		if (c.run[i]->sid == run->sid)
			is_read = add_calls(l, &run->summary, c.run[i]);
	capture_close(&c);
	return is_read;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

static json_t *json_call(sqlite3_stmt *row)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "product",
			 text_of(row, 0), "bios", text_of(row, 1), "stage", text_of(row, 2),
			 "service", text_of(row, 3), "nodes", sqlite3_column_int64(row, 4), "stops",
			 sqlite3_column_int64(row, 5), "p50_ns", sqlite3_column_int64(row, 6),
			 "max_ns", sqlite3_column_int64(row, 7), "uuid", text_of(row, 8));
}

static int show_call(void *ctx, sqlite3_stmt *row)
{
	struct list *l = ctx;
	TEXT_DEFINE(t, 200);

	if (l->json) {
		json_array_append_new(json_object_get(l->json, "calls"), json_call(row));
		return 0;
	}
	text_add(&t, "  %s: %lld machines, stops others on %lld; median ", text_of(row, 3),
		 sqlite3_column_int64(row, 4), sqlite3_column_int64(row, 5));
	text_duration(&t, (uint64_t)sqlite3_column_int64(row, 6));
	text_add(&t, ", most ");
	text_duration(&t, (uint64_t)sqlite3_column_int64(row, 7));
	if (sqlite3_column_int(row, 9))
		printf("%s, BIOS %s, stage %s, calls of firmware\n", or_unknown(text_of(row, 0)),
		       or_unknown(text_of(row, 1)), text_of(row, 2));
	printf("%s (%s)\n", t.buf, or_unknown(text_of(row, 8)));
	return 0;
}

/* ---- Which machines there are ---- */

static int add_node(void *ctx, const struct store_run *run)
{
	struct list *l = ctx;

	*MEMORY_ADD(l->node, l->nodes) = *run;
	for (unsigned n = 1; mode_at(n); n++)
		l->of_mode[n] += run->summary.mode == mode_at(n);
	return 0;
}

static bool read_fleet(struct list *l)
{
	struct store *s = l->runs.store;
	bool is_read = runs_each(&l->runs, LATEST, NULL, add_node, l);
	int error = store_number(s, "SELECT count(*) FROM run", &l->all);

	error = error ? error : store_run_sql(s, CALLED_TABLE);
	if (error)
		return runs_fail(&l->runs, error);
	l->sorted = memory_new(l->nodes, sizeof(*l->sorted));
	for (size_t i = 0; i < l->nodes && is_read; i++) {
		struct store_run *run = &l->node[i];

		if (run->summary.mode == &mode_services)
			is_read = read_calls(l, run);
		if (run->summary.figures.cores)
			l->sorted[l->measured++] = run;
	}
	ORDER_SORT(l->sorted, l->measured, fleet_group_order);
	if (is_read && !l->nodes)
		fprintf(stderr, "fleet list: %s/" STORE_NAME ": no runs there\n",
			text_sanitize_name(l->runs.path));
	return is_read && l->nodes;
}

/* ---- Groups ---- */

static void print_verdicts(const struct fleet_group *l)
{
	const char *before = ": ";

	for (unsigned v = 0; v < VERDICTS; v++) {
		if (!l->verdicts[v])
			continue;
		printf("%s%zu %s", before, l->verdicts[v], verdict_name((enum verdict)v));
		if (v == VERDICT_PASS && l->remarks)
			printf(" (%zu of them shorter than the preset requires)", l->remarks);
		before = ", ";
	}
	putchar('\n');
}

static void print_group(const struct fleet_group *l)
{
	const struct summary *s = &l->node[0]->summary;
	char median[32], most[32];

	printf("%s, BIOS %s, stage %s\n  %zu machines", or_unknown(s->product), or_unknown(s->bios),
	       s->figures.stage, l->nodes);
	print_verdicts(l);
	for (unsigned f = 0; f < FIGURES; f++) {
		const struct figures_kind *kind = figures_kind((enum figure)f);

		printf("  %s: ", kind->words);
		if (l->known[f])
			printf("median %s %s, most %s\n",
			       fleet_figure_text(l->median[f], kind, median), kind->unit,
			       fleet_figure_text(l->most[f], kind, most));
		else
			puts("n/a");
	}
	for (size_t i = 0; i < l->sources; i++) {
		TEXT_DEFINE(period, 32);

		text_duration(&period, l->source[i].source.period_ns);
		printf("  source of %s (%s): %zu of %zu\n", period.buf, l->source[i].source.cause,
		       l->source[i].nodes, l->nodes);
	}
}

static json_t *json_group(const struct fleet_group *l)
{
	const struct summary *s = &l->node[0]->summary;
	json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:[]}", "product", s->product, "bios",
				   s->bios, "stage", s->figures.stage, "nodes",
				   (json_int_t)l->nodes, "sources");

	for (unsigned v = 0; v < VERDICTS; v++)
		json_object_set_new(object, verdict_name((enum verdict)v),
				    json_integer((json_int_t)l->verdicts[v]));
	json_object_set_new(object, "remarks", json_integer((json_int_t)l->remarks));
	for (unsigned f = 0; f < FIGURES; f++) {
		json_t *figure = l->known[f] ? json_pack("{s:f, s:f}", "median", l->median[f],
							 "max", l->most[f])
					     : json_null();

		json_object_set_new(object, figures_kind((enum figure)f)->name, figure);
	}
	for (size_t i = 0; i < l->sources; i++)
		json_array_append_new(json_object_get(object, "sources"),
				      json_pack("{s:I, s:s, s:I}", "period_ns",
						(json_int_t)l->source[i].source.period_ns, "cause",
						l->source[i].source.cause, "nodes",
						(json_int_t)l->source[i].nodes));
	return object;
}

/* ---- Machines that differ ---- */

static void print_text(void *ctx, const struct fleet_difference *d)
{
	const struct summary *s = &d->node->summary;
	TEXT_DEFINE(sentence, 200);

	(void)ctx;
	fleet_difference_text(&sentence, d);
	printf("  %s %016" PRIx64 "%s%s: %s\n", or_unknown(s->uuid), d->node->sid,
	       *s->began ? ", began " : "", s->began, sentence.buf);
}

static json_t *json_difference(const struct fleet_difference *d)
{
	if (d->figure)
		return json_pack("{s:s, s:f, s:f}", "figure", d->figure->name, "value", d->value,
				 "median", d->median);
	return json_pack("{s:{s:I, s:s}, s:b, s:I, s:I}", "source", "period_ns",
			 (json_int_t)d->source->source.period_ns, "cause", d->source->source.cause,
			 "has", d->has_source, "nodes", (json_int_t)d->source->nodes, "of",
			 (json_int_t)d->peers->nodes);
}

static void print_json(void *ctx, const struct fleet_difference *d)
{
	const struct summary *s = &d->node->summary;
	json_t *object = json_difference(d);

	json_object_set_new(object, "uuid", json_string(s->uuid));
	json_object_set_new(object, "sid", json_sid(d->node->sid));
	json_object_set_new(object, "began", *s->began ? json_string(s->began) : json_null());
	json_array_append_new(json_object_get(ctx, "differ"), object);
}

/* ---- All ---- */

/* For each group: show it, or list the machines that differ. */
static void each_group(struct list *f, void (*use)(struct list *f, const struct fleet_group *l))
{
	struct fleet_group group;

	for (size_t at = 0; at < f->measured; at += group.nodes) {
		size_t count = fleet_group_count(f->sorted + at, f->measured - at);

		fleet_group_read(&group, f->sorted + at, count);
		use(f, &group);
	}
}

static void show_group(struct list *f, const struct fleet_group *l)
{
	if (f->json)
		json_array_append_new(json_object_get(f->json, "groups"), json_group(l));
	else
		print_group(l);
}

static void show_differing(struct list *f, const struct fleet_group *l)
{
	for (size_t i = 0; i < l->nodes; i++)
		f->differ += fleet_group_differs(l, l->node[i], f->json ? print_json : print_text,
						 f->json) > 0;
}

/* Count the machines whose latest run has no gaps to compare. */
static void show_modes(struct list *l)
{
	for (unsigned n = 1; mode_at(n); n++) {
		if (!l->of_mode[n])
			continue;
		if (l->json)
			json_object_set_new(l->json, mode_at(n)->name,
					    json_integer((json_int_t)l->of_mode[n]));
		else
			printf("The latest run of %zu of them is of mode=%s, which has no gaps to "
			       "compare\n",
			       l->of_mode[n], mode_at(n)->name);
	}
}

static int show(struct list *l)
{
	int error;

	if (options.form.form == FORM_JSON)
		l->json = json_pack("{s:[], s:[], s:[], s:I}", "groups", "calls", "differ",
				    "machines", (json_int_t)l->nodes);
	else
		printf("%zu machines, %" PRIu64 " runs; %zu of the machines have no figures\n",
		       l->nodes, l->all, l->nodes - l->measured);
	show_modes(l);
	if (!l->json)
		putchar('\n');
	each_group(l, show_group);
	error = store_ask(l->runs.store, CALLS, NULL, show_call, l);
	if (!l->json)
		puts("\nDifferent from their peers:");
	each_group(l, show_differing);
	if (!l->json) {
		printf("%zu of %zu machines differ\n", l->differ, l->measured);
		return error;
	}
	json_object_set_new(l->json, "differing", json_integer((json_int_t)l->differ));
	json_print("fleet/1", l->json, JSON_INDENT(2));
	return error;
}

static int run(int count, char **paths)
{
	struct list l = { .nodes = 0 };
	int code = EXIT_ERROR, error;

	(void)count;
	if (runs_open(&l.runs, "fleet list", paths[0], options.policy) && read_fleet(&l)) {
		error = show(&l);
		if (error)
			runs_fail(&l.runs, error);
		else if (fflush(stdout) == 0 && !l.runs.damaged)
			code = l.differ ? EXIT_FAIL : EXIT_PASS;
	}
	free(l.node);
	free(l.sorted);
	runs_close(&l.runs);
	return code;
}

static const struct options_row rows[] = {
	{ "policy", "FILE", RUNS_POLICY_HELP, options_text,
	  .offset = offsetof(struct options, policy) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_list = {
	.name = "list",
	.command = "noisefloor fleet list",
	.run = run,
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
