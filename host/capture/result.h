/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as its records describe it: what was received, and what of that is kept. Loaded by
 * capture.h; everything that is reported about a run comes from here.
 */
#pragma once

#include "ladder.h"
#include "reader.h"
#include "result_stage.h"

#include "host/modes/host_mode.h"

#include "core/lib/lines.h"
#include "core/records/record.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is kept: record types as bits 1 << type, and whether histograms are. */
#define RESULT_HISTOGRAMS (UINT32_C(1) << 31)
#define RESULT_ALL        UINT32_MAX
/* All but what there may be millions of: what a verdict goes by. */
#define RESULT_FEW (RESULT_ALL & ~(RESULT_HISTOGRAMS | 1U << RECORD_GAP | 1U << RECORD_EVENT))

/* Records kept of one run, at most; the rest is counted. */
#define RESULT_STAGES_MAX  64
#define RESULT_CPUS_MAX    16384
#define RESULT_LOGS_MAX    1024                /* and as many pauses, and faults */
#define RESULT_PAIRS_MAX   (UINT64_C(1) << 22) /* of all histograms: 64 MB */
#define RESULT_GAPS_MAX    (UINT64_C(1) << 24) /* 400 MB */
#define RESULT_WINDOWS_MAX (UINT64_C(1) << 20)
#define RESULT_KEPT_MAX    16384 /* of each other type */
#define RESULT_SOURCES_MAX 256

struct result {
	uint64_t sid;
	const struct reader_run *received;
	bool has_begin, has_end, has_summary, has_attest;
	struct record_begin begin;
	struct record_end end;
	struct record_summary summary;
	struct record_attest attest;
	struct result_stage *stage; /* in order of arrival */
	size_t stages;
	uint64_t cpus, pairs, gaps, windows, sources; /* of all stages */
	uint64_t kept[RECORD_TYPES];                  /* likewise */
	struct ladder ladder;                         /* of the stages, once they are sorted */
	struct record_pause *pause;
	size_t pauses;
	struct record_log *log;
	size_t logs;
	struct record_fault *fault;
	size_t faults;
	uint64_t left_out;
	void **own; /* strings and pairs of all of the above */
	size_t owned;
	void *user; /* the consumer's */
};

/* Ends the program when memory has run out, as all functions here do. */
struct result *result_new(const struct reader_run *received);
void result_free(struct result *run);

/* Keep a record; a cpu record possibly without its histogram. */
void result_keep(struct result *run, const struct reader_record *record, bool histograms);

/* All records were read: sort the cores of each stage, and make the ladder. */
void result_sort(struct result *run);

/* NULL where nothing is kept of a stage of that name. */
struct result_stage *result_find_stage(const struct result *run, const char *name);

/* The same, with records of cores. */
const struct result_stage *result_find_measured(const struct result *run, const char *name);

/* The n-th core of all stages; NULL past the last. */
const struct record_cpu *result_cpu(const struct result *run, size_t n);

/* The threshold that the begin record's configuration names; else the default. */
uint64_t result_threshold(const struct result *run);

/* Its mode, by what it has, else by its configuration. */
const struct host_mode *result_mode(const struct result *run);

/* Was any stage measured? */
bool result_is_measured(const struct result *run);

/* Machine and program, without terminal control characters; "" where unknown. */
struct result_identity {
	char machine[160]; /* vendor, product, board */
	char uuid[40];     /* "" if all zero */
	char version[24];
};

void result_identify(const struct result *run, struct result_identity *id);

/* Everything that was sent was received and is usable, and the end record proves it. */
bool result_is_whole(const struct result *run);

/* The verdict; incomplete where the records do not prove a pass, or that there was no limit. */
enum verdict result_outcome(const struct result *run);

/* Its exit code. */
int result_exit_code(const struct result *run);

/* Report each flaw of the records, in a sentence. */
typedef void result_report(void *ctx, const char *sentence);
void result_flaws(const struct result *run, result_report *report, void *ctx);

/* A record of the run for people, line by line; of several, below the `head` of their kind. */
void result_record_text(const struct result *run, enum record_type type, const void *record,
			lines_put *put, void *ctx);

/* When it began in wall time, ns since 1970; UTC if it has no zone. 0: it is not known. */
uint64_t result_began_ns(const struct result *run);

/* From the begin to the end of the last window, ns. */
uint64_t result_length_ns(const struct result *run);
