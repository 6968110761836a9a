/* SPDX-License-Identifier: BSD-2-Clause */
/* Output that could not be written is an error, whatever the subcommand returned. */
#include "program.h"

#include "host/lib/exit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct options_subcommand *program_find(program_list *at, const char *name)
{
	const struct options_subcommand *s;

	for (size_t n = 0; (s = at(n)); n++)
		if (strcmp(name, s->name) == 0)
			return s;
	return NULL;
}

static int print_group(const struct options_subcommand *group)
{
	const struct options_subcommand *s;

	printf("usage: noisefloor %s SUBCOMMAND [ARGUMENT...]\n"
	       "       noisefloor %s --help | --version\n\n",
	       group->name, group->name);
	for (size_t n = 0; (s = group->group(n)); n++)
		printf("  %-9s %s\n", s->name, s->summary);
	printf("\n`noisefloor %s SUBCOMMAND --help` lists its options.\n", group->name);
	return EXIT_PASS;
}

static int run_group(const struct options_subcommand *group, int argc, char **argv)
{
	const struct options_subcommand *s;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
			 strcmp(argv[1], "help") == 0))
		return program_flushed(print_group(group));
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("noisefloor " NF_VERSION);
		return program_flushed(EXIT_PASS);
	}
	s = argc > 1 ? program_find(group->group, argv[1]) : NULL;
	if (s)
		return program_run(s, argc - 1, argv + 1);
	fprintf(stderr, "noisefloor %s: %s%s; see `noisefloor %s --help`\n", group->name,
		argc > 1 ? "no subcommand " : "missing SUBCOMMAND", argc > 1 ? argv[1] : "",
		group->name);
	return EXIT_ERROR;
}

int program_run(const struct options_subcommand *s, int argc, char **argv)
{
	static char help[] = "--help";

	if (s->group)
		return run_group(s, argc, argv);
	if (argc == 2 && strcmp(argv[1], "help") == 0 && access("help", F_OK) != 0)
		argv[1] = help;
	return program_flushed(options_run(s, argc, argv));
}

int program_flushed(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("standard output");
	return EXIT_ERROR;
}
