/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIR/index.sqlite: the index of a collector's folder (host/store/index.h) in SQLite, while a
 * collector works in WAL mode. Nothing is acknowledged because of it: whatever becomes of the file,
 * the runs' files are what counts, and it is made again of them. What was there is then kept as
 * index.sqlite.bad.
 *
 * Each run has a row: its entry as JSON with a CRC, and of that what it is found by. A file that is
 * not of this application, of another schema, or fails SQLite's quick_check or a CRC is damaged. So
 * has, where the collector forwards, each run that has ended: how far it is (forwarding.h).
 */
#pragma once

#include "host/store/index.h"
#include "host/store/index_forward.h"

#include <stdio.h>
#include <sys/queue.h>

/* What functions here return for it. */
#define INDEX_DB_DAMAGED EBADMSG

/* Why it failed, in words. */
const char *index_db_why(int error);

struct index_db;

/*
 * For the one that writes, who holds the folder's lock. Where there is none, or it is damaged, it
 * is made of DIR/index.jsonl and the runs' files; one of the former schema becomes one of this. If
 * the collector forwards, what has been accepted is by DIR/forwarded, whatever it had of that.
 * 0 or an errno, then *db is NULL: EBUSY: another process has it locked.
 */
int index_db_open(int dir, bool forwards, struct index_db **db);
void index_db_close(struct index_db *db);

/* Close it to open it again soon, even while others read it. */
void index_db_let_go(struct index_db *db);

/* Was it, and has nothing yet that is not in the files? */
bool index_db_was_made(const struct index_db *db);

/* Is it still the one in the folder? */
bool index_db_is_there(const struct index_db *db);

enum index_db_what {
	/*
	 * An entry is new, or all that it has is: the run keeps its place, `began`, and whose it
	 * is, and its address if there is no other. These are then in the change's entry, too.
	 */
	INDEX_DB_PUT,
	INDEX_DB_GONE,        /* all of the run */
	INDEX_DB_FORWARD,     /* of a run that has an entry */
	INDEX_DB_FORWARD_ALL, /* of all that wait, and have no reason of their own: why, and next */
};

struct index_db_change {
	STAILQ_ENTRY(index_db_change) next;
	enum index_db_what what;
	bool is_news; /* the caller's */
	union {
		struct index_entry entry;
		struct index_forward forward;
	};
};

STAILQ_HEAD(index_db_changes, index_db_change);

/* All of them, or none. 0 or an errno. */
int index_db_write(struct index_db *db, const struct index_db_changes *changes);

/*
 * Add what `make` returns of the latest run of a machine, its figures as a line of text, to be
 * freed, "": they have to be read of the run's file, to some rows that do not have it. *more: there
 * may be others. 0 or an errno.
 */
int index_db_fill(struct index_db *db, char *(*make)(void *ctx, const struct index_entry *e),
		  void *ctx, bool *more);

/*
 * For those that read, beside one that writes or without: each entry, sorted by sid. The folder
 * need not be writable. 0 or an errno; ENOENT: there is none.
 */
int index_db_read(int dir, struct index_table *t);

/*
 * The same one by one, in no order, until `take` returns an errno, which is returned. After `again`
 * all come once more.
 */
int index_db_each(int dir, int (*take)(void *ctx, const struct index_entry *e),
		  void (*again)(void *ctx), void *ctx);

/* The same of one machine, as it is; there may be none. */
int index_db_read_machine(int dir, const char *uuid, struct index_table *t);

/*
 * For one run after the other, in the collector itself. NULL with errno: it cannot be read; then
 * none is found. 0 or an errno; ENOENT: the index does not have it.
 */
struct index_db_finder;
struct index_db_finder *index_db_finder_new(int dir);
int index_db_finder_find(struct index_db_finder *f, uint64_t sid, struct index_entry *e);
void index_db_finder_free(struct index_db_finder *f);

/*
 * Each run that has ended and is neither accepted nor empty, in their order. After `again` all come
 * once more. 0 or an errno.
 */
int index_db_read_waiting(int dir,
			  void (*take)(void *ctx, const struct index_entry *e,
				       enum index_forward_state state),
			  void (*again)(void *ctx), void *ctx);

/*
 * The same as lines of JSON, in no order. With a UUID, unless NULL, only those of this machine and
 * of none, lines of INDEX_PEERS, those of index_forward_print() where the collector forwards, and
 * INDEX_WHOLE at the end, if the index has all that the folder has; else of these only how far they
 * are forwarded counts, as all are wanted then. With "" likewise the latest run of each machine, as
 * a line of INDEX_FIGURES if it has figures, and INDEX_RUNS.
 */
int index_db_print(int dir, const char *uuid, FILE *to);

/*
 * index_db_read(), for whom the runs' files complete what is missing: an index that cannot be read
 * is empty, or DIR/index.jsonl. Only ENOMEM fails.
 */
int index_db_read_some(int dir, struct index_table *t);
