/* SPDX-License-Identifier: BSD-2-Clause */
/* SQL, and what can be wrong with its file. */
#define _GNU_SOURCE /* open_memstream */
#include "index_db.h"

#include "index_whole.h"

#include "host/lib/order.h"
#include "host/store/files.h"
#include "host/store/index_order.h"

#include "core/lib/crc32c.h"
#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAD ".bad"

/* For a lock that another process holds. */
#define BUSY_MS 2000

/* Runs' files that are read in one transaction. */
#define FILLED_AT_ONCE 100

#define APPLICATION "1852207471" /* "nfio" */
#define VERSION     "1"

/* As SQLite keeps them. A number of 64 bits is the negative one of the same bits. */
static const char *const tables[] = {
	"CREATE TABLE runs(place INTEGER PRIMARY KEY, sid INTEGER NOT NULL UNIQUE, "
	"uuid TEXT NOT NULL COLLATE NOCASE, guessed INTEGER NOT NULL, kind TEXT, config TEXT, "
	"entry TEXT NOT NULL, crc INTEGER NOT NULL, figures TEXT, figures_crc INTEGER)",
	"CREATE INDEX machines ON runs(uuid, place DESC, guessed)",
	/* `kind` is NULL but for the latest run of a machine that has ended as this kind. */
	"CREATE INDEX peers ON runs(kind, config, uuid) WHERE kind IS NOT NULL",
	/* Of those it also has the figures, added later: index_db_fill(). */
	"CREATE INDEX lacking ON runs(place) WHERE kind IS NOT NULL AND figures IS NULL",
};

#define SCHEMA                                \
	"SELECT group_concat(sql, '|') FROM " \
	"(SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid)"

struct index_db {
	sqlite3 *sql;
	int dir;
	ino_t inode;
	bool was_made;
	uint64_t place; /* the last one given */
	sqlite3_stmt *find, *put, *drop, *whose, *later, *earlier, *of_machine, *set_kind, *lacking,
		*fill;
};

const char *index_db_why(int error)
{
	return error == INDEX_DB_DAMAGED ? "damaged, or not a collector's index"
	       : error == EBUSY          ? "locked by another process"
					 : strerror(error);
}

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

/* One that was set aside before goes. */
static int set_aside(int dir)
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

/* Its connection: by the descriptor, whatever the folder is called meanwhile. */
static int connect_to(int dir, int flags, const char *how, sqlite3 **sql)
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
	return error_of(code);
}

/* ---- Asking it ---- */

/* Run it, for its first column as text of up to `room` bytes. */
static int ask(sqlite3 *sql, const char *query, char *to, size_t room)
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
	return error_of(code);
}

static int compare(sqlite3 *sql, const char *query, const char *wanted)
{
	char found[1024];
	int error = ask(sql, query, found, sizeof(found));

	return error || strcmp(found, wanted) == 0 ? error : INDEX_DB_DAMAGED;
}

/* Is it an index of ours? Then it has this schema and no other, whatever it holds. */
static int check_kind(sqlite3 *sql)
{
	char schema[1024];
	int error = compare(sql, "PRAGMA application_id", APPLICATION);

	snprintf(schema, sizeof(schema), "%s|%s|%s|%s", tables[0], tables[1], tables[2], tables[3]);
	error = error ? error : compare(sql, "PRAGMA user_version", VERSION);
	return error ? error : compare(sql, SCHEMA, schema);
}

static uint32_t crc_of(const char *text, int bytes)
{
	return crc32c(text, (size_t)bytes);
}

/* The row's entry, and only as it was written. NULL: it is damaged. */
static const char *entry_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);
	int bytes = sqlite3_column_bytes(s, column);

	return text && crc_of(text, bytes) == (uint32_t)sqlite3_column_int64(s, column + 1) ? text
											    : NULL;
}

/* ---- Writing ---- */

static int run(struct index_db *db, const char *statements)
{
	return error_of(sqlite3_exec(db->sql, statements, NULL, NULL, NULL));
}

