/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of saved runs: right dates, and nothing that leaves the folder. */
#include "core/keep/saved_name.h"

#include <string.h>

#include "tests/unit/common/test.h"

static char buffer[128];

static const char *name(uint64_t began_s, const char *product, const char *uuid)
{
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	saved_name(&t, began_s, product, uuid);
	assert_false(t.overflow);
	return buffer;
}

/* By date(1). */
TEST(test_dates)
{
	static const struct {
		uint64_t began_s;
		const char *name;
	} cases[] = {
		{ 1, "19700101-000001" },          { 951782400, "20000229-000000" },
		{ 1704067199, "20231231-235959" }, { 1704067200, "20240101-000000" },
		{ 1709251199, "20240229-235959" }, { 1795287901, "20261121-190501" },
		{ 4107587696, "21000301-123456" }, { 253402300799, "99991231-235959" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(name(cases[i].began_s, NULL, NULL), cases[i].name);
}

TEST(test_what_is_not_known_is_left_out)
{
	assert_string_equal(name(1795287901, "X11DPH-T", "4c4c-55"),
			    "20261121-190501-X11DPH-T-4c4c-55");
	assert_string_equal(name(0, "X11DPH-T", ""), "X11DPH-T");
	assert_string_equal(name(1795287901, NULL, "4c4c-55"), "20261121-190501-4c4c-55");
	assert_string_equal(name(0, NULL, NULL), "noisefloor");
	/* Somebody wrote this into the firmware's store. */
	assert_string_equal(name(UINT64_MAX, NULL, NULL), "noisefloor");
	assert_string_equal(name(UINT64_C(253402300800), NULL, NULL), "noisefloor");
}

TEST(test_hostile_names_stay_in_the_folder)
{
	assert_string_equal(name(0, "..\\..\\EFI/BOOT", "a:b*c"), "_._.._EFI_BOOT-a_b_c");
	assert_string_equal(name(0, "Pro<du>ct|\"?\x01\xff ", NULL), "Pro_du_ct______");
	assert_string_equal(name(0, ".conf", NULL), "_conf");
}

TEST(test_long_names_are_cut)
{
	char longer[200];

	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(strlen(name(1795287901, longer, longer)), 15 + 1 + 48 + 1 + 48);
}
