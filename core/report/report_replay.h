/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, reported once more: its records to the report's links, its text to people. */
#pragma once

#include "core/records/compact.h"
#include "report.h"

/* What is in the saved report. */
struct report_contents {
	uint64_t records;
	uint32_t cpus;                   /* in one stage, at most */
	char product[64], uuid[40];      /* of the machine; "": not known */
	enum verdict verdict;            /* VERDICT_INCOMPLETE where there is no end */
	char remark[VERDICT_REASON_MAX]; /* of the verdict; "": none */
	bool damaged;                    /* not all of it could be read */
};

/* Look it through from its begin. */
void report_contents(struct compact_reader *from, struct report_contents *c);

/*
 * Report it from its beginning. r->cpus and r->order hold `cpus` cores, none at the least; r->line
 * gets only printable ASCII. `note`, a sentence or NULL, becomes a log record before the end.
 */
void report_replay(struct report *r, struct compact_reader *from, uint32_t cpus, const char *note);
