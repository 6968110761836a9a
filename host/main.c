/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor` command for Linux. */
#include "host/lib/exit.h"
#include "subcommands.h"

#include <stdio.h>
#include <string.h>

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

/* Flush standard output; the exit code reports a failure. */
static int flushed(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("standard output");
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	const struct options_subcommand *s;

	if (argc < 2)
		return usage_error(NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_usage();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("noisefloor " NF_VERSION);
		return EXIT_PASS;
	}
	for (size_t n = 0; (s = subcommands_at(n)); n++) {
		if (strcmp(argv[1], s->name) == 0)
			return flushed(options_run(s, argc - 1, argv + 1));
	}
	return usage_error(argv[1]);
}
