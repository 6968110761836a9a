/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and printing the options of a subcommand. */
#include "options.h"

#include "host/lib/columns.h"
#include "host/lib/exit.h"
#include "host/lib/progress.h"

#include "core/config/config_keys.h"
#include "core/lib/text.h"
#include "core/lib/units.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HELP_MOST 24 /* columns in front of an option's help */

const struct options_row options_common[] = {
	{ "help", NULL, "print this text", .letter = 'h' },
	{ "version", NULL, "print the version", .letter = 'V' },
	{ 0 },
};

/* Values */

const char *options_word(const struct options_row *row, unsigned *n)
{
	const char *word;

	while (row->word && (word = row->word((*n)++)))
		if (!row->has || row->has(*n - 1))
			return word;
	return NULL;
}

static void print_words(const struct options_row *row)
{
	const char *word, *before = " ";

	for (unsigned n = 0; (word = options_word(row, &n)); before = ", ")
		fprintf(stderr, "%s%s", before, word);
}

bool options_refuse(const struct options_given *given, const char *accepted)
{
	fprintf(stderr, "%s: --%s %s: accepted:", given->subcommand->name, given->row->name,
		given->value);
	if (accepted)
		fprintf(stderr, " %s", accepted);
	else
		print_words(given->row);
	fputc('\n', stderr);
	return false;
}

bool options_text(const struct options_given *given)
{
	*(const char **)given->field = given->value;
	return true;
}

bool options_list(const struct options_given *given)
{
	struct options_list *list = given->field;

	if (list->count == OPTIONS_LIST_MAX)
		return options_refuse(given, "at most 64 of them");
	list->text[list->count++] = given->value;
	return true;
}

bool options_sid(const struct options_given *given)
{
	size_t digits = strspn(given->value, "0123456789abcdefABCDEF");

	if (digits < 1 || digits > 16 || given->value[digits])
		return options_refuse(given, "the sid of a run, 16 hex digits");
	return options_text(given);
}

bool options_flag(const struct options_given *given)
{
	*(bool *)given->field = true;
	return true;
}

bool options_quiet(const struct options_given *given)
{
	(void)given;
	progress_forbid();
	return true;
}

bool options_verbose(const struct options_given *given)
{
	(void)given;
	progress_ask();
	return true;
}

bool options_count(const struct options_given *given)
{
	uint64_t *count = given->field;
	char accepted[64];

	if (!units_parse_u64(given->value, strlen(given->value), count) && *count >= 1 &&
	    *count <= given->row->most)
		return true;
	snprintf(accepted, sizeof(accepted), "1 to %llu", (unsigned long long)given->row->most);
	return options_refuse(given, accepted);
}

bool options_time(const struct options_given *given)
{
	uint64_t *ns = given->field;

	return (!units_parse_ns(given->value, strlen(given->value), ns) && *ns > 0) ||
	       options_refuse(given, "a time above 0 with a unit, ns us ms s m h d");
}

const char *options_preset_name(unsigned n)
{
	const struct preset *preset = preset_at(n);

	return preset ? preset->name : NULL;
}

bool options_preset(const struct options_given *given)
{
	const struct preset **preset = given->field;

	*preset = preset_find(given->value, strlen(given->value));
	return *preset || options_refuse(given, NULL);
}

const char *options_stage_name(unsigned n)
{
	return n < STAGES ? config_stage_name((enum config_stage)n) : NULL;
}

/* ---- Output formats ---- */

static const char *const forms[FORMS] = {
	[FORM_TEXT] = "text",   [FORM_JSON] = "json",     [FORM_JSONL] = "jsonl",
	[FORM_JUNIT] = "junit", [FORM_INFLUX] = "influx", [FORM_HTML] = "html",
	[FORM_CTF] = "ctf",
};

const char *form_name(unsigned form)
{
	return form < FORMS ? forms[form] : NULL;
}

bool form_is_text_or_json(unsigned form)
{
	return form == FORM_TEXT || form == FORM_JSON;
}

/* Only one form, and one that the subcommand has. */
bool options_form(const struct options_given *given)
{
	struct form_choice *choice = given->field;
	unsigned n = 0;

	while (form_name(n) && strcmp(form_name(n), given->value) != 0)
		n++;
	if (!form_name(n) || (given->row->has && !given->row->has(n)))
		return options_refuse(given, NULL);
	if (choice->chosen) {
		fprintf(stderr, "%s: formats %s and %s: only one is possible\n",
			given->subcommand->name, form_name(choice->form), given->value);
		return false;
	}
	*choice = (struct form_choice){ (enum form)n, true };
	return true;
}

