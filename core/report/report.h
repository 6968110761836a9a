/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output of a run: text for people on one port, and records on each link (a file, the network,
 * a serial port). The words:
 *
 *   link      an output of records, with its own limit on gap and event records per stage.
 *   log       of windows: entries of one window each, later of two, four ... windows.
 *   sampled   the sum of the windows of a stage, from start to end.
 *   watched   the mean of the cores' exposure: sampled time without the recording of gaps.
 *   unsent    gaps and events that a link's limit has left out.
 *
 * report_window() adds each window's sums to the stage's. report_stage_end() sends what the stage
 * has: windows, gaps, cores, then events and their sources, and prints the table. report_end()
 * sends the verdict and the summary. As no core samples during output, only one short line is sent
 * between windows, unless a link wants each window at once.
 */
#pragma once

#include "core/config/config.h"
#include "core/events/event.h"
#include "core/gaps/exposure.h"
#include "core/gaps/gaplist.h"
#include "core/gaps/longest.h"
#include "core/events/period.h"
#include "core/gaps/platform.h"
#include "core/records/record.h"
#include "summary.h"
#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_LINKS   4
#define REPORT_WINDOWS 512 /* entries of report_log; longer stages pair neighbours */

/*
 * The search for sources covers the first windows of a stage, and the first events of a cause.
 * `gaps` is `all`, or no more than these events.
 */
#define REPORT_EXPOSURE 4096
#define REPORT_TIMES    CONFIG_GAPS_LIMIT

/* An output of records (link). */
struct report_link {
	struct record_link *to;
	uint64_t gaps_default;               /* gap records per stage if key `gaps` is not set */
	bool gaps_bounded;                   /* gaps_default bounds `gaps`, too */
	bool each_window;                    /* send a window's record right after it */
	uint64_t gaps_unsent, events_unsent; /* in all stages so far */
};

/* The progress of the stage. */
struct report_progress {
	uint64_t planned; /* windows; turns, in modes that have these */
	uint32_t turns;   /* turns completed */
};

/* The windows of the stage. When the log is full, neighbouring entries are merged. */
struct report_log {
	uint64_t per_entry; /* windows in one entry */
	unsigned used;
	struct record_window window[REPORT_WINDOWS];
};

/* Sampled time, ticks. */
struct report_times {
	uint64_t first, last;   /* start of the first window, end of the last window of the stage */
	uint64_t sampled;       /* sum of the stage's windows */
	uint64_t watched, wall; /* all stages so far: cores' mean exposure; duration */
	struct maybe shortest;  /* the least `sampled` of all completed stages */
};

/* State of the search for sources in the stage. */
struct report_search {
	struct exposure exposure;                  /* its windows, ns since the begin */
	bool exposure_full;                        /* later windows were left out */
	struct period_timer timers[RECORD_TIMERS]; /* enabled in the chipset, up to a NULL name */
	uint32_t sources;                          /* sources found in the stage */
};

/* Scratch memory: report_lay(). */
struct report_scratch {
	/* One per core. */
	struct record_cpu *cpus; /* rows of the table */
	uint32_t *order;
	/* One per core and cause. */
	struct gaplist_head *heads;
	struct event_cpu *event_cpus;
	uint64_t (*pairs)[2]; /* HIST_BUCKETS of them */
	uint64_t *times;      /* REPORT_TIMES: the longest lengths, then starts of events */
};

struct report {
	const struct config *config;
	struct platform *platform;
	bool passing; /* a live line about a window is being printed, which is not saved */
	/* Prints one line for people, which has no newline. */
	void (*line)(void *ctx, const char *line, size_t bytes);
	void *ctx;
	struct report_link link[REPORT_LINKS];
	unsigned links;
	bool hashed; /* report_add_link() calls record_hash() */
	/* Called after all other output, before the run's `end` record. May be NULL. */
	void (*before_end)(void *ctx);
	void *before_end_ctx;

	const char *stage; /* NULL: none has begun */
	struct report_progress progress;
	struct report_log log;
	struct report_times times;
	struct report_search search;
	struct report_summary summary;
	bool lava_failed; /* a core exceeded a limit: report_lava_cpus() */
	struct report_scratch scratch;
};

/*
 * Bytes of memory for a report of `cpus` cores. It is in use from report_stage() to
 * report_stage_end(), and free for other uses between stages.
 */
size_t report_room(uint32_t cpus);

/* Lay out the memory, which is 8-byte aligned. */
void report_lay(struct report *r, void *memory, uint32_t cpus);

/* Add a link, before it has had a line. */
void report_add_link(struct report *r, struct report_link link);

/* Print `t`, then empty it. */
void report_print(struct report *r, struct text *t);

/* Text for people; cut at 600 bytes. */
void report_text(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print a record if its kind is printed, then send it on all links. */
void report_record(struct report *r, enum record_type type, const void *record);

/*
 * Print the table of the cores as measured so far, whose records are then in r->scratch.cpus.
 * flags: enum table_flag. Returns the number of cores.
 */
size_t report_table(const struct report *r, struct lines *out, unsigned flags);

/* Print a record as text, without the head of its table. */
void report_record_text(struct report *r, enum record_type type, const void *record);

/* Send and print a `log` record. level: "info" "warning" "error". */
void report_log(struct report *r, const char *level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The run begins: print and send its record. */
void report_begin(struct report *r, const struct record_begin *begin);

/* The stage begins. state's strings must live until report_stage_end(). */
void report_stage(struct report *r, const struct record_stage *state, uint64_t windows);

/* Add a window from `start` to `end` ticks: the cores' window sums are added to the stage's. */
void report_window(struct report *r, uint64_t n, uint64_t start, uint64_t end);

/* The stage ends: send its records, and print its table. */
void report_stage_end(struct report *r);

/* The shortest total of a stage's windows, ns; not known before the first stage has ended. */
struct maybe report_sampled(const struct report *r);

void report_end(struct report *r, const struct verdict_reasons *reasons);

/* ---- For the files of this folder ---- */

/* Send a record to the links whose bits are set in `to`. */
void report_send(const struct report *r, unsigned to, enum record_type type, const void *record);

/* Room for the longest gaps or events of the stage. */
struct longest report_longest(const struct report *r);

/* Choose the longest for each link, as many as it takes. */
void report_choose(const struct report *r, struct longest *longest,
		   struct longest_choice choice[REPORT_LINKS]);

/* Bits of the links that have chosen a gap or an event of this length: longest_take(). */
unsigned report_takers(const struct report *r, struct longest_choice choice[REPORT_LINKS],
		       uint64_t length);

/* Send the stage's windows to the links that do not take each at once. */
void report_windows(const struct report *r);

/* Find, print and send the stage's events and sources, and count what links leave out. */
void report_events(struct report *r);

/*
 * With `lava=yes`, print the test cases of `noisefloor show --format junit`, a line each as LAVA
 * reads them on a serial console: those of the first `count` of r->scratch.cpus, and those of the
 * run.
 *
 *   <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=handoff-cpu-3 RESULT=pass UNITS=us MEASUREMENT=12.345>
 */
void report_lava_cpus(struct report *r, size_t count);
void report_lava_end(struct report *r, const struct verdict_reasons *reasons);
