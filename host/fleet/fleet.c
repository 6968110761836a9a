/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet`: the latest run of each machine, by product and BIOS version. */
#include "engine.h"
#include "fleet_show.h"

#include "host/lib/exit.h"
#include "host/lib/http.h"
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
	if (!n.run.summary.ended &&
	    folders_summary(f->folders, known, &n.run.summary, &failed) != 0) {
		f->unread++;
		return;
	}
	*MEMORY_ADD(f->node, f->nodes) = n;
}

static struct options {
	const char *from;
	struct form_choice form;
} options;

static int show_folders(int count, char **paths, bool as_json)
{
	struct folders folders;
	struct fleet f = { .from = text_sanitize_name(paths[0]),
			   .parts = "files",
			   .folders = &folders };
	int code = EXIT_ERROR;

	if (folders_open(&folders, "fleet", (size_t)count, (const char *const *)paths)) {
		for (size_t i = 0; i < folders.runs; i++)
			add_run(&f, &folders.run[i]);
		code = fleet_show(&f, as_json);
	}
	free(f.node);
	folders_close(&folders);
	return code;
}

static int show_engine(const char *url, bool as_json)
{
	struct engine_nodes n;
	struct fleet f = { .parts = "points" };
	char shown[HTTP_SHOWN];
	int code;

	if (!engine_read("fleet", url, NULL, &n))
		return EXIT_ERROR;
	http_shown(url, shown);
	f.from = text_sanitize_name(shown);
	f.node = n.node;
	f.nodes = n.count;
	f.runs = (size_t)n.runs;
	f.unread = n.unread;
	code = fleet_show(&f, as_json);
	free(n.node);
	return code;
}

static int run(int count, char **arguments)
{
	bool as_json = options.form.form == FORM_JSON;

	if (!count == !options.from) {
		fputs("fleet: accepted: DIR..., or --from URL\n", stderr);
		return options_see_help(&fleet_subcommand);
	}
	return options.from ? show_engine(options.from, as_json)
			    : show_folders(count, arguments, as_json);
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
