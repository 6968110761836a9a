/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A subcommand and its options, as one table: the input of getopt_long(), the text of --help and
 * the completions are made from it, and the manual is checked against it.
 */
#pragma once

#include "core/config/config.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options_given;

/* Store what was given. False: it is refused, with the reason on standard error. */
typedef bool options_taker(const struct options_given *given);

struct options_row {
	const char *name;  /* name of the long option */
	const char *value; /* its argument, in capitals; NULL: none */
	const char *help;
	options_taker *take;
	size_t offset; /* offset of the field that stores it */
	char letter;   /* the short option; 0: none */
	bool required;
	bool for_file;                   /* replaces one of the required arguments */
	const char *alias;               /* the value that it stands for, if it takes none */
	uint64_t most;                   /* largest count */
	const char *(*word)(unsigned n); /* values by name, up to NULL */
	bool (*has)(unsigned n);         /* is the n-th a value here? NULL: each is */
};

struct options_subcommand {
	const char *name;
	const char *command; /* words that call it; NULL: "noisefloor NAME" */
	/* Run it on its arguments once its options are read; returns the exit code. */
	int (*run)(int count, char **arguments);
	const char *summary;   /* for the list of subcommands */
	const char *arguments; /* after the options; NULL: none */
	int least, most;       /* number of arguments */
	bool reads_input;      /* the last required argument is "-" if it is not given */
	const char *about, *exit_code;
	const struct options_row *rows; /* ends with one without a name */
	void *options;                  /* where they are stored; their defaults at first */
	unsigned keys; /* its arguments are the keys of 1 << enum config_platform */
	/* Set if it is a group: returns its n-th subcommand; NULL past the last. */
	const struct options_subcommand *(*group)(size_t n);
};

/* An option on the command line. */
struct options_given {
	const struct options_subcommand *subcommand;
	const struct options_row *row;
	const char *value;
	void *field;
};

#define OPTIONS_MANY INT_MAX
#define OPTIONS_MAX  32 /* rows */

/*
 * Read the options of argv, whose first is the subcommand's name, and run it. Returns its exit
 * code: also where --help or --version was printed instead, or a line on standard error describes
 * what was not accepted.
 */
int options_run(const struct options_subcommand *s, int argc, char **argv);

/* The last line after an error in the arguments: where help is. Returns EXIT_ERROR. */
int options_see_help(const struct options_subcommand *s);

/* --help and --version, which all have. */
extern const struct options_row options_common[];

/* The words accepted for a row's value: the next one from *n on; NULL: no more. */
const char *options_word(const struct options_row *row, unsigned *n);

/*
 * Print one line: the value, and what is accepted instead. Returns false, for options_taker
 * functions.
 */
bool options_refuse(const struct options_given *given, const char *accepted);

/* Values of an option that may be given several times. */
#define OPTIONS_LIST_MAX 64
struct options_list {
	const char *text[OPTIONS_LIST_MAX];
	size_t count;
};

/* const char *, struct options_list, const char * with a run's sid, bool, uint64_t from 1 to
 * row->most, uint64_t ns above 0, struct form_choice, const struct preset *; and
 * progress_forbid(), progress_ask(). */
options_taker options_text, options_list, options_sid, options_flag, options_count, options_time,
	options_form, options_preset, options_quiet, options_verbose;

const char *options_preset_name(unsigned n);
const char *options_stage_name(unsigned n);

/* Rows that several subcommands have. */
#define OPTIONS_OUTPUT(type, member, must, help)                                               \
	{                                                                                      \
		"output", "FILE", help, options_text, offsetof(type, member), .letter = 'o',   \
									      .required = must \
	}
#define OPTIONS_STAGE(type, member, help)                                    \
	{                                                                    \
		"stage", "NAME", help, options_text, offsetof(type, member), \
			.letter = 's', .word = options_stage_name            \
	}
#define OPTIONS_SID(type, member, option, help)                                    \
	{                                                                          \
		option, "SID", help, options_sid, .offset = offsetof(type, member) \
	}
#define OPTIONS_RUN(type, member, help)                                                          \
	{                                                                                        \
		"run", "SID", help, options_sid, .offset = offsetof(type, member), .letter = 'r' \
	}
#define OPTIONS_FORM(type, member, prints)                                                       \
	{ "format",                                                                              \
	  "FORM",                                                                                \
	  "output format; text, if none is given",                                               \
	  options_form,                                                                          \
	  offsetof(type, member),                                                                \
	  .letter = 'f',                                                                         \
	  .word = form_name,                                                                     \
	  .has = prints },                                                                       \
	{                                                                                        \
		"json", NULL, "the same as --format json", options_form, offsetof(type, member), \
			.alias = "json", .word = form_name, .has = prints                        \
	}
#define OPTIONS_PRESET(type, member)                                           \
	{                                                                      \
		"preset", "NAME", "judge by published limits", options_preset, \
			offsetof(type, member), .word = options_preset_name    \
	}
#define OPTIONS_PROGRESS                                                                           \
	{ "quiet", NULL, "report no progress", .take = options_quiet, .letter = 'q' },             \
	{                                                                                          \
		"verbose", NULL, "report progress on standard error, even if that is no terminal", \
			.take = options_verbose, .letter = 'v'                                     \
	}

/* ---- What the main() of a program does with its subcommands ---- */

/* The n-th subcommand of a program; NULL past the last. */
typedef const struct options_subcommand *program_list(size_t n);

/*
 * Run it, argv[0] being its name; a sole argument `help` that is no file is --help. Returns the
 * exit code.
 */
int program_run(const struct options_subcommand *s, int argc, char **argv);

/* The exit code, once standard output is flushed: EXIT_ERROR if that fails. */
int program_flushed(int code);

/* ---- The output formats: a subcommand has a table, by this enum, of how it prints them ---- */

enum form { FORM_TEXT, FORM_JSON, FORM_JSONL, FORM_JUNIT, FORM_INFLUX, FORM_HTML, FORM_CTF, FORMS };

struct form_choice {
	enum form form; /* starts as FORM_TEXT */
	bool chosen;
};

/* "text" ...; NULL past the last. */
const char *form_name(unsigned form);

/* True for these two forms. For rows of options. */
bool form_is_text_or_json(unsigned form);
