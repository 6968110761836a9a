/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows are appended only: chunks have rowids in the order of their arrival, and an index finds
 * those of a run. Rows that were kept in the order of runs would be written 16 times.
 */
#define _GNU_SOURCE /* F_OFD_SETLK, asprintf */
#include "store.h"

#include "core/lib/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define APPLICATION "1852204390" /* "nfsf", of this program: PRAGMA application_id */
#define VERSION     (6 + LIMITS) /* PRAGMA user_version; each limit has columns */

#define CHECKPOINT_WAL 1000 /* pages: one damaged bit can lose 16 MB of commits */
#define BUSY_MS        5000 /* for a lock of another program */
#define SWEEP_CHUNKS   64

/* The quickest of the usual levels. A commit waits for the disk, to which all goes twice. */
#define ZSTD_LEVEL 1

/*
 * The byte that is locked: SQLite locks none there. To lock it, a program must be allowed to write.
 */
#define HOLD_AT (INT64_MAX - 1)

static const char setup[] =
	"PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
	"PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=67108864;";

static const char more_tables[] =
	"CREATE TABLE chunk(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL,"
	" lines INTEGER NOT NULL, crc32c INTEGER NOT NULL, zstd BLOB NOT NULL);"
	"CREATE UNIQUE INDEX chunk_run ON chunk(run, seq);"
	"CREATE TABLE removed(run INTEGER PRIMARY KEY);"
	"CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX run_uuid ON run(uuid, id);"
	"CREATE UNIQUE INDEX run_latest ON run(uuid) WHERE latest AND uuid <> '';"
	"CREATE INDEX run_waiting ON run(forward_next_s, id, ended_s)"
	" WHERE ended AND coalesce(forward_state, 'refused') = 'refused';"
	"CREATE VIEW runs AS SELECT *, coalesce(policy_verdict, own_verdict) AS verdict FROM"
	" (SELECT run.*, progress.*, CASE WHEN NOT ended OR lost > 0 THEN 'incomplete'"
	" WHEN node_verdict IN ('none', 'pass', 'fail', 'incomplete', 'error') THEN node_verdict"
	" ELSE 'error' END AS own_verdict FROM run JOIN progress ON progress.run = run.id);"
	"CREATE VIEW latest AS SELECT * FROM runs WHERE latest;";

/* Columns of `run` beside those of store_row.c. */
#define MORE_COLUMNS                                                                      \
	", latest INTEGER NOT NULL DEFAULT 0, forward_state TEXT, forward_next_s INTEGER" \
	" NOT NULL DEFAULT 0, forward_why TEXT, forward_tries INTEGER NOT NULL DEFAULT 0"

#define FROM "FROM run JOIN progress ON progress.run = run.id "

enum statement { FIND, INSERT, UPDATE, PROGRESS, ADVANCE, CHUNK, UNLATEST, LATEST, STATEMENTS };

/* %N, %S, %Q: the columns of a table as "a, b", "a=?, b=?", "?, ?"; of r(un) or p(rogress). */
static const char *const statements[STATEMENTS] = {
	[FIND] = "SELECT run.id, %Nr, %Np " FROM "WHERE sid=?1",
	[INSERT] = "INSERT INTO run(%Nr) VALUES (%Qr)",
	[UPDATE] = "UPDATE run SET %Sr WHERE id=?",
	[PROGRESS] = "INSERT INTO progress(%Np, run) VALUES (%Qp, ?)",
	[ADVANCE] = "UPDATE progress SET %Sp WHERE run=? AND next=?",
	[CHUNK] = "INSERT INTO chunk(run, seq, lines, crc32c, zstd) VALUES (?, ?, ?, ?, ?)",
	[UNLATEST] = "UPDATE run SET latest=0 WHERE latest AND uuid<>'' AND uuid=?1 AND id<?2",
	[LATEST] = ("UPDATE run SET latest=1 WHERE id=?2 AND NOT EXISTS (SELECT 1 FROM run WHERE "
		    "latest AND uuid<>'' AND uuid=?1)"),
};

struct store {
	sqlite3 *sql;
	char *path;
	int hold; /* -1: it is not held */
	sqlite3_stmt *of[STATEMENTS];
	uint64_t wal_bytes;
	bool is_writing;
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
	char text[STORE_CHUNK];                     /* lines of the chunk that is read */
	char zstd[ZSTD_COMPRESSBOUND(STORE_CHUNK)]; /* the chunk that is written */
};

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

/* ---- Errors ---- */

