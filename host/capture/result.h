/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as its records describe it: what was received, and what of that is kept. Loaded by
 * capture.h; everything that is reported about a run comes from here.
 */
#pragma once

#include "reader.h"

#include "host/lib/range.h"
#include "host/statistics/chance.h"

#include "core/config/config.h"
#include "core/config/mode.h"
#include "core/config/preset.h"
#include "core/events/event.h"
#include "core/gaps/exposure.h"
#include "core/lib/cpulist.h"
#include "core/lib/text.h"
#include "core/records/record.h"
#include "core/report/table.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_kind; /* host/kinds/host_kind.h */
struct result;

/* ---- A stage; its gaps merged into events, and when its cores sampled ---- */

struct result_gap {
	uint64_t t_ns, len_ns;
	uint32_t cpu;
	enum cause cause;
};

struct result_window {
	uint64_t n, windows;
	uint64_t start_ns, len_ns;
	uint64_t gaps;
	struct maybe counted[EVIDENCE_COUNTED];
};

struct result_list {
	void *at;            /* structs of the type */
	size_t count, bytes; /* bytes of one */
};

struct result_stage {
	char *name;
	bool has_state;
	struct record_stage state; /* state of the machine in this stage */

	struct record_cpu *cpu; /* by number; without any, the stage was not measured */
	size_t cpus;
	uint32_t highest;               /* number of a core */
	uint64_t gaps_counted, dropped; /* sums of the cpu records' counts */
	uint64_t bound[2];              /* the two largest error bounds of TSC offsets, ticks */

	/* Events: the number of all, and the longest of them in time order. */
	uint64_t of; /* events of the stage, by the event records; 0: none came */
	uint64_t events;
	uint64_t scope[SCOPES];
	struct record_event longest[TABLE_EVENTS];
	uint32_t listed;

	struct record_source *source;
	size_t sources;
	struct result_gap *gap;
	size_t gaps;
	struct result_window *window;
	size_t windows;

	struct result_list kept[RECORD_TYPES]; /* records of other types, as they are */
};

/*
 * Records that are kept as they are, by type: struct service_records and service_records_of(), and
 * so on. No two of a type have the same keys.
 */
