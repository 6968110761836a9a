/* SPDX-License-Identifier: BSD-2-Clause */
/* For those that read, whether or not one writes. */
#define _GNU_SOURCE /* open_memstream */
#include "index_sql.h"
#include "index_whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
		     fstatat(dir, INDEX_NAME "-wal", &log, AT_SYMLINK_NOFOLLOW) != 0 &&
		     fstatat(dir, INDEX_NAME "-journal", &log, AT_SYMLINK_NOFOLLOW) != 0;
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
		const char *text = index_sql_entry(s, 0);

		error = text ? w->entry(w->ctx, text) : INDEX_DB_DAMAGED;
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return error ? error : index_sql_error(code);
}

static int ask_all(sqlite3 *sql, const struct want *w)
{
	return each_entry(sql, "SELECT entry, crc FROM runs", w);
}

static int read_one(int dir, const char *how, const struct want *w)
{
	sqlite3 *sql;
	int error = index_sql_connect(dir, SQLITE_OPEN_READONLY, how, &sql);

	error = error ? error : index_sql_check(sql);
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
static int latest_kind(sqlite3 *sql, const char *uuid, char kind[INDEX_KIND_MAX])
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
		const char *text = index_sql_entry(s, 0);

		if (text && index_parse(text, &e))
			index_sql_kind(&e.summary, kind);
		else
			error = INDEX_DB_DAMAGED;
	}
	sqlite3_finalize(s);
	return error ? error : index_sql_error(code);
}

/* How many other machines of that kind have which configuration, and one that has. */
static int print_peers(sqlite3 *sql, const struct want *w)
{
	static const char query[] = "SELECT config, count(*), min(uuid COLLATE BINARY) FROM runs "
				    "WHERE kind = ? AND config <> '' AND uuid <> ? GROUP BY config";
	struct lines *l = w->ctx;
	sqlite3_stmt *s = NULL;
	char kind[INDEX_KIND_MAX];
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
	return index_sql_error(code);
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
		const char *text = index_sql_entry(s, has_none ? 0 : 2);

		error = text ? 0 : INDEX_DB_DAMAGED;
		fprintf(l->to, "%s%s\n", has_none ? "" : INDEX_FIGURES, text ? text : "");
		code = SQLITE_OK;
	}
	sqlite3_finalize(s);
	error = error ? error : index_sql_error(code);
	if (!error)
		error = each_entry(sql,
				   "SELECT entry, crc FROM runs WHERE uuid = '' OR uuid IN "
				   "(SELECT uuid FROM runs WHERE uuid <> '' GROUP BY uuid "
				   "HAVING min(guessed) <> max(guessed)) AND ?1 = ''",
				   w);
	error = error ? error : index_sql_ask(sql, "SELECT count(*) FROM runs", runs, sizeof(runs));
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
