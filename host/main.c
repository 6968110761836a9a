/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor` command for Linux. */
#include "host/lib/exit.h"
#include "subcommands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Flush standard output; the exit code reports a failure. */
static int flushed(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("standard output");
	return EXIT_ERROR;
}

static int print_usage(void)
{
	const struct options_subcommand *s;

	puts("usage: noisefloor SUBCOMMAND [ARGUMENT...]\n"
	     "       noisefloor --help | --version\n");
	for (size_t n = 0; (s = subcommands_at(n)); n++)
		printf("  %-9s %s\n", s->name, s->summary);
	puts("\n`noisefloor SUBCOMMAND --help` lists its options.");
	return EXIT_PASS;
}

static int usage_error(const char *wrong)
{
	fprintf(stderr, "noisefloor: %s%s; see `noisefloor --help`\n",
		wrong ? "no subcommand " : "missing SUBCOMMAND", wrong ? wrong : "");
	return EXIT_ERROR;
}

static const struct options_subcommand *find(const char *name)
{
	const struct options_subcommand *s;

	for (size_t n = 0; (s = subcommands_at(n)); n++)
		if (strcmp(name, s->name) == 0)
			return s;
	return NULL;
}

/* `help SUBCOMMAND` and `SUBCOMMAND help`, where that is no file, are `SUBCOMMAND --help`. */
static int run(const struct options_subcommand *s, int argc, char **argv)
{
	static char help[] = "--help";

	if (argc == 2 && strcmp(argv[1], "help") == 0 && access("help", F_OK) != 0)
		argv[1] = help;
	return flushed(options_run(s, argc, argv));
}

int main(int argc, char **argv)
{
	const struct options_subcommand *s;
	bool help;

	if (argc < 2)
		return usage_error(NULL);
	help = strcmp(argv[1], "help") == 0;
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc == 2))
		return flushed(print_usage());
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("noisefloor " NF_VERSION);
		return flushed(EXIT_PASS);
	}
	s = find(argv[1 + help]);
	if (!s)
		return usage_error(argv[1 + help]);
	if (!help)
		return run(s, argc - 1, argv + 1);
	memmove(argv + 2, argv + 1, sizeof(*argv));
	argv[1] = (char *)s->name;
	return run(s, 2, argv + 1);
}
