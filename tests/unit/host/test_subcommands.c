/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of every subcommand, by its table of options. */
#include "host/boot/boot.h"
#include "host/fleet/fleet.h"
#include "host/subcommands.h"
#include "tests/unit/common/test.h"
#include "tests/unit/usage.h"

#include <sys/stat.h>

static const struct options_subcommand *subcommand(const char *name)
{
	const struct options_subcommand *s = NULL;

	for (size_t n = 0; (s = subcommands_at(n)) && strcmp(s->name, name) != 0; n++)
		;
	assert_non_null(s);
	return s;
}

/* Check each subcommand, but not the groups, whose subcommands are checked. */
static void check_each(void (*check)(const struct options_subcommand *s))
{
	static const struct options_subcommand *(*const at[])(
		size_t n) = { subcommands_at, fleet_subcommands_at, boot_subcommands_at };
	const struct options_subcommand *s;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		for (size_t n = 0; (s = at[i](n)); n++)
			if (!s->group)
				check(s);
}

TEST(test_help_has_each_option)
{
	check_each(assert_help);
	assert_int_equal(run_with(subcommand("show"), "--help", NULL), 0);
	assert_in(out, "usage: noisefloor show [OPTION...] FILE...\n");
	assert_in(out, "  -f, --format FORM ");
	assert_in(out, "(text, json, jsonl,\n");
	assert_in(out, " junit, influx, html, ctf)\n");
	assert_int_equal(run_with(&fleet_import, "--help", NULL), 0);
	assert_in(out, "usage: noisefloor fleet import --dir DIR [OPTION...] CAPTURE|FOLDER...\n");
	assert_int_equal(run_with(&fleet_status, "--help", NULL), 0);
	assert_in(out, "usage: noisefloor fleet status --dir DIR [OPTION...] UUID\n");
	assert_in(out, "(text, json)");
}

/*
 * Check that a letter stands for one option only, and that these options always have their letter.
 */
static void assert_letters(const struct options_subcommand *s)
{
	static const struct {
		char letter;
		const char *name;
	} of[] = { { 'f', "format" }, { 'o', "output" }, { 'r', "run" },
		   { 's', "stage" },  { 'q', "quiet" },  { 'v', "verbose" } };
	const size_t letters = sizeof(of) / sizeof(of[0]);

	for (const struct options_row *row = s->rows; row->name; row++) {
		size_t n = 0;

		while (n < letters && strcmp(of[n].name, row->name) != 0)
			n++;
		if (row->letter != (n < letters ? of[n].letter : 0))
			fail_msg("%s --%s: -%.1s", s->name, row->name, &row->letter);
	}
}

TEST(test_letters)
{
	check_each(assert_letters);
}

TEST(test_version)
{
	const struct options_subcommand *s;

	for (size_t n = 0; (s = subcommands_at(n)); n++)
		if (!s->group)
			assert_version(s, "noisefloor " NF_VERSION "\n");
}

static const char *command_of(const char *name)
{
	static char command[64];

	snprintf(command, sizeof(command), "noisefloor %s", name);
	return command;
}

/* Exit code 2; the first line names the subcommand and what is wrong. */
TEST(test_usage_errors)
{
	static const struct {
		const char *subcommand, *first, *second, *line;
	} cases[] = {
		{ "compare", NULL, NULL, "compare: missing FLOOR INSIDE..." },
		{ "diff", NULL, NULL, "diff: missing BEFORE AFTER" },
		{ "hunt", NULL, NULL, "hunt: missing DIR" },
		{ "measure", NULL, NULL, "measure: no --output" },
		{ "show", "--format", "morse",
		  "show: --format morse: accepted: text, json, jsonl, junit, influx, html, "
		  "ctf\n" },
		{ "compare", "--format", "jsonl",
		  "compare: --format jsonl: accepted: text, json, junit\n" },
		{ "diff", "--format", "ctf", "diff: --format ctf: accepted: text, json, junit\n" },
		{ "diff", "--json", "--format=junit",
		  "diff: formats json and junit: only one is possible\n" },
		{ "predict", "--format", "junit",
		  "predict: --format junit: accepted: text, json\n" },
		{ "predict", "--nodes", "0", "predict: --nodes 0: accepted: 1 to 100000000\n" },
		{ "predict", "--grain", "1",
		  "predict: --grain 1: accepted: a time above 0 with a unit, ns us ms s m h d\n" },
		{ "show", "--preset", "x",
		  "show: --preset x: accepted: openshift, rhel-rt, rhel-rt-virt, bits, hft\n" },
		{ "show", "--preset", NULL, "show: option '--preset' requires an argument\n" },
	};
	const struct options_subcommand *s;

	for (size_t n = 0; (s = subcommands_at(n)); n++)
		if (!s->group)
			assert_no_such_option(s, command_of(s->name));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
			run_with(subcommand(cases[i].subcommand), cases[i].first, cases[i].second),
			2);
		assert_see_help(command_of(cases[i].subcommand));
		assert_memory_equal(err, cases[i].line, strlen(cases[i].line));
	}
}

