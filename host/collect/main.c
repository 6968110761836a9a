/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor-collect` command. */
#include "collect_subcommands.h"
#include "index/index_lines.h"
#include "points.h"

#include "host/fleet/folder_index.h"
#include "host/program/program.h"

#include <string.h>

int main(int argc, char **argv)
{
	const struct options_subcommand *s = NULL;

	if (argc == 4 && strcmp(argv[1], POINTS_NAME) == 0)
		return program_flushed(points_print(argv[2], argv[3]));
	if ((argc == 3 || argc == 4) && strcmp(argv[1], FOLDER_INDEX_COMMAND) == 0)
		return program_flushed(index_lines_print(argv[2], argv[3]));
	if (argc > 1)
		s = program_find(collect_subcommands_at, argv[1]);
	return s ? program_run(s, argc - 1, argv + 1) : program_run(&collect_program, argc, argv);
}
