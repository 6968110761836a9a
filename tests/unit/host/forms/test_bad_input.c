/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every subcommand on every kind of bad file: the capture of a real run, spoilt in one way at
 * a time. Each reports what is wrong and where, and none passes silently. What the reader makes of
 * chatter, escapes and duplicates is in tests/unit/host/capture/test_reader.c.
 */
#include "core/lib/crc32c.h"

#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#define GOOD    "tests/data/runs/quiet.log"
#define OSNOISE "tests/data/peers/osnoise-one-second.trace"
#define BAD     "\1" /* where the bad file's name goes */

static const struct {
	const char *name;
	const struct options_subcommand *command;
	const char *args[7];
} commands[] = {
	{ "show", &show_subcommand, { "show", BAD } },
	{ "predict", &predict_subcommand, { "predict", BAD } },
	{ "diff before", &diff_subcommand, { "diff", BAD, GOOD } },
	{ "diff after", &diff_subcommand, { "diff", GOOD, BAD } },
	{ "compare floor", &compare_subcommand, { "compare", BAD, OSNOISE } },
	{ "page", &show_subcommand, { "show", "-fhtml", "-o", "-", BAD } },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Run command `n` with `file` in the bad file's place. */
static int run(size_t n, const char *file)
{
	const char *args[8] = { NULL };

	for (size_t i = 0; i < 7 && commands[n].args[i]; i++)
		args[i] = strcmp(commands[n].args[i], BAD) == 0 ? file : commands[n].args[i];
	return run_command(commands[n].command, args);
}

static void load_good(void)
{
	load(GOOD, out);
	capture_text(&capture, out);
}

/* All commands refuse it, and print `printed` about it. */
static void assert_refused(const char *file, const char *printed)
{
	char text[400];

	snprintf(text, sizeof(text), "%s%s", strcmp(file, "-") == 0 ? "standard input" : file,
		 printed);
	for (size_t n = 0; n < COMMANDS; n++) {
		assert_int_equal(run(n, file), 2);
		assert_in(err, text);
		/* A truncated page or list shows no pass. */
		assert_not_in(out, "verdict pass");
		assert_not_in(out, "verdict: none");
	}
}

/* ---- No capture at all ---- */

TEST_F(start, teardown, test_nothing)
{
	assert_refused("/nonexistent/file", ": No such file or directory\n");
	assert_refused("/tmp", ": Is a directory");
	save(1);
	for (size_t n = 0; n < COMMANDS; n++) {
		assert_int_equal(run(n, path[1]), 2);
		assert_in(err, "/1.log: ");
		assert_in(err, commands[n].command == &compare_subcommand
				       ? "no noisefloor run"
				       : "no noisefloor record in 0 bytes");
	}
}

/* ---- A capture that is spoilt ---- */

/* Cut in the middle of its last record: file and line are named, and nothing passes. */
TEST_F(start, teardown, test_truncated)
{
	unsigned line = 1;
	char printed[100];

	load_good();
	capture.count = (size_t)(strstr(capture.bytes, "\"type\":\"end\"") - capture.bytes) + 40;
	for (size_t i = 0; i < capture.count; i++)
		line += capture.bytes[i] == '\n';
	save(1);
	snprintf(printed, sizeof(printed),
		 "/1.log:%u: damaged record: it is truncated before its checksum\n", line);
	for (size_t n = 0; n < COMMANDS; n++) {
		assert_int_equal(run(n, path[1]), 3);
		assert_in(err, printed);
	}
}

TEST_F(start, teardown, test_missing)
{
	char *from, *to;

	load_good();
	from = strstr(capture.bytes, "\n{\"nf\":1,") + 1;
	from = strstr(from, "\"type\":\"gap\"");
	while (*from != '\n')
		from--;
	to = strchr(from + 1, '\n');
	memmove(from, to, (size_t)(capture.bytes + capture.count + 1 - to));
	capture.count -= (size_t)(to - from);
	save(1);
	for (size_t n = 0; n < COMMANDS; n++) {
		assert_int_equal(run(n, path[1]), 3);
		if (!strstr(out, "lost: 1 of ") && !strstr(err, "lost: 1 of ") &&
		    !strstr(out, "floor-damaged"))
			fail_msg("%s does not report a lost line: %s", commands[n].name, err);
	}
}

/* Whole records of a format to come: refused by its number. */
TEST_F(start, teardown, test_version)
{
	static const char record[] = "{\"nf\":2,\"sid\":\"0123456789abcdef\",\"seq\":0,"
				     "\"type\":\"begin\"";
	char line[200];

	capture_text(&capture, "chatter\n");
	snprintf(line, sizeof(line), "%s,\"crc\":\"%08x\"}\n", record,
		 crc32c(record, sizeof(record) - 1));
	capture_text(&capture, line);
	save(1);
	assert_refused(path[1],
		       ":2: refused record: it is in format nf=2; this program reads nf=1");
}

/* ---- Standard input ---- */

/* `-` is standard input in every place of a file, and can be named once. */
TEST_F(start, teardown, test_standard_input)
{
	static const struct {
		const struct options_subcommand *command;
		const char *args[7];
	} twice[] = {
		{ &show_subcommand, { "show", "-", "-" } },
		{ &diff_subcommand, { "diff", "-", "-" } },
		{ &compare_subcommand, { "compare", "-", "-" } },
		{ &show_subcommand, { "show", "-fhtml", "-o", "-", "-", "-" } },
	};

	for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
		assert_int_equal(run_command(twice[i].command, twice[i].args), 2);
		assert_in(err, twice[i].args[0]);
		assert_in(err, ": standard input can be read only once, but - is given 2 times\n");
	}
	/* The OS's side. */
	start_again();
	load(OSNOISE, out);
	capture_text(&capture, out);
	save(0);
	assert_int_equal(RUN(&compare_subcommand, "compare", GOOD, "-"), 0);
	assert_in(out, "\nstandard input: osnoise, ");
}

/* ---- The OS's side ---- */

/* A bad file of the OS's side is refused by `compare`. */
static void assert_os_refused(const char *printed)
{
	save(1);
	assert_int_equal(RUN(&compare_subcommand, "compare", GOOD, path[1]), 2);
	assert_in(err, printed);
	start_again();
}

TEST_F(start, teardown, test_os_side)
{
	assert_os_refused("/1.log: empty\n");
	capture_bytes(&capture, "\0\1\2\3\n\0\1", 7);
	assert_os_refused("/1.log:1: binary data; outputs of tools are text\n");
	load_good();
	assert_os_refused("/1.log: run dfb31788329adcd7 was not measured from inside an OS: "
			  "it has no stage \"os\"");
	capture_text(&capture, "# noisefloor: threshold=1parsec\n");
	assert_os_refused("/1.log:1: ");
}

TEST_GROUP(make_folder, remove_folder);
