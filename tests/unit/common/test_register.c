/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests are run in the order of the file, each between its fixtures, and those that are asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

#define CRASHES "TEST_CRASHES" /* in the environment of a program that tests start */

static unsigned ran;
static char trace[16]; /* S: set up, T: torn down, G: the group */

static void note(char what)
{
	trace[strlen(trace)] = what;
}

static int set_up_group(void **state)
{
	(void)state;
	note('G');
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	note('S');
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	note('T');
	return 0;
}

TEST_GROUP(set_up_group, NULL);

/* Exit status of this program with a pattern of this file's tests. */
static int status_with(const char *pattern)
{
	char own[4096] = "", command[8192];
	int status;

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	snprintf(command, sizeof(command), "'%s' '" __FILE__ "::%s' >/dev/null 2>&1", own, pattern);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(test_z_is_first)
{
	assert_int_equal(ran++, 0);
	assert_string_equal(trace, "G");
}

TEST_F(set_up, tear_down, test_y_is_second)
{
	assert_int_equal(ran++, 1);
	assert_string_equal(trace, "GS");
}

TEST_F(set_up, NULL, test_x_is_third)
{
	assert_int_equal(ran++, 2);
	assert_string_equal(trace, "GSTS");
}

/* These tests fail unless they run in their usual order, so the exit code shows which ones ran. */
TEST(test_patterns)
{
	assert_int_equal(status_with("test_z*"), 0);
	assert_int_equal(status_with("test_[yx]*"), 1);
	assert_int_equal(status_with("test_w*"), 2);
}

TEST(test_crashes_when_asked)
{
	if (getenv(CRASHES))
		abort();
}

/* Tests after a crash are run, and the crashed one is named. */
TEST(test_a_crash_hides_no_other)
{
	char own[4096] = "", command[8192], printed[8192];
	FILE *f;

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	snprintf(command, sizeof(command),
		 CRASHES "=1 CMOCKA_MESSAGE_OUTPUT=TAP '%s' '" __FILE__ "::test_[zc]*' 2>/dev/null",
		 own);
	f = popen(command, "r");
	assert_non_null(f);
	printed[fread(printed, 1, sizeof(printed) - 1, f)] = '\0';
	assert_int_equal(WEXITSTATUS(pclose(f)), 1);
	assert_non_null(strstr(printed, "ok 1 - test_z_is_first"));
	assert_non_null(strstr(printed, "## " __FILE__ "::test_z_is_first: ends: well"));
	assert_non_null(
		strstr(printed, "## " __FILE__ "::test_crashes_when_asked: ends: signal 6"));
}
