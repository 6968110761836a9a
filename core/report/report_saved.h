/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A saved run: restored as the state that it left, of which the last page on the screen is drawn
 * without the machine that measured it, and reported once more, its records to the report's links
 * and its text to people. In the state times are in ns: a tick is one.
 */
#pragma once

#include "report.h"

#include "core/records/compact.h"

#include <stdbool.h>
#include <stdint.h>

struct report_restored {
	bool begun;           /* it has a `begin` */
	uint64_t records;     /* in all */
	struct config config; /* the run's, as its `begin` has it */
	struct record_begin begin;
	struct platform platform;       /* the cores of the last stage, with sums and histograms */
	struct verdict_reasons reasons; /* VERDICT_INCOMPLETE where there is no end */
	struct report report;           /* stage and summary */
	uint64_t sid;
	uint32_t cpus; /* in one stage, at most, with or without room for them */
	uint32_t cpus_max;
};

/*
 * Read the whole report. `cpu` has room for cpus_max cores and is all zeros; of a stage with more,
 * the rest is left out. Strings are those of the report. False: it is damaged; else *out is
 * complete.
 */
bool report_restore(struct compact_reader *from, struct cpu *cpu, uint32_t cpus_max,
		    struct report_restored *out);

/*
 * For the kinds of records: the core of that number, which may be new; NULL: there is no room for
 * it.
 */
struct cpu *report_restore_core(struct report_restored *out, uint32_t index);

/*
 * Report it from its beginning. r->cpus and r->order hold `cpus` cores, none at the least; r->line
 * gets only printable ASCII. `note`, a sentence or NULL, becomes a log record before the end.
 */
void report_replay(struct report *r, struct compact_reader *from, uint32_t cpus, const char *note);