/* --help */

static int print_name(char text[64], const struct options_row *row)
{
	return snprintf(text, 64, "  %s%.1s%s--%s%s%s", row->letter ? "-" : "",
			row->letter ? &row->letter : "", row->letter ? ", " : "", row->name,
			row->value ? " " : "", row->value ? row->value : "");
}

static int name_columns(const struct options_row *row)
{
	int most = 0;
	char text[64];

	for (; row->name; row++) {
		int columns = print_name(text, row) + 2;

		if (columns > most && columns <= HELP_MOST)
			most = columns;
	}
	return most;
}

static void print_row(const struct options_row *row, int indent)
{
	const char *word, *before = " (";
	char name[64];
	TEXT_DEFINE(help, 400);

	text_add(&help, "%s", row->help);
	for (unsigned n = 0; row->value && (word = options_word(row, &n)); before = ", ")
		text_add(&help, "%s%s", before, word);
	if (row->value && row->word)
		text_add(&help, ")");
	if (print_name(name, row) + 2 > indent)
		printf("%s\n%*s", name, indent, "");
	else
		printf("%-*s", indent, name);
	columns_wrap(help.buf, indent);
}

static void print_keys(unsigned platforms)
{
	TEXT_DEFINE(t, 1024);

	text_add(&t, "Keys and their defaults:");
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (key->platforms & platforms)
			text_add(&t, " %s=%s", key->name, key->fallback);
	columns_wrap(t.buf, 0);
	putchar('\n');
}

/* Until the next call. */
static const char *command_of(const struct options_subcommand *s)
{
	static char command[64];

	snprintf(command, sizeof(command), "noisefloor %s", s->name);
	return s->command ? s->command : command;
}

static void print_usage(const struct options_subcommand *s)
{
	int indent = name_columns(s->rows), of_common = name_columns(options_common);

	if (indent < of_common)
		indent = of_common;
	printf("usage: %s", command_of(s));
	for (const struct options_row *row = s->rows; row->name; row++)
		if (row->required)
			printf(" --%s %s", row->name, row->value);
	printf(" [OPTION...]%s%s\n\n", s->arguments ? " " : "", s->arguments ? s->arguments : "");
	columns_wrap(s->about, 0);
	if (s->reads_input)
		puts("A file that is not given is standard input.");
	putchar('\n');
	for (const struct options_row *row = s->rows; row->name; row++)
		print_row(row, indent);
	for (const struct options_row *row = options_common; row->name; row++)
		print_row(row, indent);
	putchar('\n');
	if (s->keys)
		print_keys(s->keys);
	fputs("Exit code: ", stdout);
	columns_wrap(s->exit_code, 11);
}

/* Reading */

/* The input of getopt_long(). A row is identified by its number; no letter is that small. */
struct getopt_tables {
	struct option longs[OPTIONS_MAX + 3];
	char letters[2 * (OPTIONS_MAX + 3)];
	const struct options_row *row[OPTIONS_MAX + 3];
	int count;
};

static void add_rows(struct getopt_tables *t, const struct options_row *row)
{
	char *letter = t->letters + strlen(t->letters);

	for (; row->name; row++) {
		assert(t->count < OPTIONS_MAX + 3);
		t->longs[t->count] = (struct option){ row->name,
						      row->value ? required_argument : no_argument,
						      NULL, t->count };
		t->row[t->count++] = row;
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->value)
			*letter++ = ':';
	}
}

static const struct options_row *row_of(const struct getopt_tables *t, int option)
{
	if (option < t->count)
		return t->row[option];
	for (int i = 0; i < t->count; i++)
		if (t->row[i]->letter == option)
			return t->row[i];
	return NULL;
}

#define CONTINUE (-1) /* no exit code yet */

static int options_take(const struct options_subcommand *s, const struct options_row *row)
{
	const struct options_given given = { s, row, row->value ? optarg : row->alias,
					     (char *)s->options + row->offset };

	if (row->take)
		return row->take(&given) ? CONTINUE : options_see_help(s);
	if (row->letter == 'V')
		printf("%.*s " NF_VERSION "\n", (int)strcspn(command_of(s), " "), command_of(s));
	else
		print_usage(s);
	return EXIT_PASS;
}

