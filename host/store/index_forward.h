/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a run that has ended is on its way to an engine, in the index of a collector that
 * forwards. It passes to other programs as a line of text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* In the folder of a collector that forwards, or has: host/collect/index/forwarded.h */
#define INDEX_FORWARDED "forwarded"

#define INDEX_FORWARD_WHY 200

enum index_forward_state {
	INDEX_FORWARD_WAITING,
	INDEX_FORWARD_ACCEPTED,
	INDEX_FORWARD_REFUSED, /* by the engine; it is tried again all the same */
	INDEX_FORWARD_EMPTY,   /* there was nothing to send */
	INDEX_FORWARD_STATES,
};

struct index_forward {
	uint64_t sid;
	enum index_forward_state state;
	uint64_t next;               /* not tried again before this, s since 1970; 0: at its turn */
	char why[INDEX_FORWARD_WHY]; /* the last attempt failed; "": there was none, or not known */
};

const char *index_forward_name(enum index_forward_state state);

/* INDEX_FORWARD_STATES: it is none. */
enum index_forward_state index_forward_named(const char *name);

void index_forward_print(const struct index_forward *f, FILE *to);

/* False: it is another line. */
bool index_forward_parse(const char *line, struct index_forward *f);
