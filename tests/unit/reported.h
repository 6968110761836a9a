/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints as the parsers report them, kept for a test to look at. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define REPORTED_MAX   600
#define REPORTED_BYTES 600

struct reported {
	unsigned count;
	struct {
		char text[REPORTED_BYTES];
		char source[40];
		unsigned line;
	} at[REPORTED_MAX];
};

/* A config_complaint. */
static inline void reported_add(void *ctx, const char *source, unsigned line, const char *text)
{
	struct reported *t = ctx;

	if (t->count < REPORTED_MAX) {
		snprintf(t->at[t->count].text, REPORTED_BYTES, "%s", text);
		snprintf(t->at[t->count].source, sizeof(t->at[0].source), "%s", source);
		t->at[t->count].line = line;
	}
	t->count++;
}

/* True if any complaint contains `part`. */
static inline bool reported_has(const struct reported *t, const char *part)
{
	for (unsigned i = 0; i < t->count && i < REPORTED_MAX; i++) {
		if (strstr(t->at[i].text, part))
			return true;
	}
	return false;
}

static inline void reported_show(const struct reported *t)
{
	for (unsigned i = 0; i < t->count && i < REPORTED_MAX; i++)
		fprintf(stderr, "reported: %s:%u: %s\n", t->at[i].source, t->at[i].line,
			t->at[i].text);
}

/* Fail unless exactly this one complaint was reported. Macros: only some have included cmocka.h. */
#define reported_assert_one(t, part)                               \
	do {                                                       \
		if ((t)->count != 1 || !reported_has(t, part)) {   \
			reported_show(t);                          \
			fail_msg("should report once `%s`", part); \
		}                                                  \
	} while (0)

#define reported_assert_none(t)                            \
	do {                                               \
		if ((t)->count) {                          \
			reported_show(t);                  \
			fail_msg("should report nothing"); \
		}                                          \
	} while (0)