/* Its first row, or none; to be reset. */
static int step(sqlite3_stmt *s)
{
	return error_of(sqlite3_step(s));
}

/* A number of 64 bits is a negative one of the same bits. */
static void bind_sid(sqlite3_stmt *s, int n, uint64_t sid)
{
	sqlite3_bind_int64(s, n, (sqlite3_int64)sid);
}

/* What stays as it was when the run was new. */
static int take_old(struct index_db *db, struct index_entry *e, bool *found)
{
	struct index_entry old;
	int error;

	bind_sid(db->find, 1, e->sid);
	error = step(db->find);
	*found = !error && sqlite3_data_count(db->find);
	if (*found) {
		const char *text = entry_of(db->find, 0);

		if (text && index_parse(text, &old) && old.sid == e->sid) {
			e->place = old.place;
			e->began = old.began;
			e->is_guessed = old.is_guessed;
			e->is_own |= old.is_own;
			if (!*e->from)
				memcpy(e->from, old.from, sizeof(e->from));
		} else {
			error = INDEX_DB_DAMAGED;
		}
	}
	sqlite3_reset(db->find);
	return error;
}

/* Peers are machines of one kind: host/fleet/status.c. "" of what has not ended is none. */
#define KIND_MAX (3 * SUMMARY_TEXT)

static void kind_of(const struct summary *s, char kind[KIND_MAX])
{
	snprintf(kind, KIND_MAX, "%s\n%s\n%s", s->product, s->bios, s->mode ? s->mode->name : "");
}

static void bind_machine(sqlite3_stmt *s, const char *uuid, const char *kind, uint64_t place)
{
	sqlite3_bind_text(s, 1, uuid, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(s, 2, kind, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)place);
}

/* Is it now the latest of its machine and kind? Then it takes that from the one before. */
static int take_kind(struct index_db *db, const struct index_entry *e, const char *kind,
		     bool *is_latest)
{
	int error;

	*is_latest = false;
	if (!e->summary.ended || !*e->summary.uuid)
		return 0;
	bind_machine(db->later, e->summary.uuid, kind, e->place);
	error = step(db->later);
	*is_latest = !error && !sqlite3_data_count(db->later);
	sqlite3_reset(db->later);
	if (error || !*is_latest)
		return error;
	bind_machine(db->earlier, e->summary.uuid, kind, e->place);
	error = step(db->earlier);
	sqlite3_reset(db->earlier);
	return error;
}

