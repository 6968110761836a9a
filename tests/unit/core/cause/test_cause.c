/* SPDX-License-Identifier: BSD-2-Clause */
/* Causes by name, there and back. */
#include "core/cause/cause.h"

#include "tests/unit/common/test.h"

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

TEST(test_names)
{
	enum cause cause;

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		assert_string_equal(cause_name(causes[i].cause), causes[i].name);
		assert_true(cause_parse(causes[i].name, &cause));
		assert_int_equal(cause, causes[i].cause);
	}
}

/* Also those that are not listed here: a name is a cause's own. */
TEST(test_all_have_names)
{
	enum cause cause;

	for (unsigned c = 0; c < CAUSES; c++) {
		assert_true(cause_parse(cause_name((enum cause)c), &cause));
		assert_int_equal(cause, c);
	}
}

TEST(test_foreign_names)
{
	static const char *const names[] = { "", "SMI", "smi ", "sm", "none", "n/a" };
	enum cause cause = CAUSE_STALL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(cause_parse(names[i], &cause));
	assert_int_equal(cause, CAUSE_STALL);
	assert_string_equal(cause_name(CAUSES), "unknown");
}
