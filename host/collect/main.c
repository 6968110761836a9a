/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor-collect` command. */
#include "collect.h"
#include "points.h"

#include "host/program/options.h"

#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], POINTS_NAME) == 0) {
		points_bound_memory();
		return program_flushed(points_print(argv[2], argv[3]));
	}
	return program_run(&collect_program, argc, argv);
}
