/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet`: the latest run of each machine, by product and BIOS version. */
#include "fleet_line.h"
#include "fleet_show.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"

#include <stdio.h>
#include <stdlib.h>

static void add_run(struct fleet *f, const struct folders_run *known)
{
	struct fleet_node n = { .run = known->entry, .in = known, .runs = 1 };
	const char *failed;

	f->runs++;
	if ((!n.run.summary.ended || policy_lacks(f->folders->policy, &n.run.summary)) &&
	    folders_summary(f->folders, known, &n.run.summary, &failed) != 0) {
		f->unread++;
		return;
	}
	*MEMORY_ADD(f->node, f->nodes) = n;
}

static struct options {
	const char *policy;
	struct form_choice form;
} options;

static void add_figures(void *ctx, char *line)
{
	struct fleet *f = ctx;

	fleet_line_read(line, MEMORY_ADD(f->node, f->nodes));
}

static bool read_runs(struct fleet *f, struct folders *folders, const struct folders_from *from)
{
	if (!folders_open(folders, "fleet", from))
		return false;
	/* What was taken before it was known to be all. */
	if (!folders->is_one)
		f->nodes = 0;
	for (size_t i = 0; i < folders->runs; i++)
		add_run(f, &folders->run[i]);
	if (folders->is_one)
		f->runs = from->latest->runs;
	return true;
}

/* Where the index has all, by it; there a run that cannot be read may hide another. */
static bool read_fleet(struct fleet *f, struct folders *folders, struct folders_from from)
{
	struct folder_index_latest latest = { .figures = add_figures, .ctx = f };

	from.latest = &latest;
	if (!read_runs(f, folders, &from))
		return false;
	if (!folders->is_one || !f->unread)
		return true;
	folders_close(folders);
	f->nodes = f->runs = f->unread = 0;
	from.latest = NULL;
	return read_runs(f, folders, &from);
}

static int run(int count, char **paths)
{
	const struct folders_from from = { .count = (size_t)count,
					   .paths = (const char *const *)paths,
					   .policy = options.policy };
	struct folders folders;
	struct fleet f = { .parts = "files", .folders = &folders };
	int code = EXIT_ERROR;

	if (read_fleet(&f, &folders, from)) {
		f.from = text_sanitize_name(paths[0]);
		code = fleet_show(&f, options.form.form == FORM_JSON);
	}
	free(f.node);
	folders_close(&folders);
	return code;
}

static const struct options_row rows[] = {
	{ "policy", "FILE", FOLDERS_POLICY_HELP, options_text,
	  .offset = offsetof(struct options, policy) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_subcommand = {
	.name = "fleet",
	.run = run,
	.summary = "a collector's machines, and which of them differ",
	.arguments = "DIR...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Sets the latest run of each machine in collectors' folders beside those of its "
		 "peers, the machines of one product and BIOS version: longest gap, noise, SMIs "
		 "and sources of the last stage. Reports which machines differ, and in what.",
	.exit_code = "0 no machine differs, 1 some do, 2 error, or no run in the folder.",
	.rows = rows,
	.options = &options,
};
