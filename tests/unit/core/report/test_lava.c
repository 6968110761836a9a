/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases as LAVA reads them. */
#include "core/report/lava.h"

#include "tests/unit/common/test.h"

TEST(test_signal)
{
	static const struct {
		const char *group, *name;
		enum lava_result result;
		struct maybe ns;
		const char *wanted;
	} rows[] = {
		{ "bare",
		  "cpu 1",
		  LAVA_FAIL,
		  { 25400, true },
		  "bare-cpu-1 RESULT=fail UNITS=us MEASUREMENT=25.400>" },
		{ "run", "complete", LAVA_UNKNOWN, { 0, false }, "run-complete RESULT=unknown>" },
		{ "bare",
		  "cpu 0",
		  LAVA_PASS,
		  { 9, true },
		  "bare-cpu-0 RESULT=pass UNITS=us MEASUREMENT=0.009>" },
		/* No spaces, and no character that would end the signal. */
		{ "a b>=c", "cpu 0", LAVA_SKIP, { 0, false }, "a-b--c-cpu-0 RESULT=skip>" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_DEFINE(t, LAVA_LINE_MAX);
		TEXT_DEFINE(wanted, LAVA_LINE_MAX);

		lava_signal(&t, rows[i].group, rows[i].name, rows[i].result, rows[i].ns);
		text_add(&wanted, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s", rows[i].wanted);
		assert_string_equal(t.buf, wanted.buf);
	}
}
