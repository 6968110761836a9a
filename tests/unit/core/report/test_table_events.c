/* SPDX-License-Identifier: BSD-2-Clause */
/* How many events there were, and of which scope. */
#include "core/report/table.h"

#include <string.h>

#include "tests/unit/common/test.h"

static char buffer[300];
static struct text line;

static int empty(void **state)
{
	(void)state;
	text_init(&line, buffer, sizeof(buffer));
	return 0;
}

static void keep_line(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	text_add(&line, "%s%.*s", line.len ? "\n" : "", (int)bytes, text);
}

static const char *summary(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed)
{
	text_reset(&line);
	table_events(events, scope, listed, keep_line, NULL);
	return buffer;
}

TEST_F(empty, NULL, test_summary)
{
	static const uint64_t all[SCOPES] = { 400, 3, 2, 1, 5 };
	static const uint64_t one[SCOPES] = { [SCOPE_MACHINE] = 1 };

	assert_string_equal(summary(411, all, 10),
			    "411 events: 400 on one cpu, 3 of a core, 2 of a package, "
			    "1 of the machine,\n    5 of scope n/a; the 10 longest:");
	assert_string_equal(summary(1, one, 1), "1 event: 1 of the machine:");
	assert_string_equal(summary(411, NULL, 10), "411 events; the 10 longest:");
	assert_string_equal(summary(0, NULL, 0), "0 events");
}
