/* SPDX-License-Identifier: BSD-2-Clause */
/* The help of every subcommand of a program, from its table of options. */
#pragma once

#include "tests/unit/command.h"

static inline int run_with(const struct options_subcommand *s, const char *first,
			   const char *second)
{
	return run_command(s, (const char *const[]){ s->name, first, second, NULL });
}

/* The help has a row per option, with its names and its value. */
static inline void assert_help(const struct options_subcommand *s)
{
	char row[80];

	assert_int_equal(run_with(s, "-h", NULL), 0);
	assert_in(out, s->name);
	for (const struct options_row *o = s->rows; o->name; o++) {
		snprintf(row, sizeof(row), "%s--%s%s%s", o->letter ? ", " : "  ", o->name,
			 o->value ? " " : "\n", o->value ? o->value : "");
		if (!o->value)
			row[strlen(row) - 1] = ' ';
		assert_in(out, row);
	}
	assert_in(out, "  -h, --help ");
	assert_in(out, "  -V, --version ");
	assert_string_equal(err, "");
	for (const char *line = out; line; line = strchr(line + 1, '\n'))
		if (strcspn(line + 1, "\n") > 80)
			fail_msg("wider than 80 columns: %.100s", line);
}

static inline void assert_version(const struct options_subcommand *s, const char *line)
{
	assert_int_equal(run_with(s, "--version", NULL), 0);
	assert_string_equal(out, line);
	assert_int_equal(run_with(s, "-V", NULL), 0);
	assert_string_equal(out, line);
}

/* The last line names the subcommand's --help. */
static inline void assert_see_help(const char *command)
{
	char line[80];

	snprintf(line, sizeof(line), "see `%s --help`\n", command);
	assert_true(strlen(err) > strlen(line));
	assert_string_equal(err + strlen(err) - strlen(line), line);
}

static inline void assert_no_such_option(const struct options_subcommand *s, const char *command)
{
	assert_int_equal(run_with(s, "--no-such-option", NULL), 2);
	assert_see_help(command);
	assert_memory_equal(err, s->name, strlen(s->name));
	assert_in(err, "'--no-such-option'");
	assert_string_equal(out, "");
}
