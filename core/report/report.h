/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output of a run: text for people on one port, records on each link. What is
 * sent between windows is time not watched, so only one short line goes out
 * there; window records wait until the stage is over, and are few.
 */
#pragma once

#include "core/config/config.h"
#include "core/events/event.h"
#include "core/gaps/exposure.h"
#include "core/gaps/gaplist.h"
#include "core/events/period.h"
#include "core/gaps/platform.h"
#include "core/records/record.h"
#include "summary.h"
#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_LINKS   4
#define REPORT_WINDOWS 512 /* window records per stage; longer runs pair neighbours up */

/* Windows of a stage in which sources are looked for, the first ones; events of one cause, too. */
#define REPORT_EXPOSURE 4096
#define REPORT_TIMES    32768

struct report_window {
	uint64_t n, windows;
	uint64_t start, end;  /* ticks */
	struct cpu_sums sums; /* of all cores */
};

/* An output of records. */
struct report_link {
	struct record_link *to;
	uint64_t gaps_default;               /* gap records per stage where `gaps` is not set */
	bool gaps_bounded;                   /* and no more where it is */
	bool each_window;                    /* a window's record goes out right after it */
	uint64_t gaps_unsent, events_unsent; /* in all stages so far */
};

/* How far the stage is. */
struct report_progress {
	uint64_t planned; /* windows; or turns, of a mode that has these */
	uint32_t turns;   /* that are over */
};

/* The windows of the stage. In a full log neighbours are paired up. */
struct report_log {
	uint64_t per_entry; /* windows in one entry */
	unsigned used;
	struct report_window window[REPORT_WINDOWS];
};

/* What was sampled, ticks. */
struct report_times {
	uint64_t first, last;   /* begin of the first, end of the last window of the stage */
	uint64_t sampled;       /* in windows of the stage */
	uint64_t watched, wall; /* all stages so far: exposure, as the cores' mean, and time */
	struct maybe shortest;  /* the least `sampled` of all stages that are over */
};

/* What the search for sources knows of the stage. */
struct report_search {
	struct exposure exposure;                  /* its windows, ns since the begin */
	bool exposure_full;                        /* there were more */
	struct period_timer timers[RECORD_TIMERS]; /* enabled in the chipset, up to one unnamed */
	uint32_t sources;                          /* so far */
};

/* Memory to work in: report_lay(). */
struct report_scratch {
	/* One per core. */
	struct record_cpu *cpus; /* the table's */
	uint32_t *order;
	struct gaplist_head *heads;
	uint64_t (*pairs)[2]; /* HIST_BUCKETS of them */
	/* For events and sources. */
	struct event_cpu *event_cpus;   /* one per core */
	struct event_slot *event_slots; /* `event_capacity` of them */
	uint32_t event_capacity;
	uint64_t *starts; /* REPORT_TIMES of them, where the slots are: never in use at once */
};

struct report {
	const struct config *config;
	struct platform *platform;
	bool passing; /* the line for people is on a window that is just over, and kept nowhere */
	/* One line for people, without its newline. */
	void (*line)(void *ctx, const char *line, size_t bytes);
	void *ctx;
	struct report_link link[REPORT_LINKS];
	unsigned links;
	bool hashed; /* report_add_link() calls record_hash() */
	/* Called before the run's `end`, when all else is out. May be NULL. */
	void (*before_end)(void *ctx);
	void *before_end_ctx;

	const char *stage; /* NULL: none has begun */
	struct report_progress progress;
	struct report_log log;
	struct report_times times;
	struct report_search search;
	struct report_summary summary;
	bool lava_failed; /* a core exceeded a limit: lava.h */
	struct report_scratch scratch;
};

/*
 * Memory for the report of so many cores: bytes, with room for so many event
 * records per stage and link. It is in use from report_stage() to
 * report_stage_end(); between stages others may have it.
 */
size_t report_room(uint32_t cpus, uint64_t events);

/* Lay out that memory, 8-byte aligned; what is more than needed is for event records. */
void report_lay(struct report *r, void *memory, size_t bytes, uint32_t cpus);

/* Add a link that has not had a line yet. */
void report_add_link(struct report *r, struct report_link link);

/* Print a line for people; `ctx` is the report. */
void report_line(void *ctx, const char *line, size_t bytes);

/* The same of a text, which is then empty. */
void report_print(struct report *r, struct text *t);

/* Text for people; cut at 600 bytes. */
void report_text(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Send a record on all links; first print it, if its kind is printed. */
void report_record(struct report *r, enum record_type type, const void *record);

/* The table of `count` cores, of r->scratch.cpus. */
void report_table(struct report *r, size_t count);

/* A record as text, without the head of a table. */
void report_record_text(struct report *r, enum record_type type, const void *record);

/* A `log` record, and its text for people. level: "info" "warning" "error". */
void report_log(struct report *r, const char *level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The run begins: print and send its record. */
void report_begin(struct report *r, const struct record_begin *begin);

/* The stage begins. state's strings must live until report_stage_end(). */
void report_stage(struct report *r, const struct record_stage *state, uint64_t windows);

/* Take in a window: cores' window sums, from `start` to `end` ticks. Adds them to the stage's. */
void report_window(struct report *r, uint64_t n, uint64_t start, uint64_t end);

/*
 * What is known so far of the current stage, to one link: its windows, the longest gaps, at most
 * `gaps` and what the key `gaps` allows, and its cores. What the link counts is left to the caller.
 */
void report_snapshot(struct report *r, struct record_link *to, uint64_t gaps);

/* The stage's records and table. */
void report_stage_end(struct report *r);

/* Windows of the stage that had the least, added up, ns; not known before the end of a stage. */
struct maybe report_sampled(const struct report *r);

void report_end(struct report *r, const struct verdict_reasons *reasons);

/* Report time that the TSC did not count; record->stage is filled in. */
void report_pause(struct report *r, struct record_pause *record);

/*
 * Merge the stage's gaps of one cause that start at `from` or later into events. The sink gets
 * each. Times are ticks of the boot core's TSC. Returns how many. It uses the scratch memory.
 */
uint64_t report_merge(const struct report *r, enum cause cause, uint64_t from, event_sink *sink,
		      void *ctx);

/* Gaps that come closer than this are one event, ticks. */
uint64_t report_slack(const struct report *r);

/* ---- Its parts, for each other ---- */

/* Send a record to those of the links that have their bit in `to`. */
void report_send(const struct report_link *link, unsigned to, enum record_type type,
		 const void *record);

/* How many gaps and events a link takes per stage; UINT64_MAX: all. */
uint64_t report_limit_of(const struct report *r, const struct report_link *link);

/* The stage's windows so far, to links as in report_send(). */
void report_windows(const struct report *r, const struct report_link *link, unsigned to);

/* The report's links whose each_window is that, a bit each. */
unsigned report_links_of_windows(const struct report *r, bool each);

/* The stage's events and sources, as text and as records on all links; counts what is left out. */
void report_events(struct report *r);
