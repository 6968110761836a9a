/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor-collect`: its options, and the points of a run. */
#include "host/collect/collect.h"
#include "host/collect/forward.h"
#include "host/fleet/fleet.h"
#include "host/lib/output_file.h"
#include "host/subcommands.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/stored.h"
#include "tests/unit/usage.h"

#include <sys/stat.h>

#define KEY_TEXT "0123456789abcdef0123456789abcdef\n"

TEST(test_options)
{
	assert_help(&collect_program);
	assert_version(&collect_program, "noisefloor-collect " NF_VERSION "\n");
	assert_no_such_option(&collect_program, "noisefloor-collect");
	assert_int_equal(run_with(&collect_program, "--help", NULL), 0);
	assert_in(out, "usage: noisefloor-collect --dir DIR [OPTION...]\n");
}

TEST(test_usage_errors)
{
	assert_int_equal(run_with(&collect_program, "--dir", "a"), 2);
	assert_in(err, "noisefloor-collect: no --listen");
	assert_see_help("noisefloor-collect");
	assert_int_equal(run_with(&collect_program, "--listen", ":0"), 2);
	assert_in(err, "noisefloor-collect: no --dir");
	assert_int_equal(run_with(&collect_program, "flet", "--dir=a"), 2);
	assert_in(err, "noisefloor-collect: extra argument flet");
}

/* No output takes the place of a file that the collector keeps, of its key, or of a link to it. */
TEST(test_collect_keeps_its_files)
{
	static const char *const names[] = { "runs.sqlite", "runs.sqlite-wal", "key", "link" };
	char dir[80], name[120], file[120];

	snprintf(dir, sizeof(dir), "%s/runs", folder);
	snprintf(file, sizeof(file), "%s/key", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	for (size_t i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, names[i]);
		if (i == 3)
			assert_int_equal(symlink(file, name), 0);
		else
			assert_int_equal(output_file_write(name, 0600, KEY_TEXT, 33), 0);
		assert_int_equal(RUN(&collect_program, "noisefloor-collect", "--listen",
				     "127.0.0.1:0", "--dir", dir, "--junit", name,
				     i < 2 ? NULL : "--key", file),
				 2);
		assert_in(err, "it cannot be the output, too");
		assert_int_equal(load(name, out), 33);
	}
	tree_drop(dir);
}

/* A child's way of running forward_print_points(). */
static int print_points(const struct options_subcommand *unused, int argc, char **argv)
{
	(void)unused, (void)argc;
	return forward_print_points(argv[1], argv[2]);
}

static char dir[80]; /* the collector's folder, which does not exist before a test */

static void begin(void)
{
	snprintf(dir, sizeof(dir), "%s/runs", folder);
}

static void end(void)
{
	assert_int_equal(tree_drop(dir), 0);
}

/* Print a run's points; the exit code. */
static int points(const char *sid)
{
	return run_by(print_points, NULL, (const char *const[]){ FORWARD_POINTS, dir, sid, NULL });
}

/* Store a run of these lines. */
static void store_run(const char *text, size_t bytes)
{
	struct store *s = stored_open(dir, STORE_HOLD);

	stored_lines(s, 7, text, bytes);
	store_close(s);
}

/* The bytes of `show --format influx`; nothing of a run that is damaged. */
TEST_F(begin, end, test_points)
{
	static const char *const files[] = { "tests/data/runs/smis.log",
					     "tests/data/runs/quiet.log" };
	char *wanted = output_map();
	char sid[STORE_SID], began[40];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct stat status;
		int code;

		/* An imported run began when its file was written. */
		assert_int_equal(stat(files[i], &status), 0);
		snprintf(began, sizeof(began), "--began=%lld", (long long)status.st_mtime);
		code = RUN(&show_subcommand, "show", "--format=influx", began, files[i]);
		strcpy(wanted, out);
		assert_true(*wanted);
		snprintf(sid, sizeof(sid), "%.16s", strstr(wanted, "run=") + 4);
		assert_int_equal(RUN(&fleet_import, "import", "--dir", dir, files[i]), code);
		assert_int_equal(points(sid), 0);
		assert_string_equal(out, wanted);
		stored_change(dir, "UPDATE chunk SET crc32c=crc32c+1");
		assert_int_equal(points(sid), 2);
		assert_string_equal(out, "");
	}
	assert_int_equal(points("1"), 2);
	assert_string_equal(out, "");
}

/* A node can send records that are refused, and fill no log by them. */
TEST_F(begin, end, test_points_of_refused_records)
{
	char text[2000];
	size_t bytes = run_begin(text, 7, 0, "box");

	bytes += run_line(text + bytes, 7, 1, "gap", ",rubbish");
	store_run(text, bytes);
	points("7");
	assert_string_equal(err, "");
}

/* A policy's verdict counts, and the node's own is beside it. */
TEST_F(begin, end, test_points_of_a_judged_run)
{
	char text[2000];
	size_t bytes = run_begin(text, 7, 0, "box");

	bytes += run_line(text + bytes, 7, 1, "end",
			  ",\"verdict\":\"pass\",\"reasons\":[],\"gaps_unsent\":0,"
			  "\"records\":{\"begin\":1,\"end\":1}");
	store_run(text, bytes);
	stored_change(dir, "UPDATE run SET policy_verdict='fail'");
	points("7");
	assert_in(out, ",verdict=fail,node_verdict=pass exit_code=1i,");
}

TEST_GROUP(make_folder, remove_folder);
