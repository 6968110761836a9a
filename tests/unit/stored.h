/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs in a store, as a collector has them. */
#pragma once

#include "host/fleet/run_import.h"
#include "host/fleet/store/run_line.h"
#include "host/fleet/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

static inline struct store *stored_open(const char *folder, enum store_use use)
{
	char why[STORE_WHY];
	struct store *s = store_open(folder, use, why);

	if (!s)
		fail_msg("%s", why);
	return s;
}

static inline void stored_insert(struct store *s, struct store_run *run)
{
	assert_int_equal(store_begin(s), 0);
	assert_int_equal(store_insert(s, run), 0);
	assert_int_equal(store_commit(s), 0);
}

/* A run that has ended, of that machine. */
static inline struct store_run stored_run(uint64_t sid, const char *uuid, const char *verdict)
{
	struct store_run run = { .sid = sid, .begun_s = 1, .heard_s = 1, .ended_s = 1 };

	strcpy(run.summary.uuid, uuid);
	strcpy(run.summary.verdict, verdict);
	run.summary.ended = *verdict;
	return run;
}

static inline void stored_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct run_import *i = ctx;

	run_import_line(i, line, text, bytes);
	assert_int_equal(i->conflicts, 0);
}

/* The lines of one run, in a transaction of their own. */
static inline void stored_lines(struct store *s, uint64_t sid, const char *text, size_t bytes)
{
	struct run_import i = { .runs.store = s };
	struct store_run as = { .sid = sid, .begun_s = 1000, .heard_s = 1000 };

	assert_int_equal(store_run_sql(s, RUN_IMPORT_TABLE), 0);
	assert_int_equal(store_begin(s), 0);
	run_import_begin(&i, &as);
	assert_int_equal(run_line_each(text, bytes, sid, stored_line, &i), 0);
	assert_int_equal(run_import_end(&i), 0);
	assert_int_equal(store_commit(s), 0);
	free(i.text);
}
