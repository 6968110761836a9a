/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of a program are. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "test.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define TESTS_MAX 256

static struct CMUnitTest tests[TESTS_MAX];
static unsigned lines[TESTS_MAX];
static size_t count;
static CMFixtureFunction group_setup, group_teardown;

/* The order of constructors is up to the compiler. */
void tests_register(const struct CMUnitTest *test, unsigned line)
{
	size_t at = count;

	if (count == TESTS_MAX) {
		fprintf(stderr, "%s: more than %d tests\n", test->name, TESTS_MAX);
		abort();
	}
	for (; at && lines[at - 1] > line; at--) {
		tests[at] = tests[at - 1];
		lines[at] = lines[at - 1];
	}
	tests[at] = *test;
	lines[at] = line;
	count++;
}

void tests_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	group_setup = setup;
	group_teardown = teardown;
}

int tests_run(const char *pattern)
{
	/* cmocka passes over those that are zero. */
	struct CMUnitTest wanted[TESTS_MAX] = { { 0 } };
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!pattern || fnmatch(pattern, tests[i].name, 0) == 0)
			wanted[n++] = tests[i];
	if (!n) {
		fprintf(stderr, "no test fits %s\n", pattern ? pattern : "");
		return 1;
	}
	return cmocka_run_group_tests_name(program_invocation_short_name, wanted, group_setup,
					   group_teardown);
}
