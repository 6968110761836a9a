/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that register themselves, in the order of their file, with cmocka. Each test that is
 * defined is run:
 *
 *   TEST(test_empty)
 *   {
 *           assert_int_equal(count(), 0);
 *   }
 *
 *   TEST_F(start, teardown, test_one)     before and behind it; NULL: nothing
 *   TEST_GROUP(make_folder, remove_folder);     before and behind all of the file
 *
 * A program has the test files of one folder. Each file is a group, which runs in a process of its
 * own: a fork costs far less than a new program, whose sanitizer needs a new shadow. If the process
 * ends badly, each of its tests is run once more by itself, which shows the one at fault. On both
 * outputs, a line before and after each process divides their text:
 *
 *   ## NAME: begins
 *   ## NAME: ends: well | status 23 | signal 11
 *
 * The arguments are patterns of tests' names, with or without their file:
 *
 *   build/unit/core/events/tests 'test_*ms' 'tests/unit/core/events/test_train.c::*'
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(name) TEST_F(NULL, NULL, name)

#define TEST_F(setup, teardown, name)                                            \
	static void name(void);                                                  \
	static __attribute__((constructor)) void name##_register(void)           \
	{                                                                        \
		static const struct test name##_row = { name, setup, teardown }; \
		tests_add(&name##_row, #name, __BASE_FILE__, __LINE__);          \
	}                                                                        \
	static void name(void)

#define TEST_GROUP(setup, teardown)                                    \
	static __attribute__((constructor)) void test_group_here(void) \
	{                                                              \
		tests_group(__BASE_FILE__, setup, teardown);           \
	}                                                              \
	_Static_assert(1, "")

/* A test, and functions before and behind it, or NULL. All three may use assertions. */
struct test {
	void (*run)(void), (*setup)(void), (*teardown)(void);
};

/* `line` of the file: its tests are run in that order. */
void tests_register(const struct CMUnitTest *test, const char *file, unsigned line);
void tests_add(const struct test *test, const char *name, const char *file, unsigned line);
void tests_group(const char *file, void (*setup)(void), void (*teardown)(void));

/*
 * Run the tests that the arguments ask for. Returns 0: they passed; 1: not all did; 2: no such
 * test.
 */
int tests_main(int argc, char **argv);

/* True if LeakSanitizer must not check for leaks when this process ends. */
extern bool leaks_unchecked;
