/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor-collect fleet`: as `noisefloor fleet`, of an engine instead of folders. */
#include "collect_subcommands.h"
#include "host/collect/engine/engine.h"

#include "host/fleet/fleet_show.h"
#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include <stdlib.h>

static struct engine_choice choice;

static int run(int count, char **arguments)
{
	struct fleet f = { .parts = "points" };
	struct engine_nodes n;
	char shown[HTTP_SHOWN];
	int code;

	(void)count, (void)arguments;
	if (!engine_read("fleet", &choice, NULL, &n))
		return EXIT_ERROR;
	http_shown(choice.url, shown);
	f.from = text_sanitize_name(shown);
	f.node = n.node;
	f.nodes = n.count;
	f.runs = (size_t)n.runs;
	f.unread = n.unread;
	code = fleet_show(&f, choice.form.form == FORM_JSON);
	free(n.node);
	return code;
}

static const struct options_row rows[] = { ENGINE_ROWS };

const struct options_subcommand collect_fleet = {
	.name = "fleet",
	.command = "noisefloor-collect fleet",
	.run = run,
	.summary = "an engine's machines, and which of them differ",
	.about = "Asks a time-series engine that collectors forward to, and compares the machines "
		 "as `noisefloor fleet` does those of collectors' folders.",
	.exit_code = "0 no machine differs, 1 some do, 2 error, or no run there.",
	.rows = rows,
	.options = &choice,
};
