/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases for LAVA. */
#include "lava.h"

#define ID_PART_MAX 64

/* An id has no space, which ends it, and no '>', which ends the signal. */
static void add_id(struct text *t, const char *part)
{
	for (unsigned n = 0; part[n] && n < ID_PART_MAX; n++)
		text_add(t, "%c", text_is_plain(part[n]) ? part[n] : '-');
}

void lava_signal(struct text *t, const char *group, const char *name, enum lava_result result,
		 struct maybe ns)
{
	static const char *const words[] = { [LAVA_PASS] = "pass",
					     [LAVA_FAIL] = "fail",
					     [LAVA_SKIP] = "skip",
					     [LAVA_UNKNOWN] = "unknown" };

	text_add(t, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=");
	add_id(t, group);
	text_add(t, "-");
	add_id(t, name);
	text_add(t, " RESULT=%s", words[result]);
	if (ns.known)
		text_add(t, " UNITS=us MEASUREMENT=%llu.%03llu",
			 (unsigned long long)(ns.value / 1000),
			 (unsigned long long)(ns.value % 1000));
	text_add(t, ">");
}
