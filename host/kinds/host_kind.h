/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tool knows of each record type: a struct in the type's own folder, from which all
 * forms are printed. A new type costs that folder and a line in host_kind.c.
 */
#pragma once

#include "core/config/config.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct diff_sides;   /* host/diff/diff.h */
struct findings;     /* host/findings/finding.h */
struct result;       /* host/capture/result.h */
struct result_stage; /* host/capture/result.h */

/* What one piece of work took, ns; `name` and `of` are of work that is alike. */
typedef void host_kind_time(void *ctx, const char *name, const char *of, uint64_t work, double ns);

/* What changed in a stage of two runs; false: neither has anything to compare. */
typedef bool host_kind_diff(struct findings *f, const struct diff_sides *of);

/* NULL: nothing of it is there. */
struct host_kind {
	enum record_type type;
	/*
	 * Keep what the record has. False: there is no room for it, or it was there before. NULL:
	 * it is kept as it is, by its keys.
	 */
	bool (*keep)(struct result *run, const union record *record);
	/*
	 * Print what a stage has of it to standard output, line by line; `t` is for these, and
	 * empty. A page has the same lines under the title ("": without one), unless that is NULL.
	 */
	const char *title;
	void (*text)(const struct result *run, struct result_stage *stage, struct text *t);
	/* What a page has beside these lines: drawings, with limits drawn. */
	void (*page)(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits);
	host_kind_diff *diff;
	/* The times of its work on each core of a stage, for the comparison of many runs. */
	void (*times)(const struct result *run, const struct result_stage *stage,
		      host_kind_time *put, void *ctx);
	bool series; /* its numbers are a series of the record's tags, for Influx and Prometheus */
};

#define RECORD(id, name, about) extern const struct host_kind host_kind_##name;
#include "core/records/record_table.h"

/* Further parts of a type: percentiles of gaps, the table that ends a page's section, raw parts. */
extern const struct host_kind host_kind_cpu_lengths, host_kind_cpu_table, host_kind_survey_parts;

/* In the order in which they are printed; NULL past the last. */
const struct host_kind *host_kind_at(size_t n);

/* That which keeps the records of a type; NULL: none does. */
const struct host_kind *host_kind_of(enum record_type type);
