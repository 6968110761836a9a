/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector's store: DIR/runs.sqlite, an SQLite database, which is all that is kept of the runs.
 *
 *	run       what is known of each run: its machine, how it ended, its figures, and how far it
 *	          is forwarded. `id` rises in the order in which runs were begun
 *	progress  how much of it is stored: a narrow row, as each commit changes it
 *	chunk     the run's lines, as they were received, compressed, with their CRC-32C
 *	removed   runs that are being removed: their chunks go by and by
 *	setting   the policy in force; "" while runs are being judged by another
 *
 * The views `runs` (run, progress and the verdict that counts) and `latest` (of each machine the
 * latest run that has ended) are for whoever asks with SQL. docs/network.md has the columns.
 *
 * Journal mode is WAL, synchronous=FULL: what was committed survives a power cut. Readers and one
 * writer do not wait for each other. A chunk whose CRC is wrong is never passed on as lines.
 *
 * A connection is used by one thread at a time. Functions return 0 or an errno; store_why() has
 * words for it.
 */
#pragma once

#include "host/summary/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_NAME     "runs.sqlite"
#define STORE_HOST_MAX 64
#define STORE_WHY      300
#define STORE_CHUNK    ((size_t)256 << 10) /* bytes of lines, at most */
#define STORE_SID      17                  /* 16 hex digits and a zero */

/* Values of errno(3) with a meaning of their own here. */
#define STORE_DAMAGED EUCLEAN
#define STORE_LOCKED  EBUSY
#define STORE_CHANGED ESTALE /* the store no longer has the run as the caller knows it */

struct store;
struct sqlite3;
struct sqlite3_stmt;

struct store_run {
	uint64_t id; /* 0: it is not stored */
	uint64_t sid;
	char host[STORE_HOST_MAX]; /* the address that it was begun from; "": not known */
	char owner[UUID_TEXT];     /* node whose own key signed it; "": the fleet's key, or none */
	uint64_t begun_s;          /* when its first line came, s since 1970, */
	uint64_t heard_s;          /* its latest, */
	uint64_t ended_s;          /* when its end came; 0: not yet */
	uint64_t next;             /* seq after the last line */
	uint64_t bytes;            /* length of its lines */
	struct summary summary;
};

enum store_use {
	STORE_READ,
	STORE_WRITE, /* one more connection of the process that holds the store */
	STORE_HOLD,  /* create it if missing, and hold it: one process does at a time */
};

/* NULL: *why has the reason, with the file's name. */
struct store *store_open(const char *folder, enum store_use use, char why[STORE_WHY]);
void store_close(struct store *s);

/* The meaning of an error: "the database is damaged". */
const char *store_why(int error);

/* True if the database was removed or replaced since it was opened to be held. */
bool store_is_gone(const struct store *s);

struct sqlite3 *store_sql(struct store *s);

/* Bytes that freed pages have, and pages of the WAL when it was last written. */
uint64_t store_free_bytes(struct store *s);
uint64_t store_wal_bytes(const struct store *s);

/* ---- Reading ---- */

/* ENOENT: there is no such run. */
int store_find(struct store *s, uint64_t sid, struct store_run *run);

/*
 * Call `take` for each run that meets `where`, which follows "FROM run JOIN progress" and may have
 * the parameter ?1; `text` is its value, NULL: none. `take` returns 0, or an error, which ends the
 * query.
 */
int store_each(struct store *s, const char *where, const char *text,
	       int (*take)(void *ctx, const struct store_run *run), void *ctx);

/* Call `take` for each row of any query, as store_each() does. */
int store_ask(struct store *s, const char *query, const char *text,
	      int (*take)(void *ctx, struct sqlite3_stmt *row), void *ctx);

/* The number that a query results in; 0: it has no row. */
int store_number(struct store *s, const char *query, uint64_t *number);

/* The chunks of a run, in the order of their lines. `take` reads no chunks of the same store. */
struct store_chunks {
	void (*take)(void *ctx, const char *text, size_t bytes); /* whole lines */
	void *ctx;
	uint64_t damaged; /* chunks that were left out */
	uint64_t first;   /* seq of the first of these */
};

int store_chunks(struct store *s, uint64_t id, struct store_chunks *chunks);

/* A setting, to be freed; NULL: there is none, or it cannot be read. */
char *store_setting(struct store *s, const char *name);

/* ---- Writing, between store_begin() and the end of the transaction ---- */

