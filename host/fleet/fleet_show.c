/* SPDX-License-Identifier: BSD-2-Clause */
/* The latest run of each machine, by product and BIOS version. */
#include "fleet_show.h"

#include "configs.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct fleet_shown {
	struct fleet *of;
	struct fleet_node **sorted; /* those with figures */
	size_t measured, differ;
	size_t of_mode[MODES]; /* without figures to compare; not of the first */
	json_t *json;          /* NULL: text */
};

static void sort_nodes(struct fleet_shown *f)
{
	f->sorted = memory_new(f->of->nodes, sizeof(*f->sorted));
	for (size_t i = 0; i < f->of->nodes; i++) {
		if (f->of->node[i].is_known && f->of->node[i].of.cores)
			f->sorted[f->measured++] = &f->of->node[i];
		for (unsigned n = 1; mode_at(n); n++)
			f->of_mode[n] += f->of->node[i].run.summary.mode == mode_at(n);
	}
	ORDER_SORT(f->sorted, f->measured, fleet_group_order);
}

/* Output */

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

/* Of the group's machines. To be freed. */
static struct configs configs_of(const struct fleet_group *l)
{
	struct configs c = { 0 };

	for (size_t i = 0; i < l->nodes; i++)
		configs_add(&c, l->node[i]->run.summary.facts.config, l->node[i]->run.summary.uuid);
	return c;
}

#define CONFIGS_SHOWN 8

static void print_configs(const struct fleet_group *l)
{
	struct configs c = configs_of(l);
	char digits[CONFIGS_DIGITS + 1];

	if (configs_differ(&c))
		printf("  %zu configurations, not one: figures and verdicts may differ by that\n",
		       c.count);
	for (size_t i = 0; c.count > 1 && i < c.count && i < CONFIGS_SHOWN; i++)
		printf("    %s: %zu, such as %s\n", configs_short(c.at[i].digest, digits),
		       c.at[i].nodes, fleet_or_unknown(c.at[i].uuid));
	if (c.count > CONFIGS_SHOWN)
		printf("    and %zu more\n", c.count - CONFIGS_SHOWN);
	configs_free(&c);
}

static void print_group(const struct fleet_group *l)
{
	const struct summary *s = &l->node[0]->run.summary;
	char median[32], most[32];
	struct text t;

	printf("%s, BIOS %s, stage %s\n  %zu machines", fleet_or_unknown(s->product),
	       fleet_or_unknown(s->bios), l->node[0]->of.stage, l->nodes);
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
	print_configs(l);
}

static json_t *json_group(const struct fleet_group *l)
{
	const struct summary *s = &l->node[0]->run.summary;
	json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:[]}", "product", s->product, "bios",
				   s->bios, "stage", l->node[0]->of.stage, "nodes",
				   (json_int_t)l->nodes, "sources");
	struct configs configs = configs_of(l);

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
	if (configs_differ(&configs))
		json_object_set_new(object, "configs", configs_json(&configs));
	configs_free(&configs);
	return object;
}

static void print_heading(const struct fleet_shown *f)
{
	printf("%zu machines, %zu runs; %zu of the machines have no figures; %zu not read\n",
	       f->of->nodes, f->of->runs, f->of->nodes - f->measured, f->of->unread);
	for (unsigned n = 1; mode_at(n); n++)
		if (f->of_mode[n])
			printf("The latest run of %zu of them is of mode=%s, which has no gaps to "
			       "compare\n",
			       f->of_mode[n], mode_at(n)->name);
	putchar('\n');
}

static void print_text(void *ctx, const struct fleet_difference *d)
{
	const struct summary *s = &d->node->run.summary;
	TEXT_DEFINE(sentence, 200);

	(void)ctx;
	fleet_difference_text(&sentence, d);
	printf("  %s %016" PRIx64 "%s%s: %s\n", fleet_or_unknown(s->uuid), d->node->run.sid,
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
static void each_group(struct fleet_shown *f,
		       void (*use)(struct fleet_shown *f, const struct fleet_group *l))
{
	struct fleet_group group;

	for (size_t at = 0; at < f->measured; at += group.nodes) {
		size_t count = fleet_group_count(f->sorted + at, f->measured - at);

		fleet_group_read(&group, f->sorted + at, count);
		use(f, &group);
	}
}

static void show_group(struct fleet_shown *f, const struct fleet_group *l)
{
	if (f->json)
		json_array_append_new(json_object_get(f->json, "groups"), json_group(l));
	else
		print_group(l);
}

static void show_differing(struct fleet_shown *f, const struct fleet_group *l)
{
	for (size_t i = 0; i < l->nodes; i++)
		f->differ += fleet_group_differs(l, l->node[i], f->json ? print_json : print_text,
						 f->json) > 0;
}

static bool show(struct fleet_shown *f)
{
	if (!f->json)
		print_heading(f);
	else
		json_object_set_new(f->json, "machines", json_integer((json_int_t)f->of->nodes));
	for (unsigned n = 1; f->json && mode_at(n); n++)
		if (f->of_mode[n])
			json_object_set_new(f->json, mode_at(n)->name,
					    json_integer((json_int_t)f->of_mode[n]));
	each_group(f, show_group);
	if (f->json)
		json_object_set_new(f->json, "calls", fleet_services_json(&f->of->services));
	else
		fleet_services_print(&f->of->services);
	if (!f->json)
		puts("\nDifferent from their peers:");
	each_group(f, show_differing);
	if (f->json) {
		json_object_set_new(f->json, "differing", json_integer((json_int_t)f->differ));
		json_print("fleet/1", f->json, JSON_INDENT(2));
		f->json = NULL;
	} else {
		printf("%zu of %zu machines differ\n", f->differ, f->measured);
	}
	return fflush(stdout) == 0;
}

int fleet_show(struct fleet *fleet, bool as_json)
{
	struct fleet_shown f = { .of = fleet };
	int code = EXIT_ERROR;

	sort_nodes(&f);
	if (as_json)
		f.json = json_pack("{s:[], s:[]}", "groups", "differ");
	if (!fleet->nodes && fleet->unread)
		fprintf(stderr, "fleet list: %s: no runs there, and %zu were not read\n",
			fleet->from, fleet->unread);
	else if (!fleet->nodes)
		fprintf(stderr, "fleet list: %s: no runs there\n", fleet->from);
	else if (show(&f))
		code = f.differ ? EXIT_FAIL : EXIT_PASS;
	json_decref(f.json);
	free(f.sorted);
	return code;
}