static int error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return STORE_LOCKED;
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return EACCES;
	case SQLITE_CANTOPEN:
		return ENOENT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* a table or a column is missing */
	case SQLITE_CONSTRAINT:
		return STORE_DAMAGED;
	default:
		return EIO;
	}
}

const char *store_why(int error)
{
	switch (error) {
	case STORE_DAMAGED:
		return "the database is damaged: `noisefloor fleet check` reports what";
	case STORE_LOCKED:
		return "another program has locked the database";
	case STORE_CHANGED:
		return "the database was removed or replaced: restart the collector";
	default:
		return strerror(error);
	}
}

int store_run_sql(struct store *s, const char *sql)
{
	return error_of(sqlite3_exec(s->sql, sql, NULL, NULL, NULL));
}

struct sqlite3 *store_sql(struct store *s)
{
	return s->sql;
}

/* ---- Opening ---- */

static bool store_fail(struct store *s, char why[STORE_WHY], const char *what)
{
	snprintf(why, STORE_WHY, "%s: %s", s->path, what);
	return false;
}

/*
 * Hold the store against other collectors. The descriptor stays open as long as the process has
 * connections: closing any descriptor of a file drops all locks that SQLite has on it.
 */
static bool take_hold(struct store *s, char why[STORE_WHY])
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = HOLD_AT, .l_len = 1 };
	struct stat status;

	s->hold = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (s->hold < 0)
		return store_fail(s, why, strerror(errno));
	if (fstat(s->hold, &status) != 0 || !S_ISREG(status.st_mode))
		return store_fail(s, why, "it is not a file");
	if (fcntl(s->hold, F_OFD_SETLK, &lock) != 0)
		return store_fail(s, why,
				  errno == EAGAIN || errno == EACCES ? "another collector uses it"
								     : strerror(errno));
	return true;
}

bool store_is_gone(const struct store *s)
{
	struct stat held, named;

	return fstat(s->hold, &held) != 0 || stat(s->path, &named) != 0 ||
	       held.st_ino != named.st_ino || held.st_dev != named.st_dev;
}

/* Expand these, and %D: columns with types. Free it with sqlite3_free(); NULL: no memory. */
static char *expand(const char *format)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	for (const char *at; (at = strchr(format, '%')); format = at + 3) {
		sqlite3_str_append(text, format, (int)(at - format));
		store_row_names(at[2] == 'r' ? store_row_run : store_row_progress, at[1], text);
	}
	sqlite3_str_appendall(text, format);
	return sqlite3_str_finish(text);
}

static int create(struct store *s)
{
	char *text = expand("BEGIN IMMEDIATE; CREATE TABLE run(id INTEGER PRIMARY KEY "
			    "AUTOINCREMENT, %Dr" MORE_COLUMNS "); CREATE TABLE progress(run "
			    "INTEGER PRIMARY KEY, %Dp);");
	char *sql = text ? sqlite3_mprintf("%s %s %s PRAGMA application_id=" APPLICATION
					   "; PRAGMA user_version=%d; COMMIT",
					   text, more_tables, store_row_quotes, VERSION)
			 : NULL;
	int error = sql ? store_run_sql(s, sql) : ENOMEM;

	sqlite3_free(text);
	sqlite3_free(sql);
	if (error)
		store_run_sql(s, "ROLLBACK");
	return error;
}

/* True if the database is of this program and version; `may_create` makes it of an empty file. */
static bool check_version(struct store *s, bool may_create, char why[STORE_WHY])
{
	uint64_t application, version, tables = 0;
	int error = store_number(s, "PRAGMA application_id", &application);
	char what[80];

	error = error ? error : store_number(s, "PRAGMA user_version", &version);
	error = error ? error : store_number(s, "SELECT count(*) FROM sqlite_master", &tables);
	if (!error && may_create && !tables && !application) {
		error = create(s);
		application = strtoull(APPLICATION, NULL, 10);
		version = VERSION;
	}
	if (error)
		return store_fail(s, why,
				  error == STORE_DAMAGED ? "it is damaged, or not a database"
							 : store_why(error));
	if (application != strtoull(APPLICATION, NULL, 10))
		return store_fail(s, why, "it is not a collector's database");
	if (version == VERSION)
		return true;
	snprintf(what, sizeof(what), "it has version %" PRIu64 "; accepted: %d", version, VERSION);
	return store_fail(s, why, what);
}

