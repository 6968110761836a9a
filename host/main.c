/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor` command for Linux. */
#include "host/lib/exit.h"
#include "host/program/options.h"
#include "subcommands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int print_usage(void)
{
	const struct options_subcommand *s;

	puts("usage: noisefloor SUBCOMMAND [ARGUMENT...]\n"
	     "       noisefloor --help | --version\n");
	for (size_t n = 0; (s = subcommands_at(n)); n++)
		printf("  %-9s %s\n", s->name, s->summary);
	puts("\n`noisefloor help SUBCOMMAND` lists its options.");
	return EXIT_PASS;
}

static int usage_error(const char *wrong)
{
	if (wrong && strcmp(wrong, "collect") == 0)
		fputs("noisefloor: `collect` is a program of its own: see `noisefloor-collect "
		      "--help`\n",
		      stderr);
	else
		fprintf(stderr, "noisefloor: %s%s; see `noisefloor --help`\n",
			wrong ? "no subcommand " : "missing SUBCOMMAND", wrong ? wrong : "");
	return EXIT_ERROR;
}

/* `help SUBCOMMAND` is `SUBCOMMAND --help`, also of a group's. */
int main(int argc, char **argv)
{
	static char option[] = "--help";
	const struct options_subcommand *s;
	bool help;

	if (argc < 2)
		return usage_error(NULL);
	help = strcmp(argv[1], "help") == 0;
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc == 2))
		return program_flushed(print_usage());
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("noisefloor " NF_VERSION);
		return program_flushed(EXIT_PASS);
	}
	s = program_find(subcommands_at, argv[1 + help]);
	if (!s)
		return usage_error(argv[1 + help]);
	if (help) {
		memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
		argv[argc - 1] = option;
	}
	return program_run(s, argc - 1, argv + 1);
}
