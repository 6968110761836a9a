/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host tool's functions for each record type: a struct in the type's own folder, from which all
 * forms are printed. A new type costs that folder and a line in host_kind.c.
 */
#pragma once

#include "core/config/config.h"
#include "core/config/mode.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct checks;         /* host/forms/checks.h */
struct diff_sides;     /* host/diff/diff.h */
struct findings;       /* host/findings/finding.h */
struct result;         /* host/capture/result.h */
struct result_stage;   /* host/capture/result.h */
struct result_verdict; /* host/capture/result.h */

/* Compare a stage of two runs; false: neither has anything to compare. */
typedef bool host_kind_diff(struct findings *f, const struct diff_sides *of);

/* Functions of a kind. One that is NULL has nothing to do. */
struct host_kind {
	enum record_type type;
	/*
	 * The mode whose runs have such a record for each core of a stage, or several; NULL: no
	 * mode measures it.
	 */
	const struct mode *mode;
	size_t cpu; /* offset of the core's number there, a uint32_t; 0: none */
	/*
	 * Keep what the record has. False: there is no room for it, or it was there before. NULL:
	 * it is kept as it is, by its keys.
	 */
	bool (*keep)(struct result *run, const union record *record);
	/*
	 * Print what a stage has of it to standard output, line by line; `t` is for these, and
	 * empty. A page has the same lines under the title, unless that is NULL.
	 */
	const char *title;
	void (*text)(const struct result *run, struct result_stage *stage, struct text *t);
	/* Draw on a page, with limits. */
	void (*page)(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits);
	/* Add a check for each core of the stage, by the limits in force. */
	void (*checks)(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage);
	host_kind_diff *diff;
	bool series; /* its numbers are a series of the record's tags, for Influx */
};

#define RECORD(id, name, about) extern const struct host_kind host_kind_##name;
#include "core/records/record_table.h"

/* How the rates of cores have changed (cpu/cpu_diff.c). */
host_kind_diff host_kind_cpu_diff;

/* The n-th kind in the order of printing; NULL past the last. */
const struct host_kind *host_kind_at(size_t n);

/* The kind that stores the records of a type; NULL: none does. */
const struct host_kind *host_kind_of(enum record_type type);

/*
 * ---- The ladder of a run (cpu/cpu_ladder.c) ----
 *
 * Its stages, and what each step from one to the next removed, or added.
 */

#define HOST_KIND_LADDER_RUNGS 8

struct host_kind_ladder {
	bool no_smi; /* the run has no SMIs: leave them out */
	size_t count;
	const struct result_stage *rung[HOST_KIND_LADDER_RUNGS]; /* in the order of stages */
};

/* Stages past HOST_KIND_LADDER_RUNGS are left out. */
struct host_kind_ladder host_kind_ladder_of(const struct result *run);

/* Add a rung for a stage that was measured. */
void host_kind_ladder_add(struct host_kind_ladder *l, const struct result_stage *stage);

/*
 * Compare the counts of rung `to` (1 to count - 1) with those of the rung before, as `diff` does:
 * findings in the order of enum spread_counter, less SMIs and NMIs where l->no_smi. Where both have
 * different numbers of cores, the boot core alone is compared, which all have: other cores differ
 * from it. False: one has no core.
 */
bool host_kind_ladder_step(const struct host_kind_ladder *l, size_t to, struct findings *f);

/* Print the struct host_kind_ladder to standard output; nothing for fewer than two rungs. */
void host_kind_ladder_print(const void *ladder);

/* An object for each rung, with its sums, and the changes against the rung before. */
json_t *host_kind_ladder_json(const struct host_kind_ladder *l);