static int put_row(struct index_db *db, const struct index_entry *e, const char *kind)
{
	TEXT_DEFINE(config, 2 * SHA256_BYTES + 1);
	char *text = index_text(e);
	int bytes, error;

	if (!text)
		return ENOMEM;
	bytes = (int)strlen(text);
	if (facts_config_known(e->summary.facts.config))
		text_hex(&config, e->summary.facts.config, SHA256_BYTES);
	sqlite3_bind_int64(db->put, 1, (sqlite3_int64)e->place);
	bind_sid(db->put, 2, e->sid);
	sqlite3_bind_text(db->put, 3, e->summary.uuid, -1, SQLITE_STATIC);
	sqlite3_bind_text(db->put, 4, kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(db->put, 5, config.buf, -1, SQLITE_STATIC);
	sqlite3_bind_text(db->put, 6, text, bytes, SQLITE_STATIC);
	sqlite3_bind_int64(db->put, 7, crc_of(text, bytes));
	sqlite3_bind_int(db->put, 8, e->is_guessed);
	error = step(db->put);
	sqlite3_reset(db->put);
	sqlite3_clear_bindings(db->put);
	free(text);
	return error;
}

static int put(struct index_db *db, struct index_entry e)
{
	char kind[KIND_MAX];
	bool found, is_latest = false;
	int error = take_old(db, &e, &found);

	if (!error && !found) {
		e.place = ++db->place;
		e.began = e.began ? e.began : e.at;
	}
	kind_of(&e.summary, kind);
	error = error ? error : take_kind(db, &e, kind, &is_latest);
	return error ? error : put_row(db, &e, is_latest ? kind : NULL);
}

static int set_kind(struct index_db *db, const char *kind, uint64_t place)
{
	int error;

	sqlite3_bind_text(db->set_kind, 1, kind, -1, SQLITE_STATIC);
	sqlite3_bind_int64(db->set_kind, 2, (sqlite3_int64)place);
	error = step(db->set_kind);
	sqlite3_reset(db->set_kind);
	return error;
}

/* The latest run of the machine that has ended as this kind is another now. */
static int give_kind(struct index_db *db, const char *uuid, const char *kind)
{
	char found[KIND_MAX] = "";
	struct index_entry e = { .place = 0 };
	bool is_found = false;
	int error;

	sqlite3_bind_text(db->of_machine, 1, uuid, -1, SQLITE_STATIC);
	while (!(error = step(db->of_machine)) && !is_found && sqlite3_data_count(db->of_machine)) {
		const char *text = entry_of(db->of_machine, 0);

		if (!text || !index_parse(text, &e)) {
			error = INDEX_DB_DAMAGED;
			break;
		}
		kind_of(&e.summary, found);
		is_found = e.summary.ended && strcmp(kind, found) == 0;
	}
	sqlite3_reset(db->of_machine);
	return error || !is_found ? error : set_kind(db, kind, e.place);
}

static void copy_column(sqlite3_stmt *s, int column, char *to, size_t room)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	snprintf(to, room, "%s", text ? text : "");
}

static int drop(struct index_db *db, uint64_t sid)
{
	char uuid[SUMMARY_TEXT] = "", kind[KIND_MAX] = "";
	int error;

	bind_sid(db->whose, 1, sid);
	error = step(db->whose);
	if (!error && sqlite3_data_count(db->whose)) {
		copy_column(db->whose, 0, uuid, sizeof(uuid));
		copy_column(db->whose, 1, kind, sizeof(kind));
	}
	sqlite3_reset(db->whose);
	bind_sid(db->drop, 1, sid);
	error = error ? error : step(db->drop);
	sqlite3_reset(db->drop);
	return error || !*kind ? error : give_kind(db, uuid, kind);
}

static int commit(struct index_db *db, int error)
{
	error = error ? error : run(db, "COMMIT");
	if (error)
		run(db, "ROLLBACK");
	return error;
}

int index_db_write(struct index_db *db, const struct index_db_changes *changes)
{
	int error = run(db, "BEGIN IMMEDIATE");
	const struct index_db_change *c;

	STAILQ_FOREACH(c, changes, next)
	error = error ? error : c->is_gone ? drop(db, c->entry.sid) : put(db, c->entry);
	return commit(db, error);
}

static int next_lacking(struct index_db *db, struct index_entry *e, bool *found)
{
	int error = step(db->lacking);

	*found = !error && sqlite3_data_count(db->lacking);
	if (*found) {
		const char *text = entry_of(db->lacking, 0);

		error = text && index_parse(text, e) ? 0 : INDEX_DB_DAMAGED;
	}
	sqlite3_reset(db->lacking);
	return error;
}

static int fill(struct index_db *db, const struct index_entry *e, const char *figures)
{
	int bytes = (int)strlen(figures), error;

	sqlite3_bind_text(db->fill, 1, figures, bytes, SQLITE_STATIC);
	sqlite3_bind_int64(db->fill, 2, crc_of(figures, bytes));
	sqlite3_bind_int64(db->fill, 3, (sqlite3_int64)e->place);
	error = step(db->fill);
	sqlite3_reset(db->fill);
	return error;
}

int index_db_fill(struct index_db *db, char *(*make)(void *ctx, const struct index_entry *e),
		  void *ctx, bool *more)
{
	int error = run(db, "BEGIN IMMEDIATE");

	*more = true;
	for (unsigned n = 0; n < FILLED_AT_ONCE && *more && !error; n++) {
		struct index_entry e;
		char *figures = NULL;

		error = next_lacking(db, &e, more);
		if (error || !*more)
			break;
		figures = make(ctx, &e);
		error = figures ? fill(db, &e, figures) : ENOMEM;
		free(figures);
	}
	return commit(db, error);
}

