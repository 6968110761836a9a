/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines for people, as one text. */
#pragma once

#include "tests/unit/common/test.h"

#include <string.h>

static char kept_text[1 << 20];
static size_t kept_bytes, longest_line;
static unsigned kept_lines;

static inline void forget_lines(void)
{
	kept_bytes = longest_line = kept_lines = 0;
	kept_text[0] = '\0';
}

static inline void keep_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	assert_int_equal(strlen(line), bytes);
	assert_null(strchr(line, '\n'));
	assert_true(kept_bytes + bytes + 2 < sizeof(kept_text));
	memcpy(kept_text + kept_bytes, line, bytes);
	kept_bytes += bytes;
	memcpy(kept_text + kept_bytes++, "\n", 2);
	longest_line = bytes > longest_line ? bytes : longest_line;
	kept_lines++;
}

static inline unsigned lines_with(const char *part)
{
	unsigned n = 0;

	for (const char *at = kept_text; (at = strstr(at, part)); at = strchr(at, '\n'))
		n++;
	return n;
}

static inline void assert_text(const char *part)
{
	if (!strstr(kept_text, part))
		fail_msg("no `%s` in\n%s", part, kept_text);
}

static inline void assert_no_text(const char *part)
{
	if (strstr(kept_text, part))
		fail_msg("`%s` in\n%s", part, kept_text);
}
