/* SPDX-License-Identifier: BSD-2-Clause */
/* Summary of a run for a collector: the machine, and the outcome. Read line by line. */
#pragma once

#include "host/attest/attest.h"
#include "host/capture/line.h"

#include "core/config/mode.h"
#include "core/lib/sha256.h"
#include "core/lib/uuid.h"
#include "core/records/record.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Facts: what a policy (host/fleet/policy.h) judges a run by ---- */

#define FACTS_VERSION 24

/* All zero at first. */
struct facts {
	char version[FACTS_VERSION];  /* the probe's version, printable ASCII; "": not known */
	uint8_t config[SHA256_BYTES]; /* digest of the configuration; all zero: not known */
	uint64_t threshold_ns;
	uint32_t found, measured; /* cores */
	uint32_t cpus;            /* number of records of cores */
	uint32_t stages;          /* bits 1 << enum config_stage: stages with such records */
	struct maybe sampled_ns;  /* record_end.sampled_ns */
	struct verdict_worst worst[LIMITS]; /* over all cores and stages */
	struct verdict_clock_faults clock;
	struct attest_facts attest;
	uint32_t works, calls; /* number of records of work, and of calls of known length */
	uint32_t work;         /* CRC of the first record's stage, kernel and phase */
	uint32_t workers;      /* number of records with the same `work`, one per core */
};

/* True for the digest of a configuration: not all zero. */
bool facts_config_known(const uint8_t digest[SHA256_BYTES]);

/* ---- Figures of a run's last stage: what machines of a fleet are compared by ---- */

#define FIGURES_SOURCES 8 /* sources per run; further ones are ignored */

/* The figures that are compared. */
enum figure { FIGURE_LONGEST, FIGURE_NOISE, FIGURE_SMI, FIGURES };

struct figures_kind {
	const char *name; /* in JSON, and of a point's field */
	const char *words;
	const char *unit;
	double scale; /* factor from the unit to the one for people */
};

extern const struct figures_kind figures_kinds[FIGURES];

struct figures_source {
	uint64_t period_ns;
	char cause[16];
};

struct figures {
	uint64_t cores; /* records of cores, of all stages; 0: nothing was measured */
	char stage[24]; /* measured last; what follows is of it */
	bool known[FIGURES];
	double value[FIGURES];          /* ns; parts per million; per hour */
	uint64_t exposure_ns, noise_ns; /* sums over all its cores */
	struct figures_source source[FIGURES_SOURCES];
	uint64_t sources;
};

/* ---- The summary ---- */

#define SUMMARY_TEXT 48

/*
 * The one `begin` of a run. Its lines follow each other, from part 0 on; together they have every
 * field of the record, and none twice.
 */
struct summary_begin {
	uint64_t next;    /* seq of its next line */
	uint64_t rows;    /* record_decode.rows of its lines so far */
	uint64_t bad;     /* lines of this type that cannot be used */
	uint8_t lines;    /* 0: none so far */
	uint8_t evidence; /* strings of that field */
	bool more;        /* more lines are to come */
};

/* A policy's verdict, which counts instead of the node's own. */
struct summary_judged {
	bool set;
	enum verdict verdict;
	char reason[3 * SUMMARY_TEXT]; /* "": none */
};

struct summary {
	/* From `begin`, even if it is not complete yet; "": unknown. Printable ASCII. */
	char uuid[SUMMARY_TEXT], product[SUMMARY_TEXT], bios[SUMMARY_TEXT];
	char began[2 * SUMMARY_TEXT / 3]; /* wall time, ISO 8601 */
	char verdict[16];                 /* from `end`; "": not received yet */
	char reason[2 * SUMMARY_TEXT];    /* the first of its reasons */
	char remark[2 * SUMMARY_TEXT];    /* remark on a pass; summary_remark() */
	bool ended;
	const struct mode *mode; /* from `begin`, or by its records; NULL: the default */
	uint64_t length_ns; /* from the begin to the end of the last window; 0: there is none */
	uint64_t lines;
	uint64_t lost;    /* lines that are missing, and `begin.bad` of those that are not */
	unsigned changes; /* how often one of the texts was set */
	struct summary_begin begin;
	struct facts facts;
	struct figures figures;
	struct summary_judged judged; /* policy_judge() */
};

/*
 * The next line of the run, whole and verified. A line of type `begin` that is not of the one
 * `begin` of the run, or damages it, is counted in `begin.bad`, and nothing is taken from it.
 */
void summary_line(struct summary *s, const struct line *line);

/*
 * True for a line of a `begin` that names another machine than that of this UUID, and for the first
 * line of one that names none. A line that cannot be decoded names nothing.
 */
bool summary_names_other(const struct line *line, const uint8_t uuid[UUID_BYTES]);

/*
 * The verdict to rely on: a policy's, where one has judged, else the node's. It is "incomplete"
 * until `end` is received, and if lines are missing; and "error" for an unknown word.
 */
const char *summary_verdict(const struct summary *s);

enum verdict summary_outcome(const struct summary *s);

/* The outcome by the node's own verdict. */
enum verdict summary_own_outcome(const struct summary *s);

/* The reason for the verdict; "": none is known. */
const char *summary_reason(const struct summary *s);

/* The verdict of the node itself, where a policy has judged, such as "pass"; else NULL. */
const char *summary_node_verdict(const struct summary *s);

/* The shortcoming of a reliable pass; "": none, or no such pass. */
const char *summary_remark(const struct summary *s);

/* Every line from the first to `end` was received. */
bool summary_complete(const struct summary *s);
