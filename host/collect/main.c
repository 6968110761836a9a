/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor-collect` command. */
#include "collect.h"
#include "forward.h"

#include "host/program/options.h"

#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], FORWARD_POINTS) == 0) {
		forward_prepare_points();
		return program_flushed(forward_print_points(argv[2], argv[3]));
	}
	return program_run(&collect_program, argc, argv);
}
