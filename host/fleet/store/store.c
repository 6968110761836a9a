/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows are appended only: chunks have rowids in the order of their arrival, and an index finds
 * those of a run. Rows in the order of runs would be written 16 times.
 */
#define _GNU_SOURCE /* F_OFD_SETLK, open_memstream */
#include "store.h"

#include "store_row.h"

#include "core/lib/arith.h"
#include "core/lib/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION "1852204390" /* "nfsf", of this program: PRAGMA application_id */
#define VERSION     (2 + LIMITS) /* PRAGMA user_version; each limit has columns */

#define CHECKPOINT_WAL 1000 /* pages: 16 MB of commits that one damaged bit can end */
#define BUSY_MS        5000 /* for a lock of another program */
#define SWEEP_CHUNKS   64

/* No lock of SQLite's is there, and whoever takes it must be allowed to write. */
#define HOLD_AT (INT64_MAX - 1)

static const char setup[] =
	"PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
	"PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=67108864;";

static const char more_tables[] =
	"CREATE TABLE chunk(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL,"
	" lines INTEGER NOT NULL, crc32c INTEGER NOT NULL, text BLOB NOT NULL);"
	"CREATE UNIQUE INDEX chunk_run ON chunk(run, seq);"
	"CREATE TABLE removed(run INTEGER PRIMARY KEY);"
	"CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX run_uuid ON run(uuid, id);"
	"CREATE UNIQUE INDEX run_latest ON run(uuid) WHERE latest AND uuid <> '';"
	"CREATE INDEX run_peers ON run(product, bios, mode, config, uuid) WHERE latest;"
	"CREATE INDEX run_waiting ON run(forward_next_s, id, ended_s)"
	" WHERE ended AND coalesce(forward_state, 'refused') = 'refused';"
	"CREATE INDEX run_key ON run(attest_key) WHERE attest_state='good';"
	"CREATE VIEW runs AS SELECT *, coalesce(policy_verdict, own_verdict) AS verdict FROM"
	" (SELECT run.*, progress.*, CASE WHEN NOT ended OR lost > 0 THEN 'incomplete'"
	" WHEN node_verdict IN ('none', 'pass', 'fail', 'incomplete', 'error') THEN node_verdict"
	" ELSE 'error' END AS own_verdict FROM run JOIN progress ON progress.run = run.id);"
	"CREATE VIEW latest AS SELECT * FROM runs WHERE latest;";

/* Beside those of store_row.c. */
#define MORE_COLUMNS                                                                      \
	", latest INTEGER NOT NULL DEFAULT 0, forward_state TEXT, forward_next_s INTEGER" \
	" NOT NULL DEFAULT 0, forward_why TEXT, forward_tries INTEGER NOT NULL DEFAULT 0"

enum statement { FIND, INSERT, UPDATE, PROGRESS, ADVANCE, CHUNK, UNLATEST, LATEST, STATEMENTS };

