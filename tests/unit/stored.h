/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs in a store, as a collector has them. */
#pragma once

#include "host/fleet/runs.h"
#include "host/fleet/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

static inline struct store *stored_open(const char *where, enum store_use use)
{
	char why[STORE_WHY];
	struct store *s = store_open(where, use, why);

	if (!s)
		fail_msg("%s", why);
	return s;
}

/* A collector's store in the folder `tree`, before and behind a test. */
static struct store *stored;

static inline void stored_start(void)
{
	tree_make();
	stored = stored_open(tree, STORE_HOLD);
}

static inline void stored_end(void)
{
	store_close(stored);
	tree_remove();
}

static inline void stored_insert(struct store *s, struct store_run *run)
{
	assert_int_equal(store_begin(s), 0);
	assert_int_equal(store_insert(s, run), 0);
	assert_int_equal(store_commit(s), 0);
}

/* Append lines to the run with this id. */
static inline void stored_append(struct store *s, uint64_t id, struct store_lines lines)
{
	assert_int_equal(store_begin(s), 0);
	assert_int_equal(store_append(s, id, &lines), 0);
	assert_int_equal(store_commit(s), 0);
}

/* Change the database in a folder that no collector holds. */
static inline void stored_change(const char *where, const char *sql)
{
	struct store *s = stored_open(where, STORE_HOLD);

	assert_int_equal(store_run_sql(s, sql), 0);
	store_close(s);
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

struct stored_lines {
	struct store *store;
	struct store_run run;
	struct store_lines chunk; /* consecutive lines that are not stored yet */
};

static inline void stored_chunk(struct stored_lines *l)
{
	if (l->chunk.lines)
		assert_int_equal(store_append(l->store, l->run.id, &l->chunk), 0);
	l->chunk.lines = 0;
}

static inline void stored_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct stored_lines *l = ctx;
	if (line->seq != l->chunk.seq + l->chunk.lines)
		stored_chunk(l);
	if (!l->chunk.lines)
		l->chunk = (struct store_lines){ .seq = line->seq, .text = text };
	l->chunk.lines++;
	l->chunk.bytes += bytes;
	store_line_learn(&l->run, line, text, bytes);
}

/* Store new lines of one run, in their own transaction. */
static inline void stored_lines(struct store *s, uint64_t sid, const char *text, size_t bytes)
{
	struct stored_lines l = { .store = s };
	struct store_run before;

	assert_int_equal(store_begin(s), 0);
	if (store_find(s, sid, &l.run) == ENOENT) {
		l.run = (struct store_run){ .sid = sid, .begun_s = 1000, .heard_s = 1000 };
		assert_int_equal(store_insert(s, &l.run), 0);
	}
	before = l.run;
	assert_int_equal(store_line_each(text, bytes, sid, stored_line, &l), 0);
	stored_chunk(&l);
	l.run.ended_s = l.run.summary.ended ? l.run.heard_s : 0;
	assert_int_equal(store_advance(s, &before, &l.run), 0);
	assert_int_equal(store_put(s, &l.run), 0);
	assert_int_equal(store_commit(s), 0);
}
