/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection to DIR/index.sqlite, of whom only a file that is an index of ours is asked anything.
 * What returns an int returns 0 or an errno, INDEX_DB_DAMAGED and EBUSY among them.
 */
#pragma once

#include "index_db.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_SQL_APPLICATION "1852207471" /* "nfio" */
#define INDEX_SQL_VERSION     "2"

/* What makes its tables. */
#define INDEX_SQL_TABLES 5
extern const char *const index_sql_tables[INDEX_SQL_TABLES];

/* Of a code of SQLite's, an extended one. */
int index_sql_error(int code);

/* By the descriptor, whatever the folder is called meanwhile; `how`: "" or "?immutable=1". */
int index_sql_connect(int dir, int flags, const char *how, sqlite3 **sql);

/* To index.sqlite.bad; one that was set aside before goes. */
int index_sql_set_aside(int dir);

/* Run it, for its first column as text of up to `room` bytes; or for whether that is `wanted`. */
int index_sql_ask(sqlite3 *sql, const char *query, char *to, size_t room);
int index_sql_compare(sqlite3 *sql, const char *query, const char *wanted);

/* Is it an index of ours? Then it has this schema and no other, whatever it holds. */
int index_sql_check(sqlite3 *sql);

/* One of the former schema becomes one of this; others stay as they are. */
int index_sql_upgrade(sqlite3 *sql);

/* The row's entry, its CRC in the next column, and only as it was written. NULL: it is damaged. */
const char *index_sql_entry(sqlite3_stmt *s, int column);
uint32_t index_sql_crc(const char *text, int bytes);

/* Peers are machines of one kind: host/fleet/status.c. "" of what has not ended is none. */
#define INDEX_KIND_MAX (3 * SUMMARY_TEXT)
void index_sql_kind(const struct summary *s, char kind[INDEX_KIND_MAX]);

/*
 * Each row of a query with the parameters `one` and `other`, texts or NULL, until `take` returns
 * other than 0, which it then returns itself.
 */
int index_sql_each(sqlite3 *sql, const char *query, const char *one, const char *other,
		   int (*take)(void *ctx, sqlite3_stmt *s), void *ctx);
