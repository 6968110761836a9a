/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison in sentences, for all text forms: each is added to a text, without a newline. */
#pragma once

#include "split.h"

#include "core/lib/text.h"

/* Bytes that the longest of them needs. */
#define SPLIT_WORDS_MAX 600

/* "a.log: run 000000000000002a, stage handoff, threshold 1us, 2 cores" */
void split_words_floor(struct text *t, const struct floor *floor);

/* "os.txt:7: osnoise, threshold 1us (stated), exposure stated" */
void split_words_tool(struct text *t, const struct split_result *s);

#define SPLIT_NAME_MAX 32

/* "3", "any"; "all" for the sum. With "cpu " before the first two as a name. */
void split_words_cpu(char *cpu, size_t room, const struct split_result *s,
		     const struct split_row *r);
void split_words_name(char name[SPLIT_NAME_MAX], const struct split_result *s,
		      const struct split_row *r);

/* The floor's part of the noise and what the OS added, with the bounds of both. */
void split_words_share(struct text *t, const struct split_row *r);
void split_words_added(struct text *t, const struct split_row *r);

/* SMIs of the core that had the most, inside and below; nothing if the tool does not count SMIs. */
void split_words_smis(struct text *t, const struct split_result *s);

enum split_unit { SPLIT_US, SPLIT_SECONDS, SPLIT_PERCENT };

/* What is printed of a row, in the order of a table's columns. */
struct split_figure {
	const char *head; /* the column's head in a table, as "NOISE(us)" */
	size_t offset;    /* offset of the range in struct split_row, if of() is NULL */
	struct range (*of)(const struct split_row *r);
	enum split_unit unit;
	bool cause; /* a cause of the OS's own; a table has those that a row has */
};

#define SPLIT_FIGURES (SPLIT_CAUSES + 7)

extern const struct split_figure split_figures[SPLIT_FIGURES];

/* Not known where the tool, or the floor, does not have it. */
struct range split_figure_of(const struct split_figure *f, const struct split_row *r);

/* The floor's part of the noise in hundredths of a percent; unknown where nothing was split. */
struct range split_share(const struct split_row *r);

/* The floor's longest gap; unknown where it has no such core. */
struct range split_floor_max(const struct split_row *r);

/* Each flag and note of the comparison: whether it is the reason for a refusal, name, sentence. */
typedef void split_words_report(void *ctx, bool refused, const struct tool_words *flag);
void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx);
