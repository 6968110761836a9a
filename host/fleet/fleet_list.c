/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet list`: the latest run of each machine, by product and BIOS version. */
#include "fleet.h"
#include "fleet_show.h"
#include "run_figures.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A run without a UUID is a machine of its own. */
#define LATEST "WHERE (id IN (SELECT max(id) FROM run WHERE uuid<>'' GROUP BY uuid) OR uuid='')"

static struct options {
	const char *policy;
	struct form_choice form;
} options;

struct list {
	struct runs runs;
	struct fleet fleet;
	struct fleet_node **by_id; /* of the only store */
	size_t next;
};

static int by_machine(const void *a, const void *b)
{
	const struct runs_one *x = *(const struct runs_one *const *)a;
	const struct runs_one *y = *(const struct runs_one *const *)b;

	return strcasecmp(x->run.summary.uuid, y->run.summary.uuid) ?: ORDER(x->rank, y->rank);
}

static bool is_same(const struct runs_one *x, const struct runs_one *y)
{
	return *x->run.summary.uuid && strcasecmp(x->run.summary.uuid, y->run.summary.uuid) == 0;
}

static void add_nodes(struct list *l, const struct runs_one **one)
{
	struct fleet *f = &l->fleet;

	f->node = memory_new(l->runs.count, sizeof(*f->node));
	for (size_t i = 0; i < l->runs.count; i++) {
		bool is_more = i && is_same(one[i - 1], one[i]);
		struct fleet_node *n = &f->node[f->nodes - is_more];

		*n = (struct fleet_node){ .run = (struct store_run *)&one[i]->run,
					  .runs = is_more ? n->runs + 1 : 1 };
		f->nodes += !is_more;
	}
}

static void take_latest(struct list *l)
{
	const struct runs_one **one = memory_new(l->runs.count, sizeof(*one));

	for (size_t i = 0; i < l->runs.count; i++)
		one[i] = &l->runs.one[i];
	ORDER_SORT(one, l->runs.count, by_machine);
	add_nodes(l, one);
	free(one);
}

/* ---- Figures ---- */

static int by_id(const void *a, const void *b)
{
	const struct fleet_node *x = *(const struct fleet_node *const *)a;
	const struct fleet_node *y = *(const struct fleet_node *const *)b;

	return ORDER(x->run->id, y->run->id);
}

static int take_figures(void *ctx, uint64_t id, const struct figures *f)
{
	struct list *l = ctx;

	while (l->next < l->fleet.nodes && l->by_id[l->next]->run->id < id)
		l->next++;
	if (l->next < l->fleet.nodes && l->by_id[l->next]->run->id == id) {
		l->by_id[l->next]->of = *f;
		l->by_id[l->next]->is_known = true;
	}
	return 0;
}

static bool read_stored(struct list *l)
{
	int error;

	l->by_id = memory_new(l->fleet.nodes, sizeof(*l->by_id));
	for (size_t i = 0; i < l->fleet.nodes; i++)
		l->by_id[i] = &l->fleet.node[i];
	ORDER_SORT(l->by_id, l->fleet.nodes, by_id);
	error = run_figures_each(l->runs.store[0].store, LATEST, take_figures, l);
	free(l->by_id);
	return !error || runs_fail(&l->runs, 0, error);
}

static void feed(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	(void)line;
	run_figures_feed(ctx, text, bytes);
}

/* Those that the store has not: a run that has not ended, or is split, or has calls of firmware. */
static void read_lines(struct list *l)
{
	for (size_t i = 0; i < l->fleet.nodes; i++) {
		struct fleet_node *n = &l->fleet.node[i];
		struct runs_sink sink = { .line = feed };

		if (n->is_known)
			continue;
		sink.ctx = run_figures_begin();
		n->is_known = runs_lines(&l->runs, (struct runs_one *)n->run, &sink);
		run_figures_end(sink.ctx, n->run, &n->of, &l->fleet.services);
		l->fleet.unread += !n->is_known;
	}
}

_Static_assert(offsetof(struct runs_one, run) == 0, "a run is found by its store_run");

static bool read_fleet(struct list *l)
{
	uint64_t runs;
	bool is_one = l->runs.stores == 1;

	if (!runs_read(&l->runs, is_one ? LATEST : "", NULL))
		return false;
	take_latest(l);
	l->fleet.runs = l->runs.count;
	if (is_one && store_number(l->runs.store[0].store, "SELECT count(*) FROM run", &runs) == 0)
		l->fleet.runs = runs;
	if (is_one && !read_stored(l))
		return false;
	read_lines(l);
	return true;
}

static int run(int count, char **paths)
{
	struct list l = { .fleet.from = text_sanitize_name(paths[0]) };
	int code = EXIT_ERROR;

	if (runs_open(&l.runs, "fleet list", (size_t)count, (const char *const *)paths,
		      options.policy) &&
	    read_fleet(&l))
		code = fleet_show(&l.fleet, options.form.form == FORM_JSON);
	if (l.runs.damaged)
		code = EXIT_ERROR;
	free(l.fleet.node);
	free(l.fleet.services.at);
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
	.arguments = "DIR...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Sets the latest run of each machine in collectors' stores beside those of its "
		 "peers, the machines of one product and BIOS version: longest gap, noise, SMIs "
		 "and sources of the last stage. Reports which machines differ, and in what.",
	.exit_code = "0 no machine differs, 1 some do, 2 error, or no run in the store.",
	.rows = rows,
	.options = &options,
};
