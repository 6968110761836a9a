/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers' output as tests read it: from a file or a string, with the complaints kept. */
#pragma once

#include "host/tools/tool.h"

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

static inline int tool_teardown(void **state)
{
	(void)state;
	tool_forget();
	return 0;
}

/* Read a file of tests/data/peers: how many pieces it has. */
static inline size_t tool_file(const char *name)
{
	char full[256];

	tool_forget();
	snprintf(full, sizeof(full), "%s%s", TOOL_DATA, name);
	tool_read(&tools, full, tool_keep_complaint, NULL);
	return tools.count;
}

static inline size_t tool_bytes(const char *name, const char *text, size_t bytes)
{
	tool_forget();
	tool_read_text(&tools, &(struct tool_text){ name, text, bytes }, tool_keep_complaint, NULL);
	return tools.count;
}

static inline size_t tool_string(const char *text)
{
	return tool_bytes("in", text, strlen(text));
}

static inline const struct tool_core *tool_at(size_t piece, uint32_t cpu)
{
	const struct tool_core *core = NULL;

	if (piece < tools.count)
		core = tool_find(&tools.at[piece], cpu);
	if (!core)
		fprintf(stderr, "no core %u in piece %zu\n%s", cpu, piece, tool_reported);
	return core;
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