/* One transaction of the process at a time: others wait here. */
int store_begin(struct store *s);
/* Commit: everything is on stable storage or, after an error, nothing is. */
int store_commit(struct store *s);
void store_rollback(struct store *s);
/* Commit; if there was an error, roll back and return it. */
int store_end(struct store *s, int error);

/* Begin a run, whose `id` is 0, and gets one. */
int store_insert(struct store *s, struct store_run *run);

/* Lines of it, at most STORE_CHUNK bytes, of which the first has the number `seq`. */
struct store_lines {
	uint64_t seq, lines;
	const char *text;
	size_t bytes;
};
int store_append(struct store *s, uint64_t id, const struct store_lines *lines);

/*
 * Change how much of a run is stored, from `before` to *run. Returns STORE_CHANGED if the store has
 * something else than `before`.
 */
int store_advance(struct store *s, const struct store_run *before, const struct store_run *run);

/* Change what is known of a run. */
int store_put(struct store *s, const struct store_run *run);

/* Remove some lines of removed runs. *more: there are others. */
int store_sweep(struct store *s, bool *more);

/* NULL removes it. */
int store_set(struct store *s, const char *name, const char *text);

/* Statements without results. */
int store_run_sql(struct store *s, const char *sql);

/* store_run_sql() with sqlite3_mprintf(): numbers are %llu, texts %Q. */
int store_do(struct store *s, const char *format, ...);

/* A statement that is used often; to be finalized. */
int store_prepare(struct store *s, const char *sql, struct sqlite3_stmt **statement);

/* ---- The write-ahead log beside the store ---- */

/* Bytes of a page in the store, and so in its log. */
#define STORE_WAL_PAGE 16384

struct store_wal {
	uint64_t frames;  /* valid frames, from the first on */
	uint64_t commits; /* behind a damaged frame: what they had stored is lost */
};

/* True if there is a log beside the database with this path. */
bool store_wal_exists(const char *path);

/* 0 or an errno; a log that is missing has no frames. */
int store_wal_read(const char *path, struct store_wal *wal);

/*
 * True if commits to this folder's store were lost because its log is damaged. *why has the text.
 */
bool store_wal_is_damaged(const char *folder, char why[STORE_WHY]);

/* ---- Record lines, as a collector accepts them from the network and from files ---- */

/*
 * True if the line, without its newline, is a complete record of this run in printable ASCII. It
 * may then be shown on terminals.
 */
bool store_line_read(const char *text, size_t bytes, uint64_t sid, struct line *line);

/* Takes a line of a run, with its newline. */
typedef void store_line_take(void *ctx, const struct line *line, const char *text, size_t bytes);

/*
 * Call `take` for each line of the run in `text`, which has whole lines. Returns the number of
 * lines that are not the run's.
 */
uint64_t store_line_each(const char *text, size_t bytes, uint64_t sid, store_line_take *take,
			 void *ctx);

/* Add what a run's next line has to its struct store_run. */
store_line_take store_line_learn;

/* store_line_read() for a line of any run. */
bool store_line_read_any(const char *text, size_t bytes, struct line *line);

/* ---- Columns of tables, and the members of struct store_run that they hold ---- */

struct sqlite3_str;

struct store_column {
	const char *name, *type;
	int kind;             /* type of the member, and of its column */
	size_t offset, bytes; /* place and size of the member */
	bool is_derived;      /* from the run's lines alone: store_row_differs() */
};

/* Columns of a run, but for `id`. They change when one of its lines has news. */
extern const struct store_column store_row_run[];

/*
 * The schema's view latest_quote: each `run` with a quote by which older ones of the same key are
 * refused; and an index by the key.
 */
extern const char store_row_quotes[];

/* The stored progress of a run: a narrow row, which each commit writes. */
extern const struct store_column store_row_progress[];

/* 'N': "sid, uuid, ..."; 'S': "sid=?, ..."; 'Q': "?, ..."; 'D': "sid TEXT NOT NULL UNIQUE, ...". */
void store_row_names(const struct store_column *columns, char form, struct sqlite3_str *to);

/* Bind the members to the parameters from `first` on. Returns the number of the next parameter. */
int store_row_bind(const struct store_column *columns, struct sqlite3_stmt *s, int first,
		   const struct store_run *run);

/* Read the columns from `first` on. Texts are printable ASCII, whatever the database has. */
int store_row_read(const struct store_column *columns, struct sqlite3_stmt *s, int first,
		   struct store_run *run);

/* The name of the first column in which two runs differ; NULL: in none. */
const char *store_row_differs(const struct store_column *columns, const struct store_run *a,
			      const struct store_run *b);
