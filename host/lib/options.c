/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a subcommand. */
#include "options.h"

#include "exit.h"

#include <stdio.h>

int options_read(const struct options_set *set, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, set->letters, set->option, NULL)) != -1) {
		if (option == 'h') {
			fputs(set->usage, stdout);
			return EXIT_PASS;
		}
		if (option == '?') {
			fputs(set->usage, stderr);
			return EXIT_ERROR;
		}
		if (!set->take(set->ctx, option, optarg))
			return EXIT_ERROR;
	}
	return OPTIONS_READ;
}
