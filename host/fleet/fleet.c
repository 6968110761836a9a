/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet`: the latest run of each machine, by product and BIOS version. */
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

static int run(int count, char **paths)
{
	const struct folders_from from = { (size_t)count, (const char *const *)paths,
					   options.policy, NULL };
	struct folders folders;
	struct fleet f = { .parts = "files", .folders = &folders };
	int code = EXIT_ERROR;

	if (folders_open(&folders, "fleet", &from)) {
		for (size_t i = 0; i < folders.runs; i++)
			add_run(&f, &folders.run[i]);
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
