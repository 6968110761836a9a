/* SPDX-License-Identifier: BSD-2-Clause */
/* Causes by name, there and back. */
#include "core/cause/cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
	enum cause cause;
	const char *name;
} causes[] = {
	{ CAUSE_SMI, "smi" },
	{ CAUSE_NMI, "nmi" },
	{ CAUSE_MCE, "mce" },
	{ CAUSE_EL3, "el3" },
	{ CAUSE_HYPERVISOR, "hypervisor" },
	{ CAUSE_SERROR, "serror" },
	{ CAUSE_STEAL, "steal" },
	{ CAUSE_STOPPED, "stopped" },
	{ CAUSE_STALL, "stall" },
	{ CAUSE_UNKNOWN, "unknown" },
};

static void test_names(void **state)
{
	enum cause cause;

	(void)state;
	assert_int_equal(sizeof(causes) / sizeof(causes[0]), CAUSES);
	for (size_t i = 0; i < CAUSES; i++) {
		assert_string_equal(cause_name(causes[i].cause), causes[i].name);
		assert_true(cause_parse(causes[i].name, &cause));
		assert_int_equal(cause, causes[i].cause);
	}
}

static void test_foreign_names(void **state)
{
	static const char *const names[] = { "", "SMI", "smi ", "sm", "none", "n/a" };
	enum cause cause = CAUSE_STALL;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(cause_parse(names[i], &cause));
	assert_int_equal(cause, CAUSE_STALL);
	assert_string_equal(cause_name(CAUSES), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_foreign_names),
	};

	return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
