/* SPDX-License-Identifier: BSD-2-Clause */
/* Outputs of tools as tests read them: from a file or a string, with the complaints kept. */
#pragma once

#include "host/tools/tool.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <string.h>

#define TOOL_DATA "tests/data/peers/"

/* The pieces read last, and what was complained of: "FILE:LINE: TEXT\n" each. */
static struct tool_list tools;
static char tool_reported[65536];
static uint64_t tool_floor_ns; /* given with what is read next */

static inline void tool_keep_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	size_t used = strlen(tool_reported);

	(void)ctx;
	snprintf(tool_reported + used, sizeof(tool_reported) - used, "%s:%llu: %s\n", file,
		 (unsigned long long)line, text);
}

static inline void tool_forget(void)
{
	tool_free(&tools);
	tools.floor_ns = tool_floor_ns;
	tool_reported[0] = '\0';
}

static inline void tool_teardown(void)
{
	tool_forget();
}

/* Read a text: how many pieces it has. */
static inline size_t tool_bytes(const char *name, const char *text, size_t bytes)
{
	struct tool_reader *r;

	tool_forget();
	r = tool_begin(&tools, name, tool_keep_complaint, NULL);
	tool_feed(r, text, bytes);
	tool_end(r, false);
	return tools.count;
}

/* Load a file of tests/data/peers, with a zero behind it: its bytes. */
static inline size_t tool_load(const char *name, char *text, size_t room)
{
	char full[5000];
	size_t bytes;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", TOOL_DATA, name);
	f = fopen(full, "rb");
	assert_non_null(f);
	bytes = fread(text, 1, room - 1, f);
	fclose(f);
	text[bytes] = '\0';
	return bytes;
}

static inline size_t tool_file(const char *name)
{
	static char text[1 << 19];

	return tool_bytes(name, text, tool_load(name, text, sizeof(text)));
}

static inline size_t tool_string(const char *text)
{
	return tool_bytes("in", text, strlen(text));
}

#define assert_range(of, from, to)                          \
	do {                                                \
		struct range r_ = (of);                     \
                                                            \
		assert_true(r_.known);                      \
		assert_int_equal(r_.low, (uint64_t)(from)); \
		assert_int_equal(r_.high, (uint64_t)(to));  \
	} while (0)

#define assert_exact(of, value) assert_range(of, value, value)

#define assert_printed(part)                                                          \
	do {                                                                          \
		if (!strstr(tool_reported, part))                                     \
			fail_msg("not printed: `%s`; but:\n%s", part, tool_reported); \
	} while (0)
