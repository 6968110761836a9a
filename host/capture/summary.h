/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector remembers about a run: the machine, and how it ended. Read line by line. */
#pragma once

#include "facts.h"
#include "figures.h"
#include "line.h"

#include "core/config/mode.h"
#include "core/lib/uuid.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

struct result; /* result.h */

#define SUMMARY_TEXT 48

/*
 * The one `begin` of a run. Its lines follow each other, from part 0 on; together they have every
 * field of the record, and none twice.
 */
struct summary_begin {
	uint64_t next;    /* seq of its next line */
	uint64_t rows;    /* of the record, that its lines had so far: record_decode.h */
	uint64_t bad;     /* lines of this type that cannot be used */
	uint8_t lines;    /* 0: none so far */
	uint8_t evidence; /* strings of that field */
	bool more;        /* it is not whole yet */
};

/* By a policy: it counts instead of the node's own verdict. */
struct summary_judged {
	bool set;
	enum verdict verdict;
	char reason[3 * SUMMARY_TEXT]; /* "": none */
};

struct summary {
	/* From `begin`, also before it is whole; "": not known. Printable ASCII. */
	char uuid[SUMMARY_TEXT], product[SUMMARY_TEXT], bios[SUMMARY_TEXT];
	char began[2 * SUMMARY_TEXT / 3]; /* wall time, ISO 8601 */
	char verdict[16];                 /* from `end`; "": not received yet */
	char reason[2 * SUMMARY_TEXT];    /* the first of its reasons */
	char remark[2 * SUMMARY_TEXT];    /* the same of a pass; summary_remark() */
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

/* Does this line change the summary, beyond the count of lines? */
bool summary_wants(const struct line *line);

/*
 * The next line of the run, whole and verified; those that summary_wants() suffice for all but the
 * count of lines and `length_ns`. False: a line of type `begin` that is not of the one `begin` of
 * the run, or damages it; *why has the reason, unless NULL. Nobody may take anything from it.
 */
bool summary_line(struct summary *s, const struct line *line, struct text *why);

/* That of a whole run, without its mode and facts; `lost` has what cannot be used, too. */
void summary_of_run(struct summary *s, const struct result *run);

/*
 * Is it a line of a `begin` that names another machine than that of this UUID, or the first of one
 * that names none? Of a line that summary_line() cannot use nobody takes a name.
 */
bool summary_names_other(const struct line *line, const uint8_t uuid[UUID_BYTES]);

/*
 * The verdict that can be relied on: "incomplete" until `end` is received, and where lines are
 * missing; "error" for an unknown word. That of a policy, where one has judged.
 */
const char *summary_verdict(const struct summary *s);

enum verdict summary_outcome(const struct summary *s);

/* The same by the node alone. */
enum verdict summary_own_outcome(const struct summary *s);

/* Why it is that verdict; "": no reason is known. */
const char *summary_reason(const struct summary *s);

/* The verdict of the node itself, where a policy has judged, such as "pass"; else NULL. */
const char *summary_node_verdict(const struct summary *s);

/* What a pass that can be relied on lacks; "": nothing, or it is none. */
const char *summary_remark(const struct summary *s);

/* The exit code of that verdict, enum exit_code. */
int summary_exit_code(const struct summary *s);

/* Every line from the first to `end` was received. */
bool summary_complete(const struct summary *s);
