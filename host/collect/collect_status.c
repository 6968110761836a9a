/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor-collect status`: as `noisefloor status`, of an engine instead of folders. */
#include "collect_subcommands.h"
#include "host/collect/engine/engine.h"

#include "host/fleet/status_show.h"
#include "host/lib/exit.h"

#include <stdio.h>
#include <stdlib.h>

/* The engine first: its rows are those of all subcommands that ask one. */
static struct options {
	struct engine_choice engine;
	uint64_t max_age_ns;
} options;

static bool read_engine(struct status *s)
{
	struct engine_nodes n;
	char shown[HTTP_SHOWN];

	if (!engine_read("status", &options.engine, s->uuid, &n))
		return false;
	s->runs = n.count ? (unsigned)n.runs : 0;
	for (size_t i = 0; i < n.count; i++) {
		if (!i || n.node[i].run.rank > s->latest.rank)
			s->latest = n.node[i].run;
	}
	s->latest.at = s->latest.rank / 1000; /* ms: engine.c */
	http_shown(options.engine.url, shown);
	if (n.unread)
		fprintf(stderr, "status: %s: %zu points not read\n", shown, n.unread);
	free(n.node);
	return !n.unread;
}

static int run(int count, char **arguments)
{
	struct status s = { .uuid = arguments[0],
			    .has_no_reason = true,
			    .max_age_ns = options.max_age_ns };

	(void)count;
	if (!*s.uuid) {
		fputs("status: the UUID is empty\n", stderr);
		return options_see_help(&collect_status);
	}
	return read_engine(&s) ? status_show(&s, options.engine.form.form == FORM_JSON)
			       : EXIT_ERROR;
}

_Static_assert(offsetof(struct options, engine) == 0, "ENGINE_ROWS");

static const struct options_row rows[] = {
	{ "max-age", "TIME", STATUS_MAX_AGE_HELP, options_time,
	  .offset = offsetof(struct options, max_age_ns) },
	ENGINE_ROWS,
};

const struct options_subcommand collect_status = {
	.name = "status",
	.command = "noisefloor-collect status",
	.run = run,
	.summary = "the verdict of one machine, from an engine",
	.arguments = "UUID",
	.least = 1,
	.most = 1,
	.about =
		"Asks a time-series engine that collectors forward to how the latest run of the "
		"machine with this UUID ended, as `noisefloor status` does of collectors' folders.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, older than --max-age, or records lost.",
	.rows = rows,
	.options = &options,
};