int store_prepare(struct store *s, const char *sql, struct sqlite3_stmt **statement)
{
	return error_of(
		sqlite3_prepare_v3(s->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
}

static int prepare_all(struct store *s, unsigned count)
{
	int error = 0;

	for (unsigned n = 0; n < count && !error; n++) {
		char *sql = expand(statements[n]);

		error = sql ? store_prepare(s, sql, &s->of[n]) : ENOMEM;
		sqlite3_free(sql);
	}
	return error;
}

/* A database that nobody has open can be read in a folder that cannot be written to. */
static int connect(struct store *s, enum store_use use)
{
	char *uri;
	int flags = use == STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	int code = sqlite3_open_v2(s->path, &s->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);

	sqlite3_busy_timeout(s->sql, BUSY_MS);
	if (code != SQLITE_OK || use != STORE_READ)
		return error_of(code);
	code = sqlite3_exec(s->sql, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL);
	if ((code & 0xff) != SQLITE_CANTOPEN || store_wal_exists(s->path))
		return error_of(code == SQLITE_NOTADB ? SQLITE_OK : code);
	sqlite3_close(s->sql);
	uri = sqlite3_mprintf("file:%w?immutable=1", s->path);
	code = uri ? sqlite3_open_v2(uri, &s->sql, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
				     NULL)
		   : SQLITE_NOMEM;
	sqlite3_free(uri);
	return error_of(code);
}

static int note_wal(void *ctx, sqlite3 *sql, const char *name, int pages)
{
	struct store *s = ctx;

	(void)name;
	s->wal_bytes = (uint64_t)pages * STORE_WAL_PAGE;
	if (pages >= CHECKPOINT_WAL)
		sqlite3_wal_checkpoint_v2(sql, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

static bool open_all(struct store *s, enum store_use use, char why[STORE_WHY])
{
	int error;

	if (use == STORE_HOLD && !take_hold(s, why))
		return false;
	error = connect(s, use);
	if (error)
		return store_fail(s, why, store_why(error));
	if (use == STORE_HOLD && sqlite3_exec(s->sql, setup, NULL, NULL, NULL) != SQLITE_OK)
		return store_fail(s, why,
				  sqlite3_errcode(s->sql) == SQLITE_NOTADB
					  ? "it is damaged, or not a database"
					  : store_why(error_of(sqlite3_errcode(s->sql))));
	if (!check_version(s, use == STORE_HOLD, why))
		return false;
	if (use == STORE_READ)
		return true;
	error = store_run_sql(s, "PRAGMA synchronous=FULL");
	error = error ? error : prepare_all(s, STATEMENTS);
	if (error)
		return store_fail(s, why, store_why(error));
	sqlite3_wal_hook(s->sql, note_wal, s);
	return true;
}

struct store *store_open(const char *folder, enum store_use use, char why[STORE_WHY])
{
	struct store *s = calloc(1, sizeof(*s));

	snprintf(why, STORE_WHY, "%s", strerror(ENOMEM));
	if (!s)
		return NULL;
	s->hold = -1;
	if (asprintf(&s->path, "%s/" STORE_NAME, folder) < 0) {
		free(s);
		return NULL;
	}
	if (use == STORE_HOLD && mkdir(folder, 0700) != 0 && errno != EEXIST)
		snprintf(why, STORE_WHY, "%s: %s", folder, strerror(errno));
	else if (open_all(s, use, why))
		return s;
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->is_writing)
		store_rollback(s);
	for (unsigned i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(s->of[i]);
	sqlite3_close(s->sql);
	if (s->hold >= 0)
		close(s->hold);
	ZSTD_freeCCtx(s->compressor);
	ZSTD_freeDCtx(s->decompressor);
	free(s->path);
	free(s);
}

uint64_t store_free_bytes(struct store *s)
{
	uint64_t pages;

	return store_number(s, "PRAGMA freelist_count", &pages) ? 0 : pages * STORE_WAL_PAGE;
}

uint64_t store_wal_bytes(const struct store *s)
{
	return s->wal_bytes;
}

/* ---- Reading ---- */

int store_ask(struct store *s, const char *query, const char *text,
	      int (*take)(void *ctx, struct sqlite3_stmt *row), void *ctx)
{
	sqlite3_stmt *row = NULL;
	int code = sqlite3_prepare_v2(s->sql, query, -1, &row, NULL), error = 0;

	if (code == SQLITE_OK && text)
		code = sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
	while (!error && code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
		error = take(ctx, row);
		code = SQLITE_OK;
	}
	sqlite3_finalize(row);
	return error ? error : error_of(code);
}

static int take_number(void *ctx, sqlite3_stmt *row)
{
	sqlite3_int64 number = sqlite3_column_int64(row, 0);

	*(uint64_t *)ctx = number > 0 ? (uint64_t)number : 0;
	return 0;
}

int store_number(struct store *s, const char *query, uint64_t *number)
{
	*number = 0;
	return store_ask(s, query, NULL, take_number, number);
}

static void read_run(sqlite3_stmt *row, struct store_run *run)
{
	*run = (struct store_run){ .id = (uint64_t)sqlite3_column_int64(row, 0) };
	store_row_read(store_row_progress, row, store_row_read(store_row_run, row, 1, run), run);
}

struct each {
	int (*take)(void *ctx, const struct store_run *run);
	void *ctx;
};

static int take_run(void *ctx, sqlite3_stmt *row)
{
	const struct each *e = ctx;
	struct store_run run;

	read_run(row, &run);
	return e->take(e->ctx, &run);
}

int store_each(struct store *s, const char *where, const char *text,
	       int (*take)(void *ctx, const struct store_run *run), void *ctx)
{
	struct each e = { take, ctx };
	char *query = expand("SELECT run.id, %Nr, %Np " FROM);
	char *whole = query ? sqlite3_mprintf("%s%s", query, where) : NULL;
	int error = whole ? store_ask(s, whole, text, take_run, &e) : ENOMEM;

	sqlite3_free(query);
	sqlite3_free(whole);
	return error;
}

int store_find(struct store *s, uint64_t sid, struct store_run *run)
{
	char name[STORE_SID];
	int code, error = s->of[FIND] ? 0 : prepare_all(s, FIND + 1);

	*run = (struct store_run){ .id = 0 };
	if (error)
		return error;
	snprintf(name, sizeof(name), "%016" PRIx64, sid);
	sqlite3_bind_text(s->of[FIND], 1, name, -1, SQLITE_STATIC);
	code = sqlite3_step(s->of[FIND]);
	if (code == SQLITE_ROW)
		read_run(s->of[FIND], run);
	sqlite3_reset(s->of[FIND]);
	return code == SQLITE_DONE ? ENOENT : error_of(code);
}

struct reading {
	struct store *store;
	struct store_chunks *chunks;
};

static int take_chunk(void *ctx, sqlite3_stmt *row)
{
	struct store *s = ((struct reading *)ctx)->store;
	struct store_chunks *c = ((struct reading *)ctx)->chunks;
	const void *zstd = sqlite3_column_blob(row, 2);
	size_t bytes = ZSTD_decompressDCtx(s->decompressor, s->text, sizeof(s->text), zstd,
					   (size_t)sqlite3_column_bytes(row, 2));

	if (!ZSTD_isError(bytes) && bytes && s->text[bytes - 1] == '\n' &&
	    crc32c(s->text, bytes) == (uint32_t)sqlite3_column_int64(row, 1))
		c->take(c->ctx, s->text, bytes);
	else if (!c->damaged++)
		c->first = (uint64_t)sqlite3_column_int64(row, 0);
	return 0;
}

int store_chunks(struct store *s, uint64_t id, struct store_chunks *chunks)
{
	struct reading reading = { s, chunks };
	char number[24];

	if (!s->decompressor)
		s->decompressor = ZSTD_createDCtx();
	if (!s->decompressor)
		return ENOMEM;
	chunks->damaged = chunks->first = 0;
	snprintf(number, sizeof(number), "%" PRIu64, id);
	return store_ask(s,
			 "SELECT seq, crc32c, zstd FROM chunk WHERE run=CAST(?1 AS INTEGER) "
			 "ORDER BY seq",
			 number, take_chunk, &reading);
}

static int take_text(void *ctx, sqlite3_stmt *row)
{
	const char *text = (const char *)sqlite3_column_text(row, 0);

	free(*(char **)ctx);
	*(char **)ctx = text ? strdup(text) : NULL;
	return 0;
}

char *store_setting(struct store *s, const char *name)
{
	char *text = NULL;

	store_ask(s, "SELECT value FROM setting WHERE name=?1", name, take_text, &text);
	return text;
}

/* ---- Writing ---- */

int store_begin(struct store *s)
{
	int error;

	pthread_mutex_lock(&writing);
	error = store_run_sql(s, "BEGIN IMMEDIATE");
	s->is_writing = !error;
	if (error)
		pthread_mutex_unlock(&writing);
	return error;
}

static void store_end_writing(struct store *s)
{
	s->is_writing = false;
	pthread_mutex_unlock(&writing);
}

void store_rollback(struct store *s)
{
	if (!sqlite3_get_autocommit(s->sql))
		store_run_sql(s, "ROLLBACK");
	store_end_writing(s);
}

int store_commit(struct store *s)
{
	int error = store_run_sql(s, "COMMIT");

	if (error)
		store_rollback(s);
	else
		store_end_writing(s);
	return error;
}

int store_end(struct store *s, int error)
{
	if (!error)
		return store_commit(s);
	store_rollback(s);
	return error;
}

/* Run a statement; *rows, unless NULL, gets the number of rows that it changed. */
static int step(struct store *s, enum statement n, int *rows)
{
	int code = sqlite3_step(s->of[n]);

	if (rows)
		*rows = sqlite3_changes(s->sql);
	sqlite3_reset(s->of[n]);
	return code == SQLITE_DONE ? 0 : error_of(code);
}

/* A run that has ended is its machine's latest, unless one that began later has ended, too. */
static int mark_latest(struct store *s, const struct store_run *run)
{
	int error = 0;

	if (!run->summary.ended)
		return 0;
	for (unsigned n = UNLATEST; n <= LATEST && !error; n++) {
		sqlite3_bind_text(s->of[n], 1, run->summary.uuid, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(s->of[n], 2, (sqlite3_int64)run->id);
		error = step(s, n, NULL);
	}
	return error;
}

int store_insert(struct store *s, struct store_run *run)
{
	int error, next;

	store_row_bind(store_row_run, s->of[INSERT], 1, run);
	error = step(s, INSERT, NULL);
	if (error)
		return error;
	run->id = (uint64_t)sqlite3_last_insert_rowid(s->sql);
	next = store_row_bind(store_row_progress, s->of[PROGRESS], 1, run);
	sqlite3_bind_int64(s->of[PROGRESS], next, (sqlite3_int64)run->id);
	error = step(s, PROGRESS, NULL);
	return error ? error : mark_latest(s, run);
}

int store_append(struct store *s, uint64_t id, const struct store_lines *lines)
{
	sqlite3_stmt *chunk = s->of[CHUNK];
	size_t bytes;

	if (!s->compressor)
		s->compressor = ZSTD_createCCtx();
	if (!s->compressor)
		return ENOMEM;
	bytes = ZSTD_compressCCtx(s->compressor, s->zstd, sizeof(s->zstd), lines->text,
				  lines->bytes, ZSTD_LEVEL);
	if (ZSTD_isError(bytes))
		return EIO;
	sqlite3_bind_int64(chunk, 1, (sqlite3_int64)id);
	sqlite3_bind_int64(chunk, 2, (sqlite3_int64)lines->seq);
	sqlite3_bind_int64(chunk, 3, (sqlite3_int64)lines->lines);
	sqlite3_bind_int64(chunk, 4, crc32c(lines->text, lines->bytes));
	sqlite3_bind_blob64(chunk, 5, s->zstd, bytes, SQLITE_STATIC);
	return step(s, CHUNK, NULL);
}

int store_advance(struct store *s, const struct store_run *before, const struct store_run *run)
{
	int next = store_row_bind(store_row_progress, s->of[ADVANCE], 1, run), rows, error;

	sqlite3_bind_int64(s->of[ADVANCE], next, (sqlite3_int64)run->id);
	sqlite3_bind_int64(s->of[ADVANCE], next + 1, (sqlite3_int64)before->next);
	error = step(s, ADVANCE, &rows);
	return error || rows == 1 ? error : STORE_CHANGED;
}

int store_put(struct store *s, const struct store_run *run)
{
	int next = store_row_bind(store_row_run, s->of[UPDATE], 1, run), rows, error;

	sqlite3_bind_int64(s->of[UPDATE], next, (sqlite3_int64)run->id);
	error = step(s, UPDATE, &rows);
	if (!error && rows != 1)
		return STORE_CHANGED;
	return error ? error : mark_latest(s, run);
}

int store_do(struct store *s, const char *format, ...)
{
	va_list arguments;
	char *sql;
	int error;

	va_start(arguments, format);
	sql = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	error = sql ? store_run_sql(s, sql) : ENOMEM;
	sqlite3_free(sql);
	return error;
}

int store_sweep(struct store *s, bool *more)
{
	uint64_t id;
	int error = store_number(s, "SELECT run FROM removed LIMIT 1", &id);

	*more = !error && id;
	if (!*more)
		return error;
	error = store_do(s,
			 "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE run=%llu "
			 "LIMIT %d)",
			 (unsigned long long)id, SWEEP_CHUNKS);
	if (!error && sqlite3_changes(s->sql) < SWEEP_CHUNKS)
		error = store_do(s, "DELETE FROM removed WHERE run=%llu", (unsigned long long)id);
	return error;
}

int store_set(struct store *s, const char *name, const char *text)
{
	return text ? store_do(s, "REPLACE INTO setting VALUES (%Q, %Q)", name, text)
		    : store_do(s, "DELETE FROM setting WHERE name=%Q", name);
}
