/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison in sentences, for all text forms: each is added to a text, without a newline. */
#pragma once

#include "split.h"

#include "host/findings/finding.h"

#include "core/lib/text.h"

/* Bytes that the longest of them needs. */
#define SPLIT_WORDS_MAX 600

/* "a.log: run 000000000000002a, stage handoff, threshold 1us, 2 cores" */
void split_words_floor(struct text *t, const struct floor *floor);

/* "os.txt:7: osnoise, threshold 1us (stated), exposure stated" */
void split_words_tool(struct text *t, const struct split_result *s);

#define SPLIT_NAME_MAX 32

/* "cpu 3", "cpu any"; "all" for the sum. */
void split_words_name(char name[SPLIT_NAME_MAX], const struct split_result *s,
		      const struct split_row *r);

/* The floor's part of the noise and what the OS added, with the bounds of both. */
void split_words_share(struct text *t, const struct split_row *r);
void split_words_added(struct text *t, const struct split_row *r);

/* SMIs of the core that had the most, inside and below; nothing if the tool does not count SMIs. */
void split_words_smis(struct text *t, const struct split_result *s);

/*
 * A finding per core, with all figures of the comparison, and the sum of those that are split. Free
 * by findings_free().
 */
struct findings split_words_findings(const struct split_result *s);

/*
 * Calls of firmware's services as a process of the OS made them, beside the probe's: what the OS
 * adds to a call, and whether it is firmware that stops other cores. A finding per service: both
 * medians, and a sentence as its why. Free by findings_free().
 */
struct findings split_words_services(const struct split_result *s);

/* Each flag and note of the comparison: whether it is the reason for a refusal, name, sentence. */
typedef void split_words_report(void *ctx, bool refused, const struct tool_words *flag);
void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx);
