/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that writes the index, so that neither its file nor who else has it open delays an
 * acknowledgement. What arrives during one transaction makes up the next. While it fails it is
 * tried again each second, and what waits is kept, up to INDEX_WRITER_MOST.
 */
#pragma once

#include "index_db.h"

#define INDEX_WRITER_MOST 150000 /* changes, about 1.3 KB each */

struct index_writer;

struct index_writer_setup {
	int dir, lock;       /* stay open; the latter of DIR/lock */
	bool is_whole;       /* it has all that is in the folder: index_whole.h */
	bool forwards;       /* index_db_open() */
	struct index_db *db; /* the writer's from now on; NULL: it cannot be opened yet */
	/* For each entry with `is_news` that the index now has, with when it began, or that is
	 * lost; mostly in its thread. */
	void (*written)(void *ctx, const struct index_entry *e);
	/* In its thread: index_db_fill(). */
	char *(*figures)(void *ctx, const struct index_entry *e);
	/* They are asked for where nothing has come for so long, or when they were put off so long:
	 * that reads the runs' files, and would take the processor from those that arrive. */
	uint64_t quiet_ns, put_off_ns;
	/*
	 * In its thread: writing has failed with this error, or 0: it works again.
	 * INDEX_DB_DAMAGED: it is made again.
	 */
	void (*state)(void *ctx, int error);
	void *ctx;
};

/* NULL with errno, and `db` is closed. */
struct index_writer *index_writer_new(const struct index_writer_setup *setup);

/* What waits is written, unless that fails. */
void index_writer_free(struct index_writer *w);

/* In this order. What finds no room is lost. */
void index_writer_put(struct index_writer *w, const struct index_entry *e, bool is_news);
void index_writer_drop(struct index_writer *w, uint64_t sid);

/* How far a run is on its way to an engine, or with `all` what holds up those that wait. */
void index_writer_forward(struct index_writer *w, const struct index_forward *state, bool all);

/* Open it anew before the next change, and check it. */
void index_writer_reopen(struct index_writer *w);

/* Wait until nothing waits, or writing has failed. */
void index_writer_flush(struct index_writer *w);

/*
 * Before an acknowledgement of what is put until the release, it is not whole. Calls may be nested.
 */
void index_writer_hold(struct index_writer *w);
void index_writer_release(struct index_writer *w);

/*
 * Was anything lost, or the index made again without what only the collector knows of its runs?
 * Then all of them are to be put again, and the writer released after it. Asked once, it is
 * forgotten.
 */
bool index_writer_owes(struct index_writer *w);