struct store {
	sqlite3 *sql;
	char *path;
	int hold; /* -1: it is not held */
	sqlite3_stmt *of[STATEMENTS];
	uint64_t wal_bytes;
	bool is_writing;
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

static int run_sql(struct store *s, const char *sql)
{
	return error_of(sqlite3_exec(s->sql, sql, NULL, NULL, NULL));
}

int store_run_sql(struct store *s, const char *sql)
{
	return run_sql(s, sql);
}

struct sqlite3 *store_sql(struct store *s)
{
	return s->sql;
}

/* ---- Opening ---- */

static bool fail(struct store *s, char why[STORE_WHY], const char *what)
{
	snprintf(why, STORE_WHY, "%s: %s", s->path, what);
	return false;
}

/*
 * The descriptor stays open as long as the process has connections: to close any of a file drops
 * all of its locks that SQLite has.
 */
static bool take_hold(struct store *s, char why[STORE_WHY])
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = HOLD_AT, .l_len = 1 };
	struct stat status;

	s->hold = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (s->hold < 0)
		return fail(s, why, strerror(errno));
	if (fstat(s->hold, &status) != 0 || !S_ISREG(status.st_mode))
		return fail(s, why, "it is not a file");
	if (fcntl(s->hold, F_OFD_SETLK, &lock) != 0)
		return fail(s, why,
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

static int create(struct store *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int error;

	if (!to)
		return ENOMEM;
	fputs("BEGIN IMMEDIATE; CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT", to);
	store_row_declare(store_row_run, to);
	fputs(MORE_COLUMNS "); CREATE TABLE progress(run INTEGER PRIMARY KEY", to);
	store_row_declare(store_row_progress, to);
	fprintf(to, "); %s PRAGMA application_id=" APPLICATION "; PRAGMA user_version=%d; COMMIT",
		more_tables, VERSION);
	error = fclose(to) == 0 ? run_sql(s, text) : ENOMEM;
	free(text);
	if (error)
		run_sql(s, "ROLLBACK");
	return error;
}

/* Of this program and this version; an empty file is neither. */
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
		return fail(s, why,
			    error == STORE_DAMAGED ? "it is damaged, or not a database"
						   : store_why(error));
	if (application != strtoull(APPLICATION, NULL, 10))
		return fail(s, why, "it is not a collector's database");
	if (version == VERSION)
		return true;
	snprintf(what, sizeof(what), "it has version %" PRIu64 "; accepted: %d", version, VERSION);
	return fail(s, why, what);
}

static int prepare(struct store *s, enum statement n, const char *format,
		   const struct store_column *columns, const char *after)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int code = SQLITE_NOMEM;

	if (!to)
		return ENOMEM;
	fputs(format, to);
	if (columns)
		store_row_names(columns, "", n == UPDATE || n == ADVANCE ? "=?" : "", to);
	if (columns && (n == INSERT || n == PROGRESS)) {
		fputs(n == INSERT ? ") VALUES (?" : ", run) VALUES (?, ?", to);
		while ((++columns)->name)
			fputs(", ?", to);
	}
	fputs(after, to);
	if (fclose(to) == 0)
		code = sqlite3_prepare_v3(s->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &s->of[n],
					  NULL);
	free(text);
	return error_of(code);
}

#define FIND_FROM " FROM run JOIN progress ON progress.run = run.id "

