/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The noise that an OS saw, compared with the floor: who owns it, per core and in total. All parts
 * are ranges. The floor's part, the four causes and unexplained sum up to the noise and in_causes:
 * what came from below within handlers, which is in the floor's part and in a cause.
 */
#pragma once

#include "floor.h"
#include "host/findings/finding.h"
#include "host/lib/range.h"
#include "host/tools/tool.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Figures of a core, in ns unless noted. */
enum split_figure {
	SPLIT_EXPOSURE,
	SPLIT_NOISE, /* the tool's figure */
	SPLIT_BELOW, /* the floor's part of that, 95 %; the value is what was expected */
	SPLIT_CAUSE, /* each cause's, as the tool has it */
	SPLIT_UNEXPLAINED = SPLIT_CAUSE + TOOL_CAUSES,
	SPLIT_BELOW_PERCENT, /* in hundredths */
	SPLIT_MAX,           /* the tool's figure */
	SPLIT_BELOW_MAX,
	SPLIT_SMIS,       /* in hundredths per second, as the tool has them */
	SPLIT_BELOW_SMIS, /* the same unit */
	SPLIT_EVENTS,     /* their number, as the tool has it */
	SPLIT_BELOW_PPM,
	SPLIT_IN_CAUSES, /* floor's part that is in causes, too */
	SPLIT_ADDED,     /* all but the floor */
	SPLIT_FIGURES
};

struct split_row {
	uint32_t cpu; /* TOOL_ANY_CPU: not stated by the tool */
	enum tool_origin exposure_from;
	bool has_floor;                     /* the floor has this core */
	bool split;                         /* all parts are known, but for causes */
	struct range figure[SPLIT_FIGURES]; /* shares, rates and events: only in a finding */
};

/* Why figures should not be taken at face value: SPLIT_*, name, sentence. */
#define SPLIT_FLAG_ROWS(ROW)                                                                    \
	ROW(NO_COMMON_CORE, "no-common-core", "the floor was measured on none of these cores")  \
	ROW(OTHER_MACHINE, "other-machine", "floor and OS were measured on different machines") \
	ROW(NO_CALLS, "no-calls", "the floor has no calls of services to set these beside")     \
	ROW(FLOOR_CUT, "floor-cut", "the floor's run has no end record: it was cut short")      \
	ROW(FLOOR_DAMAGED, "floor-damaged", "records of the floor's run are missing")           \
	ROW(FLOOR_CLOCK, "floor-clock",                                                         \
	    "the floor's clock was wrong for a time: hidden pauses are missing from its gaps, " \
	    "or a TSC that ran ahead made them too long")                                       \
	ROW(STAGE, "stage",                                                                     \
	    "the floor was not measured in the stage an OS inherits (handoff): noise that the " \
	    "firmware still caused there may be absent under the OS")                           \
	ROW(RUNS, "several-runs", "the floor's file has several runs: the last is used")        \
	ROW(HYPERVISOR, "hypervisor",                                                           \
	    "the machine is virtual: its floor includes host noise, and varies with host load") \
	ROW(THRESHOLD_HIGHER, "threshold-higher",                                               \
	    "the tool has a higher threshold than the floor: the floor's shorter gaps are "     \
	    "ignored")                                                                          \
	ROW(THRESHOLD_LOWER, "threshold-lower",                                                 \
	    "the tool has a lower threshold than the floor: the shorter gaps are unexplained, " \
	    "and in the upper bound of the floor's part")                                       \
	ROW(THRESHOLD_ASSUMED, "threshold-assumed",                                             \
	    "the tool does not state its threshold: a default is assumed, and the bounds "      \
	    "cover the others")                                                                 \
	ROW(EXPOSURE_ASSUMED, "exposure-assumed",                                               \
	    "the tool does not state how long it watched: its default, or the time from first " \
	    "to last event, is taken for likely, and the bounds cover other times")             \
	ROW(EXPOSURE_UNKNOWN, "exposure-unknown",                                               \
	    "how long the tool watched is not known: only the longest gaps can be compared")    \
	ROW(SHORT_FLOOR, "short-floor",                                                         \
	    "the floor was measured for less time than the OS: rare events may be missing")     \
	ROW(NOISE_BOUNDS, "noise-bounds",                                                       \
	    "the tool gives only bounds of its total noise: those of its parts cover both")     \
	ROW(CAUSES_NOT_STATED, "causes-not-stated",                                             \
	    "the tool does not state how long its causes took: they are part of the "           \
	    "unexplained noise")                                                                \
	ROW(FLOOR_IN_CAUSES, "floor-in-causes",                                                 \
	    "causes and the floor's part together exceed the noise: some of what came from "    \
	    "below hit handlers, and is in both")                                               \
	ROW(FLOOR_ABOVE, "floor-above-noise",                                                   \
	    "more noise was expected from below in this time than was seen: all noise is "      \
	    "attributed to the floor")                                                          \
	ROW(OTHER_CONDITIONS, "other-conditions",                                               \
	    "the noise is significantly less than the floor's gaps alone: both were not "       \
	    "measured under the same conditions")                                               \
	ROW(FLOOR_LONGER, "floor-longer",                                                       \
	    "the floor has longer gaps than the OS saw: they are excluded from the split")      \
	ROW(CORES_APART, "cores-apart",                                                         \
	    "cores that only one side measured are left out of the total")

