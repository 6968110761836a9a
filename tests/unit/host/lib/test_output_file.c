/* SPDX-License-Identifier: BSD-2-Clause */
/* Output where others may have put links: files are whole or not there, streams go to no file. */
#include "host/lib/output_file.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include <errno.h>

static void link_to(const char *target, const char *name)
{
	char from[TREE_PATH_MAX];

	snprintf(from, sizeof(from), "%s", *target == '/' ? target : tree_path(target));
	assert_int_equal(symlink(from, tree_path(name)), 0);
}

static void write_to(FILE *f)
{
	assert_non_null(f);
	fputs("text", f);
	assert_int_equal(fclose(f), 0);
}

TEST_F(tree_make, tree_remove, test_stream)
{
	tree_write("plain", "something longer");
	write_to(output_file_stream(tree_path("plain")));
	assert_string_equal(tree_read("plain"), "text");
	write_to(output_file_stream(tree_path("new")));
	assert_string_equal(tree_read("new"), "text");
	/* A link, as /dev/stdout is one. */
	link_to("/dev/null", "device");
	write_to(output_file_stream(tree_path("device")));
	tree_write("victim", "mine");
	link_to("victim", "link");
	assert_null(output_file_stream(tree_path("link")));
	assert_int_equal(errno, ELOOP);
	assert_string_equal(tree_read("victim"), "mine");
	link_to("nothing", "dangling");
	assert_null(output_file_stream(tree_path("dangling")));
	assert_false(tree_has("nothing"));
}

TEST_F(tree_make, tree_remove, test_new)
{
	tree_write("victim", "mine");
	link_to("victim", "link");
	write_to(output_file_new(tree_path("link"), 0600));
	assert_string_equal(tree_read("victim"), "mine");
	assert_string_equal(tree_read("link"), "text");
}

TEST_F(tree_make, tree_remove, test_whole_or_not_there)
{
	struct output_file o;
	char path[TREE_PATH_MAX];

	snprintf(path, sizeof(path), "%s", tree_path("file"));
	assert_int_equal(output_file_write(path, 0600, "old", 3), 0);
	assert_int_equal(output_file_open(&o, path, 0600), 0);
	fputs("new", o.to);
	assert_int_equal(output_file_close(&o, EIO), EIO);
	assert_string_equal(tree_read("file"), "old");
	assert_false(tree_has("file.part"));
	assert_int_equal(output_file_write(path, 0600, "new", 3), 0);
	assert_string_equal(tree_read("file"), "new");
	assert_int_equal(output_file_write("/nowhere/at/all", 0600, "", 0), ENOENT);
}
