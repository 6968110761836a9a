/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor measure services=` from its arguments to its file, with variables that this program
 * plays: calls that succeed, that fail, that are interrupted, and one that never returns.
 */
#include "host/measure/system.h"
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/host/measure/all_cores.h"
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define FILE_OF_RUN 1
#define EFIVARS     "sys/firmware/efi/efivars/"
#define GUID        "-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* In the process of the command, which begins with all of it as the test has set it. */
static struct {
	unsigned values;
	unsigned fails_after, hangs_after, signals_after; /* so many reads; 0: never */
} kernel;

int system_call_open(const char *root, const char *name)
{
	char file[SYSTEM_PATH_MAX];

	assert_string_equal(root, "");
	assert_true(system_path(file, tree, name));
	return open(file, O_RDONLY | O_CLOEXEC);
}

int system_call_rtc(int fd)
{
	(void)fd;
	return ENOTTY;
}

int system_call_read(int fd, void *to, size_t bytes, uint64_t at)
{
	(void)fd, (void)to, (void)bytes, (void)at;
	return EIO;
}

static bool is_over(unsigned after)
{
	return after && kernel.values > after;
}

int system_call_read_some(int fd, void *to, size_t bytes)
{
	(void)to, (void)bytes;
	assert_true(fd >= 0);
	kernel.values++;
	if (is_over(kernel.signals_after))
		raise(SIGTERM);
	while (is_over(kernel.hangs_after))
		pause();
	return is_over(kernel.fails_after) ? EIO : 0;
}

int system_call_statfs(int fd, struct system_call_fs *fs)
{
	assert_true(fd >= 0);
	*fs = (struct system_call_fs){ true, 262144 };
	return 0;
}

bool system_call_by_root(void)
{
	return true;
}

static int lay(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	if (tree_make(state) != 0 || start(state) != 0)
		return -1;
	tree_write(EFIVARS "Small" GUID, "....1");
	return 0;
}

static int end(void **state)
{
	teardown(state);
	return tree_remove(state);
}

static int measure(const char *services, const char *limit)
{
	int code = RUN(&measure_subcommand, "measure", services, "service_calls=2", "threshold=5us",
		       limit, "-o", path[FILE_OF_RUN]);

	load(path[FILE_OF_RUN], out);
	return code;
}

TEST_F(lay, end, test_calls)
{
	assert_int_equal(measure("services=get_variable_small,query_variables", "max=1h"), 0);
	assert_in(out, "\"service\":\"get_variable_small\",\"why\":null");
	assert_in(out, "\"service\":\"query_variables\",\"why\":null");
	assert_in(out, "\"calls\":2,\"failed\":0,\"status\":null");
	assert_in(out, "\"controls\":18");
	assert_in(out, "\"verdict\":\"pass\"");
	assert_int_equal(RUN(&show_subcommand, "show", path[FILE_OF_RUN]), 0);
	assert_in(out, "get_variable_small        2      0");
	assert_in(out, "query_variables           2      0");
}

TEST_F(lay, end, test_limit)
{
	assert_int_equal(measure("services=get_variable_small", "service_max=1ns"), 1);
	assert_in(out, "service_max: longest call");
}

/* One is read before to see whether it can be. */
TEST_F(lay, end, test_failure)
{
	kernel.fails_after = 2;
	assert_int_equal(measure("services=get_variable_small", "max=1h"), 0);
	assert_in(out, "\"calls\":2,\"failed\":1,\"status\":5");
}

TEST_F(lay, end, test_signal)
{
	kernel.signals_after = 1;
	assert_int_equal(measure("services=get_variable_small,query_variables", "max=1h"), 3);
	assert_in(out, "SIGTERM ended the run");
	assert_not_in(out, "query_variables\",\"why\"");
}

/* For 10 s: then it is given up, and all that is known is in the file. */
TEST_F(lay, end, test_call_that_never_returns)
{
	kernel.hangs_after = 2;
	assert_int_equal(measure("services=query_variables,get_variable_small", "max=1h"), 3);
	assert_in(out, "get_variable_small: a call has not returned for 10 s and cannot be "
		       "interrupted");
	assert_in(out, "\"type\":\"end\"");
	assert_in(out, "\"verdict\":\"incomplete\"");
	assert_in(out, "a call of get_variable_small did not return");
	assert_int_equal(RUN(&show_subcommand, "show", path[FILE_OF_RUN]), 3);
	assert_not_in(err, "lost");
}

TEST_GROUP(make_folder_and_input, remove_folder);
