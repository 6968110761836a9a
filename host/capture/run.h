/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as its records describe it: what was received, and what of that is kept. Loaded by
 * capture.h; everything that is reported about a run comes from here.
 */
#pragma once

#include "reader.h"
#include "run_stage.h"

#include "core/records/record.h"
#include "core/table/ladder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is kept: record types as bits 1 << type, and whether histograms are. */
#define RUN_HISTOGRAMS (UINT32_C(1) << 31)
#define RUN_ALL        UINT32_MAX

/* Records kept of one run, at most; the rest is counted. */
#define RUN_STAGES_MAX  64
#define RUN_CPUS_MAX    16384
#define RUN_LOGS_MAX    1024                /* and as many pauses */
#define RUN_PAIRS_MAX   (UINT64_C(1) << 22) /* of all histograms: 64 MB */
#define RUN_GAPS_MAX    (UINT64_C(1) << 24) /* 400 MB */
#define RUN_WINDOWS_MAX (UINT64_C(1) << 20)
#define RUN_SOURCES_MAX 256

struct run {
	uint64_t sid;
	const struct reader_run *received;
	bool has_begin, has_end;
	struct record_begin begin;
	struct record_end end;
	struct run_stage *stage; /* in order of arrival */
	size_t stages;
	uint64_t cpus, pairs, gaps, windows, sources; /* of all stages */
	struct ladder ladder;                         /* of the cpu and window records */
	struct record_pause *pause;
	size_t pauses;
	struct record_log *log;
	size_t logs;
	uint64_t left_out;
	void **own; /* strings and pairs of all of the above */
	size_t owned;
	void *user; /* the consumer's */
};

/* Ends the program when memory has run out, as all functions here do. */
struct run *run_new(const struct reader_run *received);
void run_free(struct run *run);

/* Keep a record; a cpu record possibly without its histogram. */
void run_keep(struct run *run, const struct reader_record *record, bool histograms);

/* All records were read: sort the cores of each stage. */
void run_sort(struct run *run);

/* NULL where nothing is kept of a stage of that name. */
struct run_stage *run_find_stage(const struct run *run, const char *name);

/* The same, with records of cores. */
const struct run_stage *run_find_measured(const struct run *run, const char *name);

/* The n-th core of all stages; NULL past the last. */
const struct record_cpu *run_cpu(const struct run *run, size_t n);

/* The threshold that the begin record's configuration names; else the default. */
uint64_t run_threshold(const struct run *run);

/* Machine and program, without terminal control characters; "" where unknown. */
struct run_identity {
	char machine[160]; /* vendor, product, board */
	char uuid[40];     /* "" if all zero */
	char version[24];
};

void run_identify(const struct run *run, struct run_identity *id);

/* Everything that was sent was received and is usable, and the end record proves it. */
bool run_is_whole(const struct run *run);

/* Exit code: the verdict's, or 3 where the records do not prove a pass. */
int run_exit_code(const struct run *run);

/* Report each flaw of the records, in a sentence. */
typedef void run_report(void *ctx, const char *sentence);
void run_flaws(const struct run *run, run_report *report, void *ctx);
