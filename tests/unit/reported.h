/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints as the parsers tell them, kept for a test to look at. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TOLD_MAX   600
#define TOLD_BYTES 600

struct reported {
	unsigned count;
	struct {
		char text[TOLD_BYTES];
		char source[40];
		unsigned line;
	} at[TOLD_MAX];
};

static inline void reported_add(struct reported *t, const char *source, unsigned line,
				const char *text)
{
	if (t->count < TOLD_MAX) {
		snprintf(t->at[t->count].text, TOLD_BYTES, "%s", text);
		snprintf(t->at[t->count].source, sizeof(t->at[0].source), "%s", source);
		t->at[t->count].line = line;
	}
	t->count++;
}

/* Whether any complaint contains `part`. */
static inline bool reported_has(const struct reported *t, const char *part)
{
	for (unsigned i = 0; i < t->count && i < TOLD_MAX; i++) {
		if (strstr(t->at[i].text, part))
			return true;
	}
	return false;
}

static inline void reported_show(const struct reported *t)
{
	for (unsigned i = 0; i < t->count && i < TOLD_MAX; i++)
		fprintf(stderr, "told: %s:%u: %s\n", t->at[i].source, t->at[i].line, t->at[i].text);
}
