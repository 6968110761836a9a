/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be wrong with the file, before anything is asked of it. */
#include "index_sql.h"

#include "host/store/index.h"

#include "core/lib/crc32c.h"
#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAD ".bad"

/* For a lock that another process holds. */
#define BUSY_MS 2000

/* What it is compared with. */
#define TEXT_BYTES 2048

/* Had the first of its tables only. */
#define FORMER_VERSION "1"
#define FORMER_TABLES  4

/* As SQLite keeps them. A number of 64 bits is the negative one of the same bits. */
const char *const index_sql_tables[INDEX_SQL_TABLES] = {
	"CREATE TABLE runs(place INTEGER PRIMARY KEY, sid INTEGER NOT NULL UNIQUE, "
	"uuid TEXT NOT NULL COLLATE NOCASE, guessed INTEGER NOT NULL, kind TEXT, config TEXT, "
	"entry TEXT NOT NULL, crc INTEGER NOT NULL, figures TEXT, figures_crc INTEGER)",
	"CREATE INDEX machines ON runs(uuid, place DESC, guessed)",
	/* `kind` is NULL but for the latest run of a machine that has ended as this kind. */
	"CREATE INDEX peers ON runs(kind, config, uuid) WHERE kind IS NOT NULL",
	/* Of those it also has the figures, added later: index_db_fill(). */
	"CREATE INDEX lacking ON runs(place) WHERE kind IS NOT NULL AND figures IS NULL",
	/* Of runs that have ended, where the collector forwards: forwarding.h */
	("CREATE TABLE forwarding(place INTEGER PRIMARY KEY, state TEXT NOT NULL, "
	 "next INTEGER NOT NULL, why TEXT NOT NULL, crc INTEGER NOT NULL)"),
};

#define SCHEMA                                \
	"SELECT group_concat(sql, '|') FROM " \
	"(SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid)"

int index_sql_error(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return EBUSY;
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		return EACCES;
	case SQLITE_IOERR:
		/* A file that is too short for what another one has. */
		return code == SQLITE_IOERR_SHORT_READ ? INDEX_DB_DAMAGED : EIO;
	default:
		return INDEX_DB_DAMAGED;
	}
}

/* ---- Its files ---- */

static const char *const names[] = { INDEX_NAME, INDEX_NAME "-wal", INDEX_NAME "-shm",
				     INDEX_NAME "-journal" };

#define NAMES (sizeof(names) / sizeof(names[0]))

/* A FIFO in the place of any would keep us waiting, and a link leads elsewhere. */
static bool are_regular(int dir)
{
	struct stat status;

	for (size_t i = 0; i < NAMES; i++) {
		if (fstatat(dir, names[i], &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISREG(status.st_mode))
			return false;
	}
	return true;
}

int index_sql_set_aside(int dir)
{
	for (size_t i = 0; i < NAMES; i++) {
		char bad[64];

		snprintf(bad, sizeof(bad), "%s" BAD, names[i]);
		if (unlinkat(dir, bad, 0) != 0)
			unlinkat(dir, bad, AT_REMOVEDIR);
		if (renameat(dir, names[i], dir, bad) != 0 && errno != ENOENT)
			return errno;
	}
	return 0;
}

int index_sql_connect(int dir, int flags, const char *how, sqlite3 **sql)
{
	char name[96];
	int code;

	*sql = NULL;
	if (!are_regular(dir))
		return INDEX_DB_DAMAGED;
	snprintf(name, sizeof(name), "file:/proc/self/fd/%d/" INDEX_NAME "%s", dir, how);
	code = sqlite3_open_v2(name, sql, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_extended_result_codes(*sql, 1);
	if (code == SQLITE_OK)
		code = sqlite3_busy_timeout(*sql, BUSY_MS);
	/* Of a file that is not ours nothing is run. */
	if (code == SQLITE_OK)
		code = sqlite3_db_config(*sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(*sql, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON",
				    NULL, NULL, NULL);
	return index_sql_error(code);
}

/* ---- Asking it ---- */

int index_sql_ask(sqlite3 *sql, const char *query, char *to, size_t room)
{
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(sql, query, -1, &s, NULL);
	const char *text;

	*to = '\0';
	if (code == SQLITE_OK)
		code = sqlite3_step(s);
	text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
	if (text)
		snprintf(to, room, "%s", text);
	sqlite3_finalize(s);
	return index_sql_error(code);
}

int index_sql_compare(sqlite3 *sql, const char *query, const char *wanted)
{
	char found[TEXT_BYTES];
	int error = index_sql_ask(sql, query, found, sizeof(found));

	return error || strcmp(found, wanted) == 0 ? error : INDEX_DB_DAMAGED;
}

/* Of this version, with so many of the tables. */
static int check(sqlite3 *sql, const char *version, unsigned tables)
{
	TEXT_DEFINE(schema, TEXT_BYTES);
	int error = index_sql_compare(sql, "PRAGMA application_id", INDEX_SQL_APPLICATION);

	for (unsigned i = 0; i < tables; i++)
		text_add(&schema, "%s%s", i ? "|" : "", index_sql_tables[i]);
	error = error ? error : index_sql_compare(sql, "PRAGMA user_version", version);
	return error ? error : index_sql_compare(sql, SCHEMA, schema.buf);
}

int index_sql_check(sqlite3 *sql)
{
	return check(sql, INDEX_SQL_VERSION, INDEX_SQL_TABLES);
}

int index_sql_upgrade(sqlite3 *sql)
{
	int error = check(sql, FORMER_VERSION, FORMER_TABLES);

	if (error)
		return error == INDEX_DB_DAMAGED ? 0 : error;
	error = index_sql_error(sqlite3_exec(sql, "BEGIN IMMEDIATE", NULL, NULL, NULL));
	for (unsigned i = FORMER_TABLES; i < INDEX_SQL_TABLES && !error; i++)
		error = index_sql_error(sqlite3_exec(sql, index_sql_tables[i], NULL, NULL, NULL));
	error = error ? error
		      : index_sql_error(sqlite3_exec(
				sql, "PRAGMA user_version=" INDEX_SQL_VERSION "; COMMIT", NULL,
				NULL, NULL));
	if (error)
		sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

uint32_t index_sql_crc(const char *text, int bytes)
{
	return crc32c(text, (size_t)bytes);
}

const char *index_sql_entry(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);
	int bytes = sqlite3_column_bytes(s, column);

	return text && index_sql_crc(text, bytes) == (uint32_t)sqlite3_column_int64(s, column + 1)
		       ? text
		       : NULL;
}

void index_sql_kind(const struct summary *s, char kind[INDEX_KIND_MAX])
{
	snprintf(kind, INDEX_KIND_MAX, "%s\n%s\n%s", s->product, s->bios,
		 s->mode ? s->mode->name : "");
}

int index_sql_each(sqlite3 *sql, const char *query, const char *one, const char *other,
		   int (*take)(void *ctx, sqlite3_stmt *s), void *ctx)
{
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(sql, query, -1, &s, NULL), error = 0;

	if (code == SQLITE_OK && one)
		code = sqlite3_bind_text(s, 1, one, -1, SQLITE_STATIC);
	if (code == SQLITE_OK && other)
		code = sqlite3_bind_text(s, 2, other, -1, SQLITE_STATIC);
	while (!error && code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
		error = take(ctx, s);
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return error ? error : index_sql_error(code);
}
