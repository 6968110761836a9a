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

/* The floor's part of the noise in hundredths of a percent; unknown where nothing was split. */
struct range split_share(const struct split_row *r);

/* The floor's longest gap; unknown where it has no such core. */
struct range split_floor_max(const struct split_row *r);

/* Each flag and note of the comparison: whether it is the reason for a refusal, name, sentence. */
typedef void split_words_report(void *ctx, bool refused, const char *name, const char *text);
void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx);
