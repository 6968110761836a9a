/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that register themselves, in the order of their file, with cmocka. What is defined is run:
 *
 *   TEST(test_empty)
 *   {
 *           assert_int_equal(count(), 0);
 *   }
 *
 *   TEST_F(start, teardown, test_one)     before and behind it; NULL: nothing
 *   TEST_GROUP(make_folder, remove_folder);     before and behind all of them
 *
 * main() is in main.c, unless the file has its own. It takes patterns of names as arguments:
 * `build/unit/core/events/test_period 'test_*ms'`.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(name) TEST_F(NULL, NULL, name)

#define TEST_F(setup, teardown, name)                                                     \
	static void name(void **state);                                                   \
	static __attribute__((constructor)) void name##_register(void)                    \
	{                                                                                 \
		tests_register(&(const struct CMUnitTest)cmocka_unit_test_setup_teardown( \
				       name, setup, teardown),                            \
			       __LINE__);                                                 \
	}                                                                                 \
	static void name(__attribute__((unused)) void **state)

#define TEST_GROUP(setup, teardown)                                    \
	static __attribute__((constructor)) void test_group_here(void) \
	{                                                              \
		tests_group(setup, teardown);                          \
	}                                                              \
	_Static_assert(1, "")

/* `line` of the file: tests are run in that order. */
void tests_register(const struct CMUnitTest *test, unsigned line);
void tests_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/*
 * Run those whose name fits the shell's `pattern`; NULL: all. How many failed; 1 where there is
 * none.
 */
int tests_run(const char *pattern);