/* ---- Making it ---- */

static ORDER_BY(by_rank, struct index_entry, rank);

/* What has not ended in the index may have in its file, when that was written last. */
static int put_known(struct index_db *db, const struct index_entry *known)
{
	struct index_entry e = *known;
	struct store_progress kept;
	char name[STORE_NAME_MAX];
	struct stat status;

	store_name(name, e.sid);
	if (!e.summary.ended && store_read(db->dir, e.sid, &kept) == 0 &&
	    (kept.summary.ended || strcmp(e.summary.uuid, kept.summary.uuid) != 0)) {
		e.summary = kept.summary;
		if (fstatat(db->dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_mtime > 0)
			e.at = (uint64_t)status.st_mtime;
	}
	return put(db, e);
}

/* Those whose place is certain come first: no run that is added later is taken to be before. */
static int put_all(struct index_db *db)
{
	struct index_table t = { .entry = NULL };
	int error;

	if (index_read(db->dir, &t) != 0)
		index_free(&t);
	error = index_order(&t, db->dir);
	ORDER_SORT(t.entry, t.count, by_rank);
	for (int guessed = 0; guessed < 2; guessed++) {
		for (size_t i = 0; i < t.count && !error; i++)
			if (t.entry[i].is_guessed == guessed)
				error = put_known(db, &t.entry[i]);
	}
	index_free(&t);
	return error;
}

static int prepare(sqlite3 *sql, const char *statement, sqlite3_stmt **s)
{
	return error_of(sqlite3_prepare_v3(sql, statement, -1, SQLITE_PREPARE_PERSISTENT, s, NULL));
}

static int prepare_all(struct index_db *db)
{
	const struct {
		sqlite3_stmt **to;
		const char *text;
	} all[] = {
		{ &db->find, "SELECT entry, crc FROM runs WHERE sid = ?" },
		{ &db->put,
		  "REPLACE INTO runs(place, sid, uuid, kind, config, entry, crc, guessed) "
		  "VALUES(?, ?, ?, ?, ?, ?, ?, ?)" },
		{ &db->lacking, "SELECT entry, crc FROM runs INDEXED BY lacking "
				"WHERE kind IS NOT NULL AND figures IS NULL LIMIT 1" },
		{ &db->fill, "UPDATE runs SET figures = ?, figures_crc = ? WHERE place = ?" },
		{ &db->drop, "DELETE FROM runs WHERE sid = ?" },
		{ &db->whose, "SELECT uuid, kind FROM runs WHERE sid = ?" },
		{ &db->later, "SELECT 1 FROM runs WHERE uuid = ? AND kind = ? AND place > ?" },
		{ &db->earlier, "UPDATE runs SET kind = NULL "
				"WHERE uuid = ? AND kind = ? AND place < ?" },
		{ &db->of_machine,
		  "SELECT entry, crc FROM runs WHERE uuid = ? ORDER BY place DESC" },
		{ &db->set_kind, "UPDATE runs SET kind = ? WHERE place = ?" },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !error; i++)
		error = prepare(db->sql, all[i].text, all[i].to);
	return error;
}

/* Its rows to the file itself. What still has to be read of it stays. */
static void shorten_log(struct index_db *db)
{
	if (db->sql)
		sqlite3_wal_checkpoint_v2(db->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

/* Whole or not at all, as one that is there is not made again. */
static int make(struct index_db *db)
{
	int error = run(db, "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE; "
			    "PRAGMA application_id=" APPLICATION "; PRAGMA user_version=" VERSION);

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !error; i++)
		error = run(db, tables[i]);
	error = error ? error : prepare_all(db);
	error = error ? error : put_all(db);
	error = commit(db, error);
	db->was_made = true;
	shorten_log(db);
	return error;
}

/* Every row, too, as what follows takes them as they are. */
static int check_rows(sqlite3 *sql)
{
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(sql, "SELECT entry, crc FROM runs", -1, &s, NULL);
	bool is_good = true;

	while (code == SQLITE_OK && is_good && (code = sqlite3_step(s)) == SQLITE_ROW) {
		is_good = entry_of(s, 0);
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return is_good ? error_of(code) : INDEX_DB_DAMAGED;
}

static int check(struct index_db *db)
{
	char last[32];
	int error = check_kind(db->sql);

	error = error ? error : compare(db->sql, "PRAGMA quick_check(1)", "ok");
	error = error ? error : check_rows(db->sql);
	error = error ? error : ask(db->sql, "SELECT max(place) FROM runs", last, sizeof(last));
	db->place = error ? 0 : strtoull(last, NULL, 10);
	return error ? error : prepare_all(db);
}

static int open_one(struct index_db *db)
{
	struct stat status;
	int error = connect_to(db->dir, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", &db->sql);

	error = error ? error : run(db, "PRAGMA synchronous=NORMAL");
	if (error)
		return error;
	error = compare(db->sql, "SELECT count(*) FROM sqlite_master", "0");
	error = error ? error : compare(db->sql, "PRAGMA application_id", "0");
	error = !error ? make(db) : error == INDEX_DB_DAMAGED ? check(db) : error;
	if (!error && fstatat(db->dir, INDEX_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0)
		db->inode = status.st_ino;
	return error;
}

static void close_one(struct index_db *db)
{
	sqlite3_finalize(db->find);
	sqlite3_finalize(db->put);
	sqlite3_finalize(db->drop);
	sqlite3_finalize(db->whose);
	sqlite3_finalize(db->later);
	sqlite3_finalize(db->earlier);
	sqlite3_finalize(db->of_machine);
	sqlite3_finalize(db->set_kind);
	sqlite3_finalize(db->lacking);
	sqlite3_finalize(db->fill);
	sqlite3_close(db->sql);
	*db = (struct index_db){ .dir = db->dir };
}

int index_db_open(int dir, struct index_db **db)
{
	struct index_db *d = calloc(1, sizeof(*d));
	int error = ENOMEM;

	*db = d;
	if (d) {
		d->dir = dir;
		error = open_one(d);
	}
	if (error == INDEX_DB_DAMAGED) {
		close_one(d);
		error = set_aside(dir);
		error = error ? error : open_one(d);
	}
	if (error) {
		index_db_close(d);
		*db = NULL;
	}
	return error;
}

bool index_db_was_made(const struct index_db *db)
{
	return db->was_made;
}

bool index_db_is_there(const struct index_db *db)
{
	struct stat status;

	return fstatat(db->dir, INDEX_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       status.st_ino == db->inode;
}

void index_db_close(struct index_db *db)
{
	if (!db)
		return;
	shorten_log(db);
	close_one(db);
	free(db);
}

/* ---- Reading ---- */

/* What is there without a log beside it is not being written: it may be read without a lock. */
struct still {
	bool is_still;
	struct stat status;
};

static struct still look(int dir)
{
	struct still s = { .is_still = false };
	struct stat log;

	s.is_still = fstatat(dir, INDEX_NAME, &s.status, AT_SYMLINK_NOFOLLOW) == 0 &&
		     fstatat(dir, INDEX_NAME "-wal", &log, AT_SYMLINK_NOFOLLOW) != 0;
	return s;
}

static bool is_same(const struct still *a, const struct still *b)
{
	return b->is_still && a->status.st_ino == b->status.st_ino &&
	       a->status.st_size == b->status.st_size &&
	       a->status.st_mtim.tv_sec == b->status.st_mtim.tv_sec &&
	       a->status.st_mtim.tv_nsec == b->status.st_mtim.tv_nsec;
}

/* What is wanted of it, and who takes it. */
struct want {
	int (*ask)(sqlite3 *sql, const struct want *w);
	int (*entry)(void *ctx, const char *text);
	void (*again)(void *ctx); /* forget what there was so far */
	void *ctx;
	const char *uuid;
};

/* `query` has one parameter, the UUID, or none. */
static int each_entry(sqlite3 *sql, const char *query, const struct want *w)
{
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(sql, query, -1, &s, NULL), error = 0;

	if (code == SQLITE_OK && w->uuid)
		code = sqlite3_bind_text(s, 1, w->uuid, -1, SQLITE_STATIC);
	while (!error && code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
		const char *text = entry_of(s, 0);

		error = text ? w->entry(w->ctx, text) : INDEX_DB_DAMAGED;
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return error ? error : error_of(code);
}

static int ask_all(sqlite3 *sql, const struct want *w)
{
	return each_entry(sql, "SELECT entry, crc FROM runs", w);
}

static int read_one(int dir, const char *how, const struct want *w)
{
	sqlite3 *sql;
	int error = connect_to(dir, SQLITE_OPEN_READONLY, how, &sql);

	error = error ? error : check_kind(sql);
	error = error ? error : w->ask(sql, w);
	sqlite3_close(sql);
	return error;
}

/* What is being written needs its log, and the memory that those share who have it open. */
static int read_all(int dir, const struct want *w)
{
	struct still before = look(dir), after;
	struct stat status;
	int error;

	if (fstatat(dir, INDEX_NAME, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	if (before.is_still) {
		error = read_one(dir, "?immutable=1", w);
		after = look(dir);
		if (is_same(&before, &after))
			return error;
		w->again(w->ctx);
	}
	return read_one(dir, "", w);
}

static int put_in_table(void *ctx, const char *text)
{
	struct index_entry e;

	return index_parse(text, &e) ? index_put(ctx, &e) : INDEX_DB_DAMAGED;
}

static void empty_table(void *ctx)
{
	index_free(ctx);
}

int index_db_read(int dir, struct index_table *t)
{
	int error;

	*t = (struct index_table){ .entry = NULL };
	error = read_all(dir, &(struct want){ ask_all, put_in_table, empty_table, t, NULL });
	if (error)
		index_free(t);
	index_sort(t);
	return error;
}

int index_db_read_some(int dir, struct index_table *t)
{
	int error = index_db_read(dir, t);

	if (error && error != ENOMEM && index_read(dir, t) != 0)
		index_free(t);
	return error == ENOMEM ? error : 0;
}

struct lines {
	char *text;
	size_t bytes;
	FILE *to;
};

static int print_line(void *ctx, const char *text)
{
	struct lines *l = ctx;

	return fprintf(l->to, "%s\n", text) > 0 ? 0 : ENOMEM;
}

static void print_again(void *ctx)
{
	rewind(((struct lines *)ctx)->to);
}

/* Of each run the last line counts. */
static void keep_printed(void *ctx)
{
	(void)ctx;
}

/* The kind of the machine's latest run; *kind is "" if there is none. */
static int latest_kind(sqlite3 *sql, const char *uuid, char kind[KIND_MAX])
{
	sqlite3_stmt *s = NULL;
	struct index_entry e;
	int code = sqlite3_prepare_v2(sql,
				      "SELECT entry, crc FROM runs WHERE uuid = ? "
				      "ORDER BY place DESC LIMIT 1",
				      -1, &s, NULL);
	int error = 0;

	*kind = '\0';
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(s, 1, uuid, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_step(s);
	if (code == SQLITE_ROW) {
		const char *text = entry_of(s, 0);

		if (text && index_parse(text, &e))
			kind_of(&e.summary, kind);
		else
			error = INDEX_DB_DAMAGED;
	}
	sqlite3_finalize(s);
	return error ? error : error_of(code);
}

/* How many other machines of that kind have which configuration, and one that has. */
static int print_peers(sqlite3 *sql, const struct want *w)
{
	static const char query[] = "SELECT config, count(*), min(uuid COLLATE BINARY) FROM runs "
				    "WHERE kind = ? AND config <> '' AND uuid <> ? GROUP BY config";
	struct lines *l = w->ctx;
	sqlite3_stmt *s = NULL;
	char kind[KIND_MAX];
	int code, error = latest_kind(sql, w->uuid, kind);

	if (error || !*kind)
		return error;
	code = sqlite3_prepare_v2(sql, query, -1, &s, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(s, 1, kind, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(s, 2, w->uuid, -1, SQLITE_STATIC);
	while (code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
		fprintf(l->to, INDEX_PEERS "%s %lld %s\n", sqlite3_column_text(s, 0),
			(long long)sqlite3_column_int64(s, 1), sqlite3_column_text(s, 2));
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return error_of(code);
}

static int ask_machine(sqlite3 *sql, const struct want *w)
{
	int error = each_entry(sql, "SELECT entry, crc FROM runs WHERE uuid = ?", w);

	if (!error)
		error = each_entry(sql, "SELECT entry, crc FROM runs WHERE uuid = '' AND ?1 <> ''",
				   w);
	return error ? error : print_peers(sql, w);
}

/*
 * Of each machine the latest run: its figures, or its entry where there are none. Where some runs'
 * places are certain and others not, who reads them finds the latest: all of the machine.
 */
static int ask_latest(sqlite3 *sql, const struct want *w)
{
	static const char query[] =
		"SELECT entry, crc, figures, figures_crc FROM runs JOIN (SELECT max(place) AS last "
		"FROM runs WHERE uuid <> '' GROUP BY uuid HAVING min(guessed) = max(guessed)) "
		"ON place = last";
	struct lines *l = w->ctx;
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(sql, query, -1, &s, NULL), error = 0;
	char runs[32];

	while (!error && code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
		bool has_none = sqlite3_column_bytes(s, 2) == 0;
		const char *text = entry_of(s, has_none ? 0 : 2);

		error = text ? 0 : INDEX_DB_DAMAGED;
		fprintf(l->to, "%s%s\n", has_none ? "" : INDEX_FIGURES, text ? text : "");
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	error = error ? error : error_of(code);
	if (!error)
		error = each_entry(sql,
				   "SELECT entry, crc FROM runs WHERE uuid = '' OR uuid IN "
				   "(SELECT uuid FROM runs WHERE uuid <> '' GROUP BY uuid "
				   "HAVING min(guessed) <> max(guessed)) AND ?1 = ''",
				   w);
	error = error ? error : ask(sql, "SELECT count(*) FROM runs", runs, sizeof(runs));
	fprintf(l->to, INDEX_RUNS "%s\n", runs);
	return error;
}

static int print(int dir, struct want *w, FILE *to)
{
	struct lines l = { .text = NULL };
	int error;

	l.to = open_memstream(&l.text, &l.bytes);
	if (!l.to)
		return ENOMEM;
	w->ctx = &l;
	error = read_all(dir, w);
	if (fclose(l.to) != 0 && !error)
		error = ENOMEM;
	if (!error && fwrite(l.text, 1, l.bytes, to) != l.bytes)
		error = EIO;
	free(l.text);
	return error;
}

int index_db_print(int dir, const char *uuid, FILE *to)
{
	enum index_whole before = uuid ? index_whole_is(dir) : INDEX_WHOLE_NOT;
	struct lines l = { .to = to };
	const struct want all = { ask_all, print_line, keep_printed, &l, NULL };
	const struct want latest = { ask_latest, print_line, keep_printed, &l, uuid };
	struct want one = { ask_machine, print_line, print_again, NULL, uuid };
	int error;

	if (before == INDEX_WHOLE_NOT)
		return read_all(dir, &all);
	error = *uuid ? print(dir, &one, to) : read_all(dir, &latest);
	if (!error && (before == INDEX_WHOLE_CLAIMED || index_whole_is(dir) == before))
		fputs(INDEX_WHOLE "\n", to);
	return error;
}