/* "SELECT id, ...": with all columns of a struct store_run. To be freed; NULL: no memory. */
static char *select_runs(const char *more, const char *where)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	fputs("SELECT run.id, ", to);
	store_row_names(store_row_run, "", "", to);
	fputs(", ", to);
	store_row_names(store_row_progress, "", "", to);
	fprintf(to, "%s" FIND_FROM "%s", more, where);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static int prepare_all(struct store *s)
{
	int error = prepare(s, INSERT, "INSERT INTO run(", store_row_run, ")");

	error = error ? error : prepare(s, UPDATE, "UPDATE run SET ", store_row_run, " WHERE id=?");
	error = error ? error
		      : prepare(s, PROGRESS, "INSERT INTO progress(", store_row_progress, ")");
	error = error ? error
		      : prepare(s, ADVANCE, "UPDATE progress SET ", store_row_progress,
				" WHERE run=? AND next=?");
	error = error ? error
		      : prepare(s, CHUNK,
				"INSERT INTO chunk(run, seq, lines, crc32c, text) "
				"VALUES (?, ?, ?, ?, ?)",
				NULL, "");
	error = error ? error
		      : prepare(s, UNLATEST,
				"UPDATE run SET latest=0 WHERE latest AND uuid<>'' AND uuid=?1 "
				"AND id<?2",
				NULL, "");
	return error ? error
		     : prepare(s, LATEST,
			       "UPDATE run SET latest=1 WHERE id=?2 AND NOT EXISTS (SELECT 1 FROM "
			       "run WHERE latest AND uuid<>'' AND uuid=?1)",
			       NULL, "");
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
		return fail(s, why, store_why(error));
	if (use == STORE_HOLD && sqlite3_exec(s->sql, setup, NULL, NULL, NULL) != SQLITE_OK)
		return fail(s, why,
			    sqlite3_errcode(s->sql) == SQLITE_NOTADB
				    ? "it is damaged, or not a database"
				    : store_why(error_of(sqlite3_errcode(s->sql))));
	if (!check_version(s, use == STORE_HOLD, why))
		return false;
	if (use == STORE_READ)
		return true;
	error = run_sql(s, "PRAGMA synchronous=FULL");
	error = error ? error : prepare_all(s);
	if (error)
		return fail(s, why, store_why(error));
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

int store_read_run(sqlite3_stmt *row, struct store_run *run)
{
	*run = (struct store_run){ .id = (uint64_t)sqlite3_column_int64(row, 0) };
	return store_row_read(store_row_progress, row, store_row_read(store_row_run, row, 1, run),
			      run);
}

int store_each_row(struct store *s, const char *more, const char *where, const char *text,
		   int (*take)(void *ctx, struct sqlite3_stmt *row), void *ctx)
{
	char *query = select_runs(more, where);
	int error = query ? store_ask(s, query, text, take, ctx) : ENOMEM;

	free(query);
	return error;
}

struct each {
	int (*take)(void *ctx, const struct store_run *run);
	void *ctx;
};

static int take_run(void *ctx, sqlite3_stmt *row)
{
	const struct each *e = ctx;
	struct store_run run;

	store_read_run(row, &run);
	return e->take(e->ctx, &run);
}

int store_each(struct store *s, const char *where, const char *text,
	       int (*take)(void *ctx, const struct store_run *run), void *ctx)
{
	struct each e = { take, ctx };

	return store_each_row(s, "", where, text, take_run, &e);
}

/* A collector asks for each run that it meets. */
int store_find(struct store *s, uint64_t sid, struct store_run *run)
{
	char name[STORE_SID], *query = NULL;
	int code = SQLITE_OK, error;

	*run = (struct store_run){ .id = 0 };
	if (!s->of[FIND]) {
		query = select_runs("", "WHERE sid=?1");
		code = query ? sqlite3_prepare_v3(s->sql, query, -1, SQLITE_PREPARE_PERSISTENT,
						  &s->of[FIND], NULL)
			     : SQLITE_NOMEM;
		free(query);
	}
	if (code != SQLITE_OK)
		return error_of(code);
	snprintf(name, sizeof(name), "%016" PRIx64, sid);
	sqlite3_bind_text(s->of[FIND], 1, name, -1, SQLITE_STATIC);
	code = sqlite3_step(s->of[FIND]);
	if (code == SQLITE_ROW)
		store_read_run(s->of[FIND], run);
	error = code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? ENOENT : error_of(code);
	sqlite3_reset(s->of[FIND]);
	return error;
}

int store_cursor_open(struct store *s, uint64_t id, uint64_t seq, struct store_cursor *c)
{
	int code = sqlite3_prepare_v2(s->sql,
				      "SELECT seq, crc32c, text FROM chunk WHERE run=?1 AND seq >= "
				      "coalesce((SELECT max(seq) FROM chunk WHERE run=?1 AND "
				      "seq <= ?2), 0) ORDER BY seq",
				      -1, &c->row, NULL);

	c->damaged = c->first = 0;
	if (code == SQLITE_OK) {
		sqlite3_bind_int64(c->row, 1, (sqlite3_int64)id);
		sqlite3_bind_int64(c->row, 2, (sqlite3_int64)arith_min(seq, INT64_MAX));
	}
	return error_of(code);
}

void store_cursor_close(struct store_cursor *c)
{
	sqlite3_finalize(c->row);
	c->row = NULL;
}

bool store_cursor_next(struct store_cursor *c, const char **text, size_t *bytes, int *error)
{
	int code;

	while ((code = sqlite3_step(c->row)) == SQLITE_ROW) {
		*text = sqlite3_column_blob(c->row, 2);
		*bytes = (size_t)sqlite3_column_bytes(c->row, 2);
		if (*text && *bytes && (*text)[*bytes - 1] == '\n' &&
		    crc32c(*text, *bytes) == (uint32_t)sqlite3_column_int64(c->row, 1))
			return true;
		if (!c->damaged++)
			c->first = (uint64_t)sqlite3_column_int64(c->row, 0);
	}
	*error = error_of(code);
	return false;
}

int store_chunks(struct store *s, uint64_t id, struct store_chunks *chunks)
{
	struct store_cursor c = { .row = NULL };
	int error = store_cursor_open(s, id, 0, &c);
	const char *text;
	size_t bytes;

	while (!error && store_cursor_next(&c, &text, &bytes, &error))
		chunks->take(chunks->ctx, text, bytes);
	store_cursor_close(&c);
	chunks->damaged = c.damaged;
	chunks->first = c.first;
	return error;
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
	error = run_sql(s, "BEGIN IMMEDIATE");
	s->is_writing = !error;
	if (error)
		pthread_mutex_unlock(&writing);
	return error;
}

static void end(struct store *s)
{
	s->is_writing = false;
	pthread_mutex_unlock(&writing);
}

void store_rollback(struct store *s)
{
	if (!sqlite3_get_autocommit(s->sql))
		run_sql(s, "ROLLBACK");
	end(s);
}

int store_commit(struct store *s)
{
	int error = run_sql(s, "COMMIT");

	if (error)
		store_rollback(s);
	else
		end(s);
	return error;
}

int store_end(struct store *s, int error)
{
	if (!error)
		return store_commit(s);
	store_rollback(s);
	return error;
}

/* Returns how many rows it changed in *rows, unless NULL. */
static int step(struct store *s, enum statement n, int *rows)
{
	int code = sqlite3_step(s->of[n]);

	if (rows)
		*rows = sqlite3_changes(s->sql);
	sqlite3_reset(s->of[n]);
	return code == SQLITE_DONE ? 0 : error_of(code);
}

/* A run that has ended is now the latest of its machine, unless one that began later has. */
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

	sqlite3_bind_int64(chunk, 1, (sqlite3_int64)id);
	sqlite3_bind_int64(chunk, 2, (sqlite3_int64)lines->seq);
	sqlite3_bind_int64(chunk, 3, (sqlite3_int64)lines->lines);
	sqlite3_bind_int64(chunk, 4, crc32c(lines->text, lines->bytes));
	sqlite3_bind_blob64(chunk, 5, lines->text, lines->bytes, SQLITE_STATIC);
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

static int with_id(struct store *s, const char *sql, uint64_t id)
{
	char *text = sqlite3_mprintf(sql, (sqlite3_int64)id);
	int error = text ? run_sql(s, text) : ENOMEM;

	sqlite3_free(text);
	return error;
}

int store_remove(struct store *s, uint64_t id, uint64_t bytes)
{
	char *sql = sqlite3_mprintf("DELETE FROM progress WHERE run=%lld AND bytes=%lld",
				    (sqlite3_int64)id, (sqlite3_int64)bytes);
	int error = sql ? run_sql(s, sql) : ENOMEM;

	sqlite3_free(sql);
	if (!error && !sqlite3_changes(s->sql))
		return STORE_CHANGED;
	error = error ? error : with_id(s, "INSERT OR IGNORE INTO removed VALUES (%lld)", id);
	return error ? error : with_id(s, "DELETE FROM run WHERE id=%lld", id);
}

int store_sweep(struct store *s, bool *more)
{
	uint64_t id;
	int error = store_number(s, "SELECT run FROM removed LIMIT 1", &id);

	*more = !error && id;
	if (!*more)
		return error;
	error = with_id(s,
			"DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE run=%lld "
			"LIMIT 64)",
			id);
	if (!error && sqlite3_changes(s->sql) < SWEEP_CHUNKS)
		error = with_id(s, "DELETE FROM removed WHERE run=%lld", id);
	return error;
}

int store_set(struct store *s, const char *name, const char *text)
{
	char *sql = text ? sqlite3_mprintf("REPLACE INTO setting VALUES (%Q, %Q)", name, text)
			 : sqlite3_mprintf("DELETE FROM setting WHERE name=%Q", name);
	int error = sql ? run_sql(s, sql) : ENOMEM;

	sqlite3_free(sql);
	return error;
}
