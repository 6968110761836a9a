/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs of other tools that measure from inside an OS, in common terms: core, exposure,
 * threshold, events, longest, sum, and the part for which the tool itself states a cause. A file
 * may hold the output of several tools, one after another: each piece is one `struct tool`.
 *
 * A tool leaves out much of what is needed to judge its figures. A line
 *
 *   # noisefloor: threshold=1us exposure=5s cpus=0-3
 *
 * before its output adds what is known otherwise (any of these), and so does the command line of
 * some tools there (tool_command.c).
 */
#pragma once

#include "host/lib/range.h"

#include "core/lib/cpulist.h"
#include "core/lib/value.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer line holds nothing that any of the tools writes. */
#define TOOL_LINE_MAX (1 << 20)
/* A file of more outputs is refused: each takes far more memory than its text. */
#define TOOL_PIECES_MAX 4096
/* A JSON document is held in memory while it is read, up to this size. */
#define TOOL_JSON_MAX    ((size_t)64 << 20)
#define TOOL_COMMAND_MAX 160
/* Recognised outputs, for people; `make docs` prints it into the documentation. */
#define TOOL_KNOWN                                                                        \
	"traces of hwlat, osnoise and timerlat (tracefs and trace-cmd), output of rtla "  \
	"(osnoise, hwnoise and timerlat, top and hist), hwlatdetect, oslat, cyclictest, " \
	"rteval (its summary.xml and text), sysjitter (its summary), sysjitter2, "        \
	"stress-ng (--cyclic), jitterdebugger (results.json), turbostat (SMIs), "         \
	"detect-detour, FTQ, FWQ (netgauge's) and "                                       \
	"jHiccup (logs and percentiles), and records of `noisefloor measure`"
/* The stage of our own records that is measured from inside an OS. */
#define TOOL_OS_STAGE "os"

/* The causes inside an OS, as osnoise distinguishes them. */
enum tool_cause { TOOL_NMI, TOOL_IRQ, TOOL_SOFTIRQ, TOOL_THREAD, TOOL_CAUSES };

enum tool_origin {
	TOOL_UNKNOWN,
	TOOL_ASSUMED, /* the tool's default, or worked out from its output */
	TOOL_STATED,  /* by the tool, its command, or in a `# noisefloor:` line */
};

/* "unknown" "assumed" "stated" */
const char *tool_origin_name(enum tool_origin origin);

/* Notes on a tool's figures: TOOL_*, name, sentence. */
#define TOOL_NOTE_ROWS(ROW)                                                                   \
	ROW(WAKEUP, "wakeup-latency",                                                         \
	    "these are latencies of waking up, not gaps: they bound the longest gap below "   \
	    "the OS from above where a wake-up fell into it, and do not bound the share of "  \
	    "such gaps")                                                                      \
	ROW(BLIND, "blind-to-floor",                                                          \
	    "this tool sees only what the kernel itself does: time taken from below is in "   \
	    "none of its figures, or hidden in a handler's")                                  \
	ROW(TAINTED, "tainted", "the tool itself reports that the measurement was disturbed") \
	ROW(LOST, "events-lost",                                                              \
	    "the tool itself reports that events were lost: its sums are too low")            \
	ROW(NMI_ANYWHERE, "nmi-of-any-core",                                                  \
	    "in this mode hwlat charges NMIs of every core to the one it samples: NMI "       \
	    "figures are upper bounds")                                                       \
	ROW(ONE_THREAD, "one-core-at-a-time",                                                 \
	    "one thread moves from core to core: each was watched a fraction of the run")     \
	ROW(UNPINNED, "not-pinned",                                                           \
	    "its threads were not bound to cores: which core was hit is not certain")         \
	ROW(SMI_UNSURE, "smi-count-unproved",                                                 \
	    "\"0 SMIs\" is also what it prints on processors that have no counter of SMIs")   \
	ROW(VERSION, "version-ambiguous",                                                     \
	    "the version that decides how figures were rounded is not certain: bounds "       \
	    "cover all")                                                                      \
	ROW(NEWER, "version-unknown",                                                         \
	    "newer than the versions whose format is known: read like the latest")            \
	ROW(DAMAGED, "damaged", "lines could not be read and are left out")                   \
	ROW(CUT, "cut-off", "the output is truncated")                                        \
	ROW(STOPPED, "stopped-at-noise",                                                      \
	    "the tracer was stopped by a noise above its limit: it watched no longer than "   \
	    "until then, so that noise weighs more than in a run of a length of its own")     \
	ROW(QUANTA, "noise-per-quantum",                                                      \
	    "noise is what a quantum took longer than the best one: a slower clock is part "  \
	    "of it, and several gaps in one quantum are one")                                 \
	ROW(PART_LISTED, "partly-listed",                                                     \
	    "it counts more, or longer, gaps than it lists: of those only the longest is "    \
	    "known, and not their cores")                                                     \
	ROW(UNIT_ASSUMED, "unit-assumed",                                                     \
	    "neither the output nor a command line before it has the unit: us is assumed; a " \
	    "line `cyclictest -N` before it states ns")                                       \
	ROW(LEFT, "left-by-linux",                                                            \
	    "this is the stage linux, below the OS: Linux's drivers cause what it has more "  \
	    "than the floor, and have switched off what it has less")