enum split_flag {
#define ROW(flag, name, text) SPLIT_##flag,
	SPLIT_FLAG_ROWS(ROW)
#undef ROW
		SPLIT_FLAGS
};

extern const struct tool_words split_flags[SPLIT_FLAGS];

/* Such a comparison is refused unless forced. */
#define SPLIT_REFUSE (1u << SPLIT_NO_COMMON_CORE | 1u << SPLIT_OTHER_MACHINE | 1u << SPLIT_NO_CALLS)

struct split_result {
	const struct floor *floor;
	const struct tool *tool;
	struct split_row *row; /* like the tool's cores */
	size_t rows;
	struct split_row all; /* the sum of the rows that are split */
	bool has_all;
	uint32_t flags; /* 1 << enum split_flag */
	bool refused;
	/*
	 * A finding per core, with all figures of the comparison, and the sum of those that are
	 * split. The last one's `why` is the answer if `has_all`: the floor's part of the noise,
	 * and what the OS added.
	 */
	struct findings cores;
	/*
	 * Calls of firmware's services as a process of the OS made them, beside the probe's: what
	 * the OS adds to a call, and whether it is firmware that stops other cores. A finding per
	 * service: both medians, and a sentence as its why.
	 */
	struct findings services;
	struct findings limits; /* set by compare_judge() */
};

/* `force`: compare even what is refused otherwise. Ends the program when memory has run out. */
void split_make(struct split_result *split, const struct floor *floor, const struct tool *tool,
		bool force);
void split_free(struct split_result *split);

/* The likely time, ns, where the row's exposure is a range. */
uint64_t split_exposure(const struct split_row *row);

/* split_make() for all outputs: as many results; *code is the worst of their exit codes. */
struct split_result *split_make_all(const struct floor *floor, const struct tool_list *tools,
				    bool force, int *code);
void split_free_all(struct split_result *split, size_t count);

/*
 * The exit code of a comparison: 0, 2 if it was refused, 3 if the floor or the tool's output is
 * truncated.
 */
int split_exit_code(const struct split_result *split);

/* ---- The same in sentences: each is added to a text, without a newline ---- */

/* Bytes that the longest of them needs. */
#define SPLIT_WORDS_MAX 600

/* "a.log: run 000000000000002a, stage handoff, threshold 1us, 2 cores" */
void split_words_floor(struct text *t, const struct floor *floor);

/* "os.txt:7: osnoise, threshold 1us (stated), exposure stated" */
void split_words_tool(struct text *t, const struct split_result *s);

/* The findings of the cores and of the services, from the figures. */
void split_words_find(struct split_result *s);

/*
 * Print what Linux's drivers changed: the ladder from the floor's stage to the stage linux. Print
 * nothing if the tool's run has no such stage.
 */
void split_words_ladder(const struct split_result *s);

/* Each flag and note of the comparison: whether it is the reason for a refusal, name, sentence. */
typedef void split_words_report(void *ctx, bool refused, const struct tool_words *flag);
void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx);