int options_see_help(const struct options_subcommand *s)
{
	fprintf(stderr, "%s: see `%s --help`\n", s->name, command_of(s));
	return EXIT_ERROR;
}

static int options_wrong(const struct options_subcommand *s, const char *what, const char *name)
{
	fprintf(stderr, "%s: %s%s; see `%s --help`\n", s->name, what, name, command_of(s));
	return EXIT_ERROR;
}

/* A file that is not given is standard input, unless a person would have to type it. */
static bool is_input(const struct options_subcommand *s, int least, int count)
{
	return s->reads_input && count == least - 1 && !isatty(STDIN_FILENO);
}

static int run_by_input(const struct options_subcommand *s, int count, char **arguments)
{
	static char input[] = "-";
	char *with_input[] = { count ? arguments[0] : input, input, NULL };

	return s->run(count + 1, with_input);
}

static int check_and_run(const struct options_subcommand *s, int least, int count, char **arguments)
{
	for (const struct options_row *row = s->rows; row->name; row++)
		if (row->required && !*(const char **)((char *)s->options + row->offset))
			return options_wrong(s, "no --", row->name);
	if (count > s->most)
		return options_wrong(s, "extra argument ", arguments[s->most]);
	if (is_input(s, least, count))
		return run_by_input(s, count, arguments);
	if (count < least)
		return options_wrong(s, "missing ", s->arguments);
	return s->run(count, arguments);
}

int options_run(const struct options_subcommand *s, int argc, char **argv)
{
	struct getopt_tables t = { .count = 0 };
	int option, code, least = s->least;

	add_rows(&t, s->rows);
	add_rows(&t, options_common);
	while ((option = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		/* The error has been printed. */
		if (option == '?')
			return options_see_help(s);
		if (row_of(&t, option)->for_file)
			least = s->least - 1;
		code = options_take(s, row_of(&t, option));
		if (code != CONTINUE)
			return code;
	}
	return check_and_run(s, least, argc - optind, argv + optind);
}

/* ---- Programs ---- */

static const struct options_subcommand *find_subcommand(program_list *at, const char *name)
{
	const struct options_subcommand *s;

	for (size_t n = 0; (s = at(n)); n++)
		if (strcmp(name, s->name) == 0)
			return s;
	return NULL;
}

static char help_option[] = "--help";

static int print_group(const struct options_subcommand *group)
{
	const char *command = command_of(group);
	const struct options_subcommand *s;

	printf("usage: %s SUBCOMMAND [ARGUMENT...]\n"
	       "       %s --help | --version\n\n",
	       command, command);
	for (size_t n = 0; (s = group->group(n)); n++)
		printf("  %-9s %s\n", s->name, s->summary);
	printf("\n`%s help SUBCOMMAND` lists its options.\n", command);
	return EXIT_PASS;
}

static bool is_word(const char *word, const char *name, const char *letter)
{
	return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

/* `help SUBCOMMAND` is `SUBCOMMAND --help`, also of a group's. */
static int run_group(const struct options_subcommand *group, int argc, char **argv)
{
	bool help = argc > 1 && strcmp(argv[1], "help") == 0;
	const struct options_subcommand *s;

	if (argc > 1 && ((help && argc == 2) || is_word(argv[1], "--help", "-h")))
		return program_flushed(print_group(group));
	if (argc > 1 && is_word(argv[1], "--version", "-V")) {
		puts("noisefloor " NF_VERSION);
		return program_flushed(EXIT_PASS);
	}
	s = argc > 1 ? find_subcommand(group->group, argv[1 + help]) : NULL;
	if (s && help) {
		memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
		argv[argc - 1] = help_option;
	}
	if (s)
		return program_run(s, argc - 1, argv + 1);
	fprintf(stderr, "%s: %s%s; see `%s --help`\n", command_of(group),
		argc > 1 ? "no subcommand " : "missing SUBCOMMAND", argc > 1 ? argv[1 + help] : "",
		command_of(group));
	return EXIT_ERROR;
}

int program_run(const struct options_subcommand *s, int argc, char **argv)
{
	if (s->group)
		return run_group(s, argc, argv);
	if (argc == 2 && strcmp(argv[1], "help") == 0 && access("help", F_OK) != 0)
		argv[1] = help_option;
	return program_flushed(options_run(s, argc, argv));
}

int program_flushed(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("standard output");
	return EXIT_ERROR;
}
