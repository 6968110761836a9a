/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor` command for the machine you sit at: one subcommand per row. */
#include "host/fleet/collect/collect.h"
#include "host/compare/compare.h"
#include "host/diff/diff.h"
#include "host/lib/exit.h"
#include "host/fleet/fleet.h"
#include "host/install/harvest.h"
#include "host/linux/inos.h"
#include "host/install/install.h"
#include "host/predict/predict.h"
#include "host/html/report.h"
#include "host/forms/show.h"
#include "host/fleet/status.h"

#include <stdio.h>
#include <string.h>

static const struct subcommand {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} subcommands[] = {
	{ "show", show_main, "the runs in serial captures or record files" },
	{ "compare", compare_main, "a floor, and what an OS saw from inside: who owns the noise" },
	{ "inos", inos_main, "measure from inside Linux: the same loop, and its own tracers" },
	{ "harvest", harvest_main, "the report that a run left in the firmware's variables" },
	{ "install", install_main, "the application on this machine's EFI system partition" },
	{ "once", once_main, "start it at the next boot, once" },
	{ "uninstall", uninstall_main, "remove what install put there" },
	{ "diff", diff_main, "what changed between two runs, and whether chance explains it" },
	{ "report", report_main, "runs as one page for a browser or a printer" },
	{ "collect", collect_main, "take the records that nodes send over the network" },
	{ "status", status_main, "the verdict of one machine, from a collector's files" },
	{ "fleet", fleet_main, "a collector's machines, and which of them differ" },
	{ "predict", predict_main, "how much a parallel job is slowed down by a measured floor" },
};

#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void print_usage(FILE *to)
{
	fputs("usage: noisefloor SUBCOMMAND [ARGUMENT...]\n"
	      "       noisefloor --help | --version\n\n",
	      to);
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		fprintf(to, "  %-9s %s\n", subcommands[i].name, subcommands[i].summary);
	fputs("\n`noisefloor SUBCOMMAND --help` says more.\n", to);
}

static int usage_error(const char *wrong)
{
	if (wrong)
		fprintf(stderr, "noisefloor: no subcommand \"%s\"\n", wrong);
	print_usage(stderr);
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage_error(NULL);
	if (strcmp(argv[1], "--help") == 0) {
		print_usage(stdout);
		return EXIT_PASS;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("noisefloor " NF_VERSION);
		return EXIT_PASS;
	}
	for (size_t i = 0; i < SUBCOMMANDS; i++) {
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return subcommands[i].main(argc - 1, argv + 1);
	}
	return usage_error(argv[1]);
}