#define RECORD(id, name, about)                                                                 \
	struct name##_records {                                                                 \
		const struct record_##name *at; /* in order of arrival */                       \
		size_t count;                                                                   \
	};                                                                                      \
	static inline struct name##_records name##_records_of(const struct result_stage *stage) \
	{                                                                                       \
		const struct result_list *list = &stage->kept[RECORD_##id];                     \
                                                                                                \
		return (struct name##_records){ list->at, list->count };                        \
	}
#include "core/records/record_table.h"

/* The record of that service; NULL: there is none. */
const struct record_service *result_stage_service(struct service_records of, const char *service);

/* Keep what a record has about its stage. False when there is no room for it. */
bool result_stage_keep(struct result *run, enum record_type type, const union record *record);

/*
 * Returns the stage of that name ("n/a" for NULL), which is added if there is none. NULL: no room.
 */
struct result_stage *result_stage_of(struct result *run, const char *name);

/* The n-th record of a type that is kept as it is. */
static inline const void *result_stage_record(const struct result_stage *stage,
					      enum record_type type, size_t n)
{
	const struct result_list *list = &stage->kept[type];

	return (const char *)list->at + n * list->bytes;
}

void result_stage_free(struct result_stage *stage);

/*
 * True if the stage has records of what the kind's mode measures. Adds their cores to *list, if
 * given.
 */
bool result_stage_cores(const struct result_stage *stage, const struct host_kind *kind,
			struct cpulist *list);

/* True if the stage was measured, in any mode. */
bool result_stage_is_measured(const struct result_stage *stage);

/* Causes to take in, as bits 1 << cause. */
#define RESULT_STAGE_ALL_CAUSES ((1u << CAUSES) - 1)

/* Largest difference between two cores' clocks: ns, at most the threshold. 0: unknown. */
uint64_t result_stage_slack(const struct result *run, const struct result_stage *stage);

/* The scope that an event's record names; SCOPE_UNKNOWN if it names none. */
enum event_scope result_scope(const char *name);

/*
 * True if all gaps of the stage are in the report: a part of them would give a different result. If
 * false, *why has what is missing.
 */
bool result_stage_has_all_gaps(const struct result_stage *stage, struct text *why);

/* Sort the gaps by start, as result_stage_merge() requires. */
void result_stage_sort_gaps(struct result_stage *stage);

/* Called once for each event. *event is valid during the call. */
typedef void result_stage_sink(void *ctx, const struct event *event);

/* Merge the sorted gaps of these causes; `sink` gets each event. */
void result_stage_merge(const struct result_stage *stage, uint32_t causes, uint64_t slack,
			result_stage_sink *sink, void *ctx);

/*
 * The windows of a stage. Where neighbours share a record, as in long runs, they are spread evenly.
 * False where the records are insufficient or contradict each other, and out->window is then NULL;
 * otherwise free it. The stage's windows are sorted.
 */
bool result_stage_exposure(struct result_stage *stage, struct exposure *out);

/* ---- The run ---- */

/* Kept data: record types as bits 1 << type, and histograms. */
#define RESULT_HISTOGRAMS (UINT32_C(1) << 31)
#define RESULT_ALL        UINT32_MAX
/* All but records of which there may be millions: these suffice for a verdict. */
#define RESULT_FEW (RESULT_ALL & ~(RESULT_HISTOGRAMS | 1U << RECORD_GAP | 1U << RECORD_EVENT))

/* Records kept of one run, at most; the rest is counted. */
#define RESULT_STAGES_MAX  64
#define RESULT_CPUS_MAX    16384
#define RESULT_LOGS_MAX    1024                /* also for pauses, and for faults */
#define RESULT_PAIRS_MAX   (UINT64_C(1) << 22) /* pairs of all histograms: 64 MB */
#define RESULT_GAPS_MAX    (UINT64_C(1) << 24) /* 400 MB */
#define RESULT_WINDOWS_MAX (UINT64_C(1) << 20)
#define RESULT_KEPT_MAX    16384 /* records of each other type */
#define RESULT_SOURCES_MAX 256

struct result {
	uint64_t sid;
	bool wanted; /* its records are kept, and its lines passed on: capture_want.run */

	/* Received, be it kept or not. */
	uint64_t line; /* number of the line, from 1, with its first record */
	struct seqset seen;
	uint64_t duplicates;            /* lines seen before */
	uint64_t unusable;              /* with a correct checksum and invalid contents */
	uint64_t unknown;               /* records of types unknown to this program: left out */
	uint64_t records[RECORD_TYPES]; /* whole records */
	bool began;                     /* a `begin`, or a line of one, came: there is no second */
	bool ended;
	uint64_t end_records[RECORD_TYPES]; /* sent, by the `end` record */
	struct reader_joint joint;

	/* Kept. */
	bool has_begin, has_end, has_summary, has_attest;
	struct record_begin begin;
	struct record_end end;
	struct record_summary summary;
	struct record_attest attest;
	struct result_stage *stage; /* in order of arrival */
	size_t stages;
	uint64_t cpus, pairs, gaps, windows, sources; /* records of all stages */
	uint64_t kept[RECORD_TYPES];                  /* by type, in all stages */
	bool no_smi;                                  /* record_no_smi() of `begin` */
	struct record_pause *pause;
	size_t pauses;
	struct record_log *log;
	size_t logs;
	struct record_fault *fault;
	size_t faults;
	uint64_t left_out;
	struct record_owned own; /* strings and pairs of all of the above */
};

/* Ends the program when memory has run out, as all functions here do. */
struct result *result_new(uint64_t sid);
void result_free(struct result *run);

/* Keep a record; a cpu record possibly without its histogram. */
void result_keep(struct result *run, enum record_type type, const union record *record,
		 bool histograms);

/* All records were read: sort each stage's cores and longest events. */
void result_sort(struct result *run);

/* NULL where nothing is kept of a stage of that name. */
struct result_stage *result_find_stage(const struct result *run, const char *name);

/* The stage of that name that has records of cores; else NULL. */
const struct result_stage *result_find_measured(const struct result *run, const char *name);

/* The sum of the stage's first `cores` cores; a figure that one of them lacks is not known. */
struct record_cpu result_total(const struct result_stage *stage, size_t cores);

/* The n-th core of all stages; NULL past the last. */
const struct record_cpu *result_cpu(const struct result *run, size_t n);

/* Apply the begin record's configuration, if `text` is not NULL; without keys with a mistake. */
void result_apply_config(struct config *c, const char *text);

/* The threshold that the begin record's configuration names; else the default. */
uint64_t result_threshold(const struct result *run);

/* The run's mode: by its records, else by its configuration. */
const struct mode *result_mode(const struct result *run);

/* True if any stage was measured. */
bool result_is_measured(const struct result *run);

/* Machine and program, without terminal control characters; "" where unknown. */
struct result_identity {
	char machine[160]; /* vendor, product, board */
	char uuid[40];     /* "" if all zero */
	char version[24];
};

void result_identify(const struct result *run, struct result_identity *id);

/*
 * True if all that the run sent on this link was received and is usable, and the end record proves
 * it.
 */
bool result_is_whole(const struct result *run);

/* The verdict; incomplete where the records do not prove a pass, or that there was no limit. */
enum verdict result_outcome(const struct result *run);

/* The exit code of that verdict. */
int result_exit_code(const struct result *run);

/* Report each flaw of the records, in a sentence. */
typedef void result_report(void *ctx, const char *sentence);
void result_flaws(const struct result *run, result_report *report, void *ctx);

/* Print a record of the run for people. Several of one kind belong below the kind's `head`. */
void result_record_text(const struct result *run, enum record_type type, const void *record);

/* When the run began, wall time, ns since 1970; UTC if it has no zone. 0: it is not known. */
uint64_t result_began_ns(const struct result *run);

/* Time from the begin to the end of the last window, ns. */
uint64_t result_length_ns(const struct result *run);

/*
 * ---- The run judged ----
 *
 * Limits are those of a requested preset, else the run's own. The verdict also has whether the run
 * was as long as its preset requires.
 */

struct result_verdict {
	const struct preset *preset; /* requested, else the run's own; NULL: none */
	bool asked;
	struct config limits;           /* in force, as `max` */
	uint64_t sampled_ns;            /* minimum over the stages */
	struct verdict_reasons reasons; /* by the requested preset; else the outcome and remark */
};

/* Judge the run by the preset `asked`; NULL: by the run's own limits. */
void result_verdict_read(struct result_verdict *v, const struct result *run,
			 const struct preset *asked);

/*
 * Add "preset openshift: pass, but 2 s of sampling is short of the 12 h ...; source", without the
 * outcome where the preset is the run's own. Nothing is added where there is no preset.
 */
void result_verdict_sentence(const struct result_verdict *v, struct text *t);

/* Exit code of the requested preset: 0 where none was requested. */
int result_verdict_exit_code(const struct result_verdict *v);

/* ---- Lengths out of a record's histogram: lower edges of buckets, 1.6 % wide at most ---- */

/* The upper end of the bucket that begins at `low`, ns; a tick more, as edges were rounded. */
uint64_t quantile_bucket_end(uint64_t low, uint64_t max_ns);

/* The number of lengths in the histogram; saturates. */
uint64_t quantile_count(const struct record_pairs *h);

/* True if each bucket is above the one before. */
bool quantile_is_rising(const struct record_pairs *h);

/* p50 p90 p99 p99.9 p99.99 */
#define QUANTILE_PERCENTILES 5

const char *quantile_percentile_name(unsigned n);

/*
 * The n-th percentile of a core's gaps, ns, between the ends of its bucket. Not known without gaps,
 * and where the histogram does not hold them all.
 */
struct range quantile_percentile(const struct record_cpu *cpu, unsigned n);

/* ---- How the events of a stage come, by its windows (host/statistics/chance.h) ---- */

/* Counters of a window record. */
enum spread_counter {
	SPREAD_GAPS,
#define COUNTED(id, ...) SPREAD_##id,
#include "core/cause/counted_rows.h"
};

/*
 * Dispersion of the events of all cores, with counts divided by `cores`: if a count is the mean of
 * the cores, an SMI that stops all of them is one event. If a window lacks the counter, gaps are
 * counted.
 */
struct dispersion spread_of_counter(const struct result_stage *stage, enum spread_counter counter,
				    size_t cores);

/* Events that are added one after the other, by their times. */
struct spread {
	struct spread_window *window; /* by start */
	size_t windows;
};

void spread_start(struct spread *s, const struct result_stage *stage);
void spread_add(struct spread *s, uint64_t t_ns);

/* Dispersion of the added events; frees the windows of `s`. */
struct dispersion spread_end(struct spread *s, size_t cores);

/*
 * Dispersion of gaps of these causes (RESULT_STAGE_ALL_CAUSES) that are longer than `over_ns`, from
 * their records. False if fewer than `count`, the number of such gaps, are recorded.
 */
bool spread_of_gaps(struct dispersion *d, const struct result_stage *stage, uint32_t causes,
		    uint64_t over_ns, uint64_t count);
