/* SPDX-License-Identifier: BSD-2-Clause */
/* What the one that writes does with it. */
#include "index_db.h"

#include "forwarding.h"
#include "index_sql.h"

#include "host/lib/order.h"
#include "host/store/files.h"
#include "host/store/index_order.h"

#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Runs' files that are read in one transaction. */
#define FILLED_AT_ONCE 100

struct index_db {
	sqlite3 *sql;
	int dir;
	ino_t inode;
	bool was_made, forwards;
	struct forwarding forwarding;
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

/* ---- Writing ---- */

static int run(struct index_db *db, const char *statements)
{
	return index_sql_error(sqlite3_exec(db->sql, statements, NULL, NULL, NULL));
}

/* Its first row, or none; to be reset. */
static int step(sqlite3_stmt *s)
{
	return index_sql_error(sqlite3_step(s));
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
		const char *text = index_sql_entry(db->find, 0);

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
	sqlite3_bind_int64(db->put, 7, index_sql_crc(text, bytes));
	sqlite3_bind_int(db->put, 8, e->is_guessed);
	error = step(db->put);
	sqlite3_reset(db->put);
	sqlite3_clear_bindings(db->put);
	free(text);
	return error;
}

static int put(struct index_db *db, struct index_entry *e)
{
	char kind[INDEX_KIND_MAX];
	bool found, is_latest = false;
	int error = take_old(db, e, &found);

	if (!error && !found) {
		e->place = ++db->place;
		e->began = e->began ? e->began : e->at;
	}
	index_sql_kind(&e->summary, kind);
	error = error ? error : take_kind(db, e, kind, &is_latest);
	error = error ? error : put_row(db, e, is_latest ? kind : NULL);
	return error || !db->forwards || !e->summary.ended
		       ? error
		       : forwarding_add(&db->forwarding, e->place);
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
	char found[INDEX_KIND_MAX] = "";
	struct index_entry e = { .place = 0 };
	bool is_found = false;
	int error;

	sqlite3_bind_text(db->of_machine, 1, uuid, -1, SQLITE_STATIC);
	while (!(error = step(db->of_machine)) && !is_found && sqlite3_data_count(db->of_machine)) {
		const char *text = index_sql_entry(db->of_machine, 0);

		if (!text || !index_parse(text, &e)) {
			error = INDEX_DB_DAMAGED;
			break;
		}
		index_sql_kind(&e.summary, found);
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
	char uuid[SUMMARY_TEXT] = "", kind[INDEX_KIND_MAX] = "";
	uint64_t place = 0;
	int error;

	bind_sid(db->whose, 1, sid);
	error = step(db->whose);
	if (!error && sqlite3_data_count(db->whose)) {
		copy_column(db->whose, 0, uuid, sizeof(uuid));
		copy_column(db->whose, 1, kind, sizeof(kind));
		place = (uint64_t)sqlite3_column_int64(db->whose, 2);
	}
	sqlite3_reset(db->whose);
	if (error || !place)
		return error;
	bind_sid(db->drop, 1, sid);
	error = step(db->drop);
	sqlite3_reset(db->drop);
	error = error ? error : forwarding_drop(&db->forwarding, place);
	return error || !*kind ? error : give_kind(db, uuid, kind);
}

static int commit(struct index_db *db, int error)
{
	error = error ? error : run(db, "COMMIT");
	if (error)
		run(db, "ROLLBACK");
	return error;
}

static int apply(struct index_db *db, struct index_db_change *c)
{
	switch (c->what) {
	case INDEX_DB_GONE:
		return drop(db, c->entry.sid);
	case INDEX_DB_FORWARD:
		return forwarding_put(&db->forwarding, &c->forward);
	case INDEX_DB_FORWARD_ALL:
		return forwarding_put_all(&db->forwarding, &c->forward);
	default:
		return put(db, &c->entry);
	}
}

int index_db_write(struct index_db *db, const struct index_db_changes *changes)
{
	int error = run(db, "BEGIN IMMEDIATE");
	struct index_db_change *c;

	for (c = STAILQ_FIRST(changes); c && !error; c = STAILQ_NEXT(c, next))
		error = apply(db, c);
	return commit(db, error);
}

static int next_lacking(struct index_db *db, struct index_entry *e, bool *found)
{
	int error = step(db->lacking);

	*found = !error && sqlite3_data_count(db->lacking);
	if (*found) {
		const char *text = index_sql_entry(db->lacking, 0);

		error = text && index_parse(text, e) ? 0 : INDEX_DB_DAMAGED;
	}
	sqlite3_reset(db->lacking);
	return error;
}

static int fill(struct index_db *db, const struct index_entry *e, const char *figures)
{
	int bytes = (int)strlen(figures), error;

	sqlite3_bind_text(db->fill, 1, figures, bytes, SQLITE_STATIC);
	sqlite3_bind_int64(db->fill, 2, index_sql_crc(figures, bytes));
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
	time_t when;

	if (!e.summary.ended && store_read(db->dir, e.sid, &kept) == 0 &&
	    (kept.summary.ended || strcmp(e.summary.uuid, kept.summary.uuid) != 0)) {
		e.summary = kept.summary;
		when = store_status(db->dir, e.sid).st_mtime;
		if (when > 0)
			e.at = (uint64_t)when;
	}
	return put(db, &e);
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
	return index_sql_error(
		sqlite3_prepare_v3(sql, statement, -1, SQLITE_PREPARE_PERSISTENT, s, NULL));
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
		{ &db->whose, "SELECT uuid, kind, place FROM runs WHERE sid = ?" },
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
	return error ? error : forwarding_prepare(&db->forwarding, db->sql);
}

/* Its rows to the file itself. What still has to be read of it stays. */
static void shorten_log(struct index_db *db)
{
	if (db->sql)
		sqlite3_wal_checkpoint_v2(db->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

/*
 * Without a log, who opens it makes no files in the folder, whose time would change. While another
 * process has it open the log stays.
 */
static void end_log(struct index_db *db)
{
	shorten_log(db);
	if (db->sql)
		run(db, "PRAGMA busy_timeout=0; PRAGMA journal_mode=DELETE");
}

/* Whole or not at all, as one that is there is not made again. */
static int make(struct index_db *db)
{
	int error = run(db, "BEGIN IMMEDIATE; PRAGMA application_id=" INDEX_SQL_APPLICATION
			    "; PRAGMA user_version=" INDEX_SQL_VERSION);

	for (size_t i = 0; i < INDEX_SQL_TABLES && !error; i++)
		error = run(db, index_sql_tables[i]);
	error = error ? error : prepare_all(db);
	error = error ? error : put_all(db);
	error = commit(db, error);
	db->was_made = true;
	shorten_log(db);
	return error;
}

static int check_row(void *ctx, sqlite3_stmt *s)
{
	(void)ctx;
	return index_sql_entry(s, 0) ? 0 : INDEX_DB_DAMAGED;
}

/* Every row, too, as what follows takes them as they are. */
static int check_rows(sqlite3 *sql)
{
	return index_sql_each(sql, "SELECT entry, crc FROM runs", NULL, NULL, check_row, NULL);
}

static int check(struct index_db *db)
{
	char last[32];
	int error = index_sql_upgrade(db->sql);

	error = error ? error : index_sql_check(db->sql);
	error = error ? error : index_sql_compare(db->sql, "PRAGMA quick_check(1)", "ok");
	error = error ? error : check_rows(db->sql);
	error = error ? error
		      : index_sql_ask(db->sql, "SELECT max(place) FROM runs", last, sizeof(last));
	db->place = error ? 0 : strtoull(last, NULL, 10);
	return error ? error : prepare_all(db);
}

static int settle(struct index_db *db)
{
	int error = run(db, "BEGIN IMMEDIATE");

	error = error ? error : forwarding_settle(&db->forwarding, db->forwards ? db->dir : -1);
	return commit(db, error);
}

static int open_one(struct index_db *db)
{
	struct stat status;
	int error = index_sql_connect(db->dir, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "",
				      &db->sql);

	error = error ? error : run(db, "PRAGMA synchronous=NORMAL");
	if (error)
		return error;
	error = index_sql_compare(db->sql, "SELECT count(*) FROM sqlite_master", "0");
	error = error ? error : index_sql_compare(db->sql, "PRAGMA application_id", "0");
	error = !error ? make(db) : error == INDEX_DB_DAMAGED ? check(db) : error;
	error = error ? error : run(db, "PRAGMA journal_mode=WAL");
	error = error ? error : settle(db);
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
	forwarding_finalize(&db->forwarding);
	sqlite3_close(db->sql);
	*db = (struct index_db){ .dir = db->dir, .forwards = db->forwards };
}

int index_db_open(int dir, bool forwards, struct index_db **db)
{
	struct index_db *d = calloc(1, sizeof(*d));
	int error = ENOMEM;

	*db = d;
	if (d) {
		d->dir = dir;
		d->forwards = forwards;
		error = open_one(d);
	}
	if (error == INDEX_DB_DAMAGED) {
		close_one(d);
		error = index_sql_set_aside(dir);
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

void index_db_let_go(struct index_db *db)
{
	if (!db)
		return;
	close_one(db);
	free(db);
}

void index_db_close(struct index_db *db)
{
	if (db)
		end_log(db);
	index_db_let_go(db);
}
