/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet`: the latest run of each machine, by product and BIOS version. */
#include "host/lib/exit.h"
#include "engine.h"
#include "fleet_group.h"
#include "host/lib/http.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/order.h"
#include "host/subcommands.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct fleet {
	struct folders folders;
	struct fleet_node *node;
	struct fleet_node **sorted; /* those with figures */
	size_t nodes, measured, stretch, runs, unread;
	size_t differ;
	bool from_engine;
	json_t *json; /* NULL: text */
};

/* Runs */

static void add_run(struct fleet *f, const struct folders_run *known)
{
	struct fleet_node n = { .run = known->entry, .in = known, .runs = 1 };
	const char *failed;

	f->runs++;
	if (!n.run.summary.ended &&
	    folders_summary(&f->folders, known, &n.run.summary, &failed) != 0) {
		f->unread++;
		return;
	}
	*MEMORY_ADD(f->node, f->nodes) = n;
}

static int by_machine(const void *a, const void *b)
{
	const struct fleet_node *x = a, *y = b;

	return strcasecmp(x->run.summary.uuid, y->run.summary.uuid)
		       ?: ORDER(x->run.rank, y->run.rank);
}

static bool same_machine(const struct fleet_node *x, const struct fleet_node *y)
{
	return *x->run.summary.uuid && strcasecmp(x->run.summary.uuid, y->run.summary.uuid) == 0;
}

/* The latest run of each machine; a run without a UUID is a machine of its own. */
static void keep_latest(struct fleet *f)
{
	size_t kept = 0;

	ORDER_SORT(f->node, f->nodes, by_machine);
	for (size_t i = 0; i < f->nodes; i++) {
		if (kept && same_machine(&f->node[kept - 1], &f->node[i])) {
			f->node[i].runs = f->node[kept - 1].runs + 1;
			f->node[kept - 1] = f->node[i];
		} else {
			f->node[kept++] = f->node[i];
		}
	}
	f->nodes = kept;
}

static void read_nodes(struct fleet *f)
{
	f->sorted = memory_new(f->nodes, sizeof(*f->sorted));
	for (size_t i = 0; i < f->nodes; i++) {
		if (f->node[i].in && fleet_node_read(&f->node[i], &f->folders) != 0)
			f->unread++;
		else if (f->node[i].of.cores)
			f->sorted[f->measured++] = &f->node[i];
		f->stretch += f->node[i].run.summary.stretch;
	}
	ORDER_SORT(f->sorted, f->measured, fleet_group_order);
}

/* Output */

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

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
	const struct summary *s = &l->node[0]->run.summary;
	char median[32], most[32];
	struct text t;

	printf("%s, BIOS %s, stage %s\n  %zu machines", or_unknown(s->product), or_unknown(s->bios),
	       l->node[0]->of.stage, l->nodes);
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
		text_init(&t, median, sizeof(median));
		text_duration(&t, l->source[i].source.period_ns);
		printf("  source of %s (%s): %zu of %zu\n", median, l->source[i].source.cause,
		       l->source[i].nodes, l->nodes);
	}
}

static json_t *json_group(const struct fleet_group *l)
{
	const struct summary *s = &l->node[0]->run.summary;
	json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:[]}", "product", s->product, "bios",
				   s->bios, "stage", l->node[0]->of.stage, "nodes",
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

static void print_heading(const struct fleet *f)
{
	printf("%zu machines, %zu runs; %zu of the machines have no figures; %zu %s not "
	       "read\n",
	       f->nodes, f->runs, f->nodes - f->measured, f->unread,
	       f->from_engine ? "points" : "files");
	if (f->stretch)
		printf("The latest run of %zu of them is of mode=stretch, which has no gaps to "
		       "compare\n",
		       f->stretch);
	putchar('\n');
}

static void print_text(void *ctx, const struct fleet_difference *d)
{
	const struct summary *s = &d->node->run.summary;
	TEXT_DEFINE(sentence, 200);

	(void)ctx;
	fleet_difference_text(&sentence, d);
	printf("  %s %016" PRIx64 "%s%s: %s\n", or_unknown(s->uuid), d->node->run.sid,
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
	const struct summary *s = &d->node->run.summary;
	json_t *object = json_difference(d);

	json_object_set_new(object, "uuid", json_string(s->uuid));
	json_object_set_new(object, "sid", json_sid(d->node->run.sid));
	json_object_set_new(object, "began", *s->began ? json_string(s->began) : json_null());
	json_array_append_new(json_object_get(ctx, "differ"), object);
}

/* For each group: show it, or list the machines that differ. */
static void each_group(struct fleet *f, void (*use)(struct fleet *f, const struct fleet_group *l))
{
	struct fleet_group group;

	for (size_t at = 0; at < f->measured; at += group.nodes) {
		size_t count = fleet_group_count(f->sorted + at, f->measured - at);

		fleet_group_read(&group, f->sorted + at, count);
		use(f, &group);
	}
}

static void show_group(struct fleet *f, const struct fleet_group *l)
{
	if (f->json)
		json_array_append_new(json_object_get(f->json, "groups"), json_group(l));
	else
		print_group(l);
}

static void show_differing(struct fleet *f, const struct fleet_group *l)
{
	for (size_t i = 0; i < l->nodes; i++)
		f->differ += fleet_group_differs(l, l->node[i], f->json ? print_json : print_text,
						 f->json) > 0;
}

static bool show(struct fleet *f)
{
	if (!f->json)
		print_heading(f);
	else
		json_object_set_new(f->json, "machines", json_integer((json_int_t)f->nodes));
	if (f->json && f->stretch)
		json_object_set_new(f->json, "stretch", json_integer((json_int_t)f->stretch));
	each_group(f, show_group);
	if (!f->json)
		puts("\nDifferent from their peers:");
	each_group(f, show_differing);
	if (f->json) {
		json_object_set_new(f->json, "differing", json_integer((json_int_t)f->differ));
		json_print(f->json, JSON_INDENT(2));
		f->json = NULL;
	} else {
		printf("%zu of %zu machines differ\n", f->differ, f->measured);
	}
	return fflush(stdout) == 0;
}

static struct options {
	const char *from;
	struct form_choice form;
} options;

static bool read_folders(struct fleet *f, int count, char **paths)
{
	if (!folders_open(&f->folders, "fleet", (size_t)count, (const char *const *)paths))
		return false;
	for (size_t i = 0; i < f->folders.runs; i++)
		add_run(f, &f->folders.run[i]);
	return true;
}

static bool read_engine(struct fleet *f, const char *url)
{
	struct engine_nodes n;

	if (!engine_read("fleet", url, NULL, &n))
		return false;
	f->from_engine = true;
	f->node = n.node;
	f->nodes = n.count;
	f->runs = (size_t)n.runs;
	f->unread = n.unread;
	return true;
}

static int run(int count, char **arguments)
{
	const char *path = arguments[0];
	char shown[HTTP_SHOWN];
	struct fleet f = { .nodes = 0 };
	bool read;
	int code = EXIT_ERROR;

	if (!count == !options.from) {
		fputs("fleet: accepted: DIR..., or --from URL\n", stderr);
		return options_see_help(&fleet_subcommand);
	}
	if (options.from) {
		http_shown(options.from, shown);
		path = shown;
	}
	read = options.from ? read_engine(&f, options.from) : read_folders(&f, count, arguments);
	path = text_sanitize_name(path);
	keep_latest(&f);
	read_nodes(&f);
	if (options.form.form == FORM_JSON)
		f.json = json_pack("{s:[], s:[]}", "groups", "differ");
	if (read && !f.nodes && f.unread)
		fprintf(stderr, "fleet: %s: no runs there, and %zu %s were not read\n", path,
			f.unread, f.from_engine ? "points" : "files");
	else if (read && !f.nodes)
		fprintf(stderr, "fleet: %s: no runs there\n", path);
	else if (read && show(&f))
		code = f.differ ? EXIT_FAIL : EXIT_PASS;
	json_decref(f.json);
	free(f.sorted);
	free(f.node);
	folders_close(&f.folders);
	return code;
}

static const struct options_row rows[] = {
	{ "from", "URL", "ask a time-series engine instead: " ENGINE_FORMS, options_text,
	  .offset = offsetof(struct options, from) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_subcommand = {
	.name = "fleet",
	.run = run,
	.summary = "a collector's machines, and which of them differ",
	.arguments = "DIR...",
	.least = 0,
	.most = OPTIONS_MANY,
	.about = "Sets the latest run of each machine in collectors' folders beside those of its "
		 "peers, the machines of one product and BIOS version: longest gap, noise, SMIs "
		 "and sources of the last stage. Reports which machines differ, and in what.",
	.exit_code = "0 no machine differs, 1 some do, 2 error, or no run in the folder.",
	.rows = rows,
	.options = &options,
};
