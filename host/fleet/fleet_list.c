/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet list`: the latest run of each machine, by product and BIOS version. */
#include "fleet.h"
#include "fleet_show.h"
#include "run_figures.h"
#include "runs.h"
#include "store_judge.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <stdlib.h>

/* A run without a UUID is a machine of its own. */
#define LATEST "WHERE (id IN (SELECT max(id) FROM run WHERE uuid<>'' GROUP BY uuid) OR uuid='')"

static struct options {
	const char *policy;
	struct form_choice form;
} options;

struct list {
	struct runs runs;
	struct fleet fleet;
};

static int add_node(void *ctx, const struct store_run *run, const struct figures *f)
{
	struct list *l = ctx;
	struct fleet_node *n = MEMORY_ADD(l->fleet.node, l->fleet.nodes);

	*n = (struct fleet_node){ .run = *run, .is_known = f };
	if (f)
		n->of = *f;
	if (l->runs.policy)
		store_judge(l->runs.policy, l->runs.store, &n->run);
	return 0;
}

static void feed(void *ctx, const char *text, size_t bytes)
{
	run_figures_feed(ctx, text, bytes);
}

/*
 * Compute the figures that the store does not have: of runs that have not ended, or that have calls
 * of firmware.
 */
static void read_lines(struct list *l)
{
	for (size_t i = 0; i < l->fleet.nodes; i++) {
		struct fleet_node *n = &l->fleet.node[i];
		struct run_figures *figures;

		if (n->is_known)
			continue;
		figures = run_figures_begin();
		n->is_known = runs_lines(&l->runs, &n->run, feed, figures);
		run_figures_end(figures, &n->run, &n->of, &l->fleet.services);
		l->fleet.unread += !n->is_known;
	}
}

static bool read_fleet(struct list *l)
{
	uint64_t runs;
	int error = run_figures_each(l->runs.store, LATEST, add_node, l);

	error = error ? error : store_number(l->runs.store, "SELECT count(*) FROM run", &runs);
	if (error)
		return runs_fail(&l->runs, error);
	l->fleet.runs = runs;
	read_lines(l);
	return true;
}

static int run(int count, char **paths)
{
	struct list l = { .fleet.from = text_sanitize_name(paths[0]) };
	int code = EXIT_ERROR;

	(void)count;
	if (runs_open(&l.runs, "fleet list", paths[0], options.policy) && read_fleet(&l))
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
