/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a subcommand, by getopt_long(). */
#ifndef HOST_OPTIONS_H
#define HOST_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

struct options_set {
	const char *usage;
	const char *letters;         /* getopt()'s; "": long ones only */
	const struct option *option; /* up to one of zeros; 'h' asks for help */
	/* Take one of them; false: its value is refused, and why is said. */
	bool (*take)(void *ctx, int option, const char *value);
	void *ctx;
};

#define OPTIONS_READ (-1)

/*
 * OPTIONS_READ: all were taken, optind is that of the first argument after them. Else
 * the subcommand's exit code: help was asked for and printed, or an option was wrong
 * and the usage is on stderr, or its value was refused.
 */
int options_read(const struct options_set *set, int argc, char **argv);

#endif
