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

int program_run(const struct options_subcommand *s, int argc, char **argv)
{
	static char help[] = "--help";

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