/* Bit numbers of the notes. */
enum tool_note_bit {
#define ROW(id, name, text) TOOL_##id##_BIT,
	TOOL_NOTE_ROWS(ROW)
#undef ROW
		TOOL_NOTES
};

enum tool_note {
#define ROW(id, name, text) TOOL_##id = 1 << TOOL_##id##_BIT,
	TOOL_NOTE_ROWS(ROW)
#undef ROW
};

struct tool_words {
	const char *name, *text;
};

extern const struct tool_words tool_notes[TOOL_NOTES]; /* by the number of the bit */

#define TOOL_ANY_CPU UINT32_MAX /* the tool does not name the core */

struct tool_core {
	uint32_t cpu;
	struct range exposure_ns;
	enum tool_origin exposure_from;
	struct range events, max_ns, sum_ns;
	struct range cause_ns[TOOL_CAUSES]; /* known to be 0 if the tool excludes the cause */
	struct maybe smi;
	/*
	 * Lower bound of the sum of the events of at least `floor_ns` (tool_list.floor_ns); 0 if
	 * the tool prints no lengths.
	 */
	uint64_t floor_ns, above_ns;
	void *more; /* private to the parser */
};

/* The content of a `# noisefloor:` line, and of a command line. A number that is 0 is not stated.
 */
struct tool_stated {
	uint64_t threshold_ns, exposure_ns;
	uint64_t runtime_ns, period_ns; /* watched in each period */
	uint64_t duration_ns;           /* the time to run */
	uint64_t in_ns;                 /* figures are in ns */
	uint64_t no_summary;            /* a histogram ends with its "over:" */
	bool has_command;               /* the tool's defaults may be taken for granted */
	bool has_cpus;
	struct cpulist cpus;
};

struct result_stage; /* host/capture/result.h */

struct tool {
	char file[256];
	uint64_t line;             /* where it begins, from 1 */
	const char *tool;          /* "hwlat" "osnoise" "rtla osnoise top" ... */
	char version[24];          /* "" where it is not printed */
	struct range threshold_ns; /* shortest event that is counted */
	enum tool_origin threshold_from;
	uint64_t over_ns; /* the tool prints a threshold that is lower by this, ns */
	uint32_t notes;
	char command[TOOL_COMMAND_MAX]; /* the last command line before it; "": none */
	uint64_t rows;                  /* lines that gave figures */
	struct tool_core *core;         /* in rising order of cpu once read */
	size_t cores;
	struct tool_stated stated;
	/* Total exposure of all cores, if one thread moves between them in an unknown order. */
	struct range shared_ns;
	struct range hz; /* TSC rate, if the tool states it */
	/* The machine of noisefloor's own records, for comparison with the floor's. */
	char machine[160], uuid[40];
	const struct record_service *service; /* durations of its calls, by noisefloor's records */
	size_t services;
	const struct result_stage *left; /* the stage linux, with TOOL_LEFT; else NULL */
};

struct tool_list {
	struct tool *at;
	size_t count;
	uint64_t floor_ns; /* shortest gap of the floor that is compared; 0: none is */
	bool failed;       /* nothing usable, or not readable: complained of */
};

/* One sentence about a line of a file; 0: about the whole file. */
typedef void tool_complain(void *ctx, const char *file, uint64_t line, const char *text);

/*
 * Read a file's bytes as they arrive, and append its pieces. What is wrong with it is reported to
 * `complain`. Ends the program when memory has run out. The name lives as long as the reader.
 */
struct tool_reader *tool_begin(struct tool_list *tools, const char *name, tool_complain *complain,
			       void *ctx);
void tool_feed(struct tool_reader *r, const char *bytes, size_t count);

/*
 * The file has ended. With `others`, something else was found in it: that there is no output is not
 * reported then. False if the file is refused: nothing of it is appended.
 */
bool tool_end(struct tool_reader *r, bool others);

void tool_free(struct tool_list *tools);

/* The figures of that core; NULL where there are none. */
const struct tool_core *tool_find(const struct tool *tool, uint32_t cpu);

/* Count events of a length from `low` to `high` ns: events, sum and maximum. */
void tool_count(struct tool_core *core, uint64_t low, uint64_t high, uint64_t count);

/*
 * Least sum, ns, of a core's events of at least `shortest` ns. If the list's floor_ns was shorter
 * than that, only the longest event counts.
 */
uint64_t tool_sum_from(const struct tool *tool, const struct tool_core *core, uint64_t shortest);