/* A group has subcommands and nothing else. */
TEST(test_group)
{
	static const struct {
		const struct options_subcommand *subcommand;
		const char *first, *second, *line;
	} cases[] = {
		{ &fleet_status, "a", NULL, "status: no --dir" },
		{ &fleet_list, NULL, NULL, "list: missing DIR" },
		{ &fleet_import, "a", NULL, "import: no --dir" },
		{ &boot_fetch, "a", NULL, "fetch: extra argument a" },
		{ &boot_stick, NULL, NULL, "stick: missing DEVICE|FILE [KEY=VALUE...]" },
		{ &fleet_list, "--json", "--format=json",
		  "list: formats json and json: only one is possible\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run_with(cases[i].subcommand, cases[i].first, cases[i].second), 2);
		assert_see_help(cases[i].subcommand->command);
		assert_memory_equal(err, cases[i].line, strlen(cases[i].line));
	}
}

/* ---- No output takes the place of what is read ---- */

#define QUIET "tests/data/runs/quiet.log"
#define IN    "<" /* these two stand for the names of the file that is read */
#define OUT   ">"

static const struct {
	const char *args[9], *why;
	bool own; /* the file is not written under another name first */
} writers[] = {
	{ { "show", "-fhtml", "-o", OUT, IN }, "it cannot be the output, too", false },
	{ { "show", "-fhtml", "-o", OUT, QUIET, IN }, "it cannot be the output, too", false },
	{ { "show", "-fhtml", "-o", OUT, "-" }, "it cannot be the output, too", false },
	{ { "show", "--share", OUT, IN }, "File exists", true },
	{ { "show", "--share", OUT, "-" }, "File exists", true },
	{ { "show", "--format", "ctf", "-o", OUT, IN }, "File exists", true },
	/* These name no file that is read. For folders, see test_fetch.c and test_collectors.py. */
	{ { "measure", NULL, OUT }, NULL, false },
};

#define WRITERS (sizeof(writers) / sizeof(writers[0]))

static void refuse(size_t n, const char *output, const char *other)
{
	const char *args[COMMAND_ARGS + 1] = { NULL };

	for (size_t i = 0; i < 9 && writers[n].args[i]; i++) {
		const char *arg = writers[n].args[i];

		args[i] = strcmp(arg, IN) == 0 ? path[0] : strcmp(arg, OUT) == 0 ? output : arg;
	}
	assert_int_equal(run_command(subcommand(args[0]), args), 2);
	assert_in(err, writers[n].why);
	/* The file is whole under each of its names. */
	assert_int_equal(load(path[0], out), capture.count);
	assert_memory_equal(out, capture.bytes, capture.count);
	assert_int_equal(load(other, out), capture.count);
	assert_memory_equal(out, capture.bytes, capture.count);
}

TEST(test_output_is_input)
{
	char same[90], link_name[90], hard[100], whole[90];

	snprintf(same, sizeof(same), "%s/./0.log", folder);
	snprintf(link_name, sizeof(link_name), "%s/link", folder);
	snprintf(hard, sizeof(hard), "%s/hard", folder);
	snprintf(whole, sizeof(whole), "%s/whole", folder);
	capture_start(&capture, SID);
	capture_bytes(&capture, out, load(QUIET, out));
	save(0);
	assert_int_equal(symlink(path[0], link_name) | link(path[0], hard), 0);
	for (size_t n = 0; n < WRITERS && writers[n].why; n++) {
		refuse(n, path[0], path[0]);
		refuse(n, same, same);
		refuse(n, link_name, link_name);
		refuse(n, hard, hard);
	}
	assert_int_equal(unlink(link_name) | unlink(hard), 0);
	/* The temporary file has a name of its own. */
	snprintf(hard, sizeof(hard), "%s.part", whole);
	assert_int_equal(link(path[0], hard), 0);
	for (size_t n = 0; n < WRITERS && writers[n].why; n++) {
		if (!writers[n].own)
			refuse(n, whole, hard);
	}
	assert_int_equal(unlink(hard), 0);
	assert_int_equal(access(whole, F_OK), -1);
	teardown();
}

/* Each subcommand that writes a file is in the table. */
TEST(test_writers)
{
	const struct options_subcommand *s;

	for (size_t n = 0; (s = subcommands_at(n)); n++) {
		size_t i = 0;

		for (const struct options_row *o = s->rows; o->name; o++) {
			if (o->letter != 'o' && strcmp(o->name, "share") != 0)
				continue;
			while (i < WRITERS && strcmp(writers[i].args[0], s->name) != 0)
				i++;
			if (i == WRITERS)
				fail_msg("%s --%s", s->name, o->name);
		}
	}
}

/* ---- A file that is not given is standard input ---- */

TEST(test_standard_input)
{
	static const char *const last[][5] = {
		{ "show", "-" },           { "show", "--json", "-" }, { "compare", "--list", "-" },
		{ "advise", "-" },         { "predict", "-" },        { "diff", QUIET, "-" },
		{ "compare", QUIET, "-" }, { "show", "-fhtml", "-" },
	};
	static char named[OUTPUT_MAX];

	capture_start(&capture, SID);
	capture_bytes(&capture, out, load(QUIET, out));
	save(0);
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		const char *args[COMMAND_ARGS + 1] = { NULL };
		size_t n = 0;
		int code;

		while (n < 5 && last[i][n]) {
			args[n] = last[i][n];
			n++;
		}
		code = run_command(subcommand(args[0]), args);
		assert_true(*out || *err);
		snprintf(named, sizeof(named), "%s", out);
		args[n - 1] = NULL;
		assert_int_equal(run_command(subcommand(args[0]), args), code);
		assert_string_equal(out, named);
	}
	teardown();
}

TEST_GROUP(make_folder, remove_folder);
