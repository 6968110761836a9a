/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's lines, from wherever they come, into a store. One run at a time. */
#pragma once

#include "policy.h"
#include "store/store.h"

#include "host/capture/line.h"

struct run_import {
	struct store *store;
	const struct policy *policy; /* judges runs that end; NULL: none */
	struct store_run before, run;
	char *text; /* lines that are not stored yet */
	size_t bytes, room;
	uint64_t seq, lines; /* of the first of them, and how many */
	uint64_t stored, again, gaps;
	int error;
};

/*
 * Begin with a run, or go on with what the store has of it. In a transaction. `as`: who sent it,
 * and when; of a run that the store has, these stay.
 */
void run_import_begin(struct run_import *i, const struct store_run *as);

/* The next line with its newline. One that is stored already is counted as `again`. */
void run_import_line(struct run_import *i, const struct line *line, const char *text, size_t bytes);

/* 0 or an errno, of any step. */
int run_import_end(struct run_import *i);
