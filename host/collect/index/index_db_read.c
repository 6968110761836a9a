/* SPDX-License-Identifier: BSD-2-Clause */
/* For those that read, whether or not one writes. */
#define _GNU_SOURCE /* open_memstream */
#include "forwarding.h"
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

/* What is wanted of it, by whom. */
struct want {
	int (*ask)(sqlite3 *sql, const struct want *w);
	/* One of both: each entry as it is there, or parsed. */
	int (*text)(void *ctx, const char *text);
	int (*entry)(void *ctx, const struct index_entry *e);
	void (*again)(void *ctx); /* forget what there was so far */
	void *ctx;
	const char *uuid;
};

static int take_entry(void *ctx, sqlite3_stmt *s)
{
	const struct want *w = ctx;
	const char *text = index_sql_entry(s, 0);
	struct index_entry e;

	if (text && w->text)
		return w->text(w->ctx, text);
	return text && index_parse(text, &e) ? w->entry(w->ctx, &e) : INDEX_DB_DAMAGED;
}

static int each_entry(sqlite3 *sql, const char *query, const struct want *w)
{
	return index_sql_each(sql, query, w->uuid, NULL, take_entry, (void *)w);
}

static int ask_runs(sqlite3 *sql, const struct want *w)
{
	return each_entry(sql, "SELECT entry, crc FROM runs WHERE uuid = ?", w);
}

static int ask_all(sqlite3 *sql, const struct want *w)
{
	return index_sql_each(sql, "SELECT entry, crc FROM runs", NULL, NULL, take_entry,
			      (void *)w);
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

/* ---- As entries ---- */

static int put_in_table(void *ctx, const struct index_entry *e)
{
	return index_put(ctx, e);
}

static void empty_table(void *ctx)
{
	index_free(ctx);
}

static int read_table(int dir, int (*ask)(sqlite3 *sql, const struct want *w), const char *uuid,
		      struct index_table *t)
{
	int error;

	*t = (struct index_table){ .entry = NULL };
	error = read_all(dir, &(struct want){ .ask = ask,
					      .entry = put_in_table,
					      .again = empty_table,
					      .ctx = t,
					      .uuid = uuid });
	if (error)
		index_free(t);
	index_sort(t);
	return error;
}

int index_db_read(int dir, struct index_table *t)
{
	return read_table(dir, ask_all, NULL, t);
}

int index_db_read_machine(int dir, const char *uuid, struct index_table *t)
{
	return read_table(dir, ask_runs, uuid, t);
}

int index_db_read_some(int dir, struct index_table *t)
{
	int error = index_db_read(dir, t);

	if (error && error != ENOMEM && index_read(dir, t) != 0)
		index_free(t);
	return error == ENOMEM ? error : 0;
}

int index_db_each(int dir, int (*take)(void *ctx, const struct index_entry *e),
		  void (*again)(void *ctx), void *ctx)
{
	return read_all(
		dir, &(struct want){ .ask = ask_all, .entry = take, .again = again, .ctx = ctx });
}

struct index_db_finder {
	sqlite3 *sql;
	sqlite3_stmt *find;
};

struct index_db_finder *index_db_finder_new(int dir)
{
	struct index_db_finder *f = calloc(1, sizeof(*f));
	int error = ENOMEM;

	if (f)
		error = index_sql_connect(dir, SQLITE_OPEN_READONLY, "", &f->sql);
	error = error ? error : index_sql_check(f->sql);
	if (!error)
		error = index_sql_error(sqlite3_prepare_v2(f->sql,
							   "SELECT entry, crc FROM runs WHERE "
							   "sid = ?",
							   -1, &f->find, NULL));
	if (!error)
		return f;
	index_db_finder_free(f);
	errno = error;
	return NULL;
}

int index_db_finder_find(struct index_db_finder *f, uint64_t sid, struct index_entry *e)
{
	const char *text = NULL;
	int error;

	if (!f)
		return ENOENT;
	sqlite3_bind_int64(f->find, 1, (sqlite3_int64)sid);
	error = index_sql_error(sqlite3_step(f->find));
	if (!error && !sqlite3_data_count(f->find))
		error = ENOENT;
	else if (!error)
		text = index_sql_entry(f->find, 0);
	if (!error && (!text || !index_parse(text, e)))
		error = INDEX_DB_DAMAGED;
	sqlite3_reset(f->find);
	return error;
}

void index_db_finder_free(struct index_db_finder *f)
{
	if (!f)
		return;
	sqlite3_finalize(f->find);
	sqlite3_close(f->sql);
	free(f);
}

struct waiting {
	void (*take)(void *ctx, const struct index_entry *e, enum index_forward_state state);
	void (*again)(void *ctx);
	void *ctx;
};

static int take_waiting(void *ctx, sqlite3_stmt *s)
{
	const struct waiting *w = ctx;
	const char *text = index_sql_entry(s, 0);
	struct index_forward state;
	struct index_entry e;

	if (!text || !index_parse(text, &e) || forwarding_take(s, 2, &state) != 0)
		return INDEX_DB_DAMAGED;
	w->take(w->ctx, &e, state.state);
	return 0;
}

static int ask_waiting(sqlite3 *sql, const struct want *w)
{
	return index_sql_each(sql,
			      "SELECT r.entry, r.crc, f.place, f.state, f.next, f.why, f.crc FROM "
			      "forwarding f CROSS JOIN runs r ON r.place = f.place "
			      "WHERE f.state NOT IN (?, ?) ORDER BY f.place",
			      index_forward_name(INDEX_FORWARD_ACCEPTED),
			      index_forward_name(INDEX_FORWARD_EMPTY), take_waiting, w->ctx);
}

static void wait_again(void *ctx)
{
	const struct waiting *w = ctx;

	w->again(w->ctx);
}

int index_db_read_waiting(int dir,
			  void (*take)(void *ctx, const struct index_entry *e,
				       enum index_forward_state state),
			  void (*again)(void *ctx), void *ctx)
{
	struct waiting waiting = { take, again, ctx };

	return read_all(dir,
			&(struct want){ .ask = ask_waiting, .again = wait_again, .ctx = &waiting });
}

/* ---- As lines ---- */

struct lines {
	FILE *to;
	FILE *once; /* what is to be printed once only, at the end */
	char kind[INDEX_KIND_MAX];
	struct index_forward all; /* what holds up all that wait */
};

static int print_line(void *ctx, const char *text)
{
	struct lines *l = ctx;

	return fprintf(l->to, "%s\n", text) > 0 ? 0 : ENOMEM;
}

/* Of each run the last line counts. */
static void print_again(void *ctx)
{
	rewind(((struct lines *)ctx)->once);
}

static int take_kind(void *ctx, sqlite3_stmt *s)
{
	const char *text = index_sql_entry(s, 0);
	struct lines *l = ctx;
	struct index_entry e;

	if (!text || !index_parse(text, &e))
		return INDEX_DB_DAMAGED;
	index_sql_kind(&e.summary, l->kind);
	return 0;
}

static int print_peer(void *ctx, sqlite3_stmt *s)
{
	struct lines *l = ctx;

	fprintf(l->once, INDEX_PEERS "%s %lld %s\n", sqlite3_column_text(s, 0),
		(long long)sqlite3_column_int64(s, 1), sqlite3_column_text(s, 2));
	return 0;
}

/* How many others of the kind of its latest run have which configuration, and one that has. */
static int print_peers(sqlite3 *sql, const struct want *w)
{
	struct lines *l = w->ctx;
	int error;

	*l->kind = '\0';
	error = index_sql_each(
		sql, "SELECT entry, crc FROM runs WHERE uuid = ? ORDER BY place DESC LIMIT 1",
		w->uuid, NULL, take_kind, l);
	if (error || !*l->kind)
		return error;
	return index_sql_each(sql,
			      "SELECT config, count(*), min(uuid COLLATE BINARY) FROM runs "
			      "WHERE kind = ? AND config <> '' AND uuid <> ? GROUP BY config",
			      l->kind, w->uuid, print_peer, l);
}

/* What holds up all is why those wait that have no reason of their own. */
static int print_forward(void *ctx, sqlite3_stmt *s)
{
	struct lines *l = ctx;
	struct index_forward state = { .sid = (uint64_t)sqlite3_column_int64(s, 0) };
	int error = forwarding_take(s, 1, &state);

	if (state.state == INDEX_FORWARD_WAITING && !*state.why) {
		l->all.sid = state.sid;
		state = l->all;
	}
	if (!error)
		index_forward_print(&state, l->once);
	return error;
}

static int print_forwards(sqlite3 *sql, const struct want *w)
{
	struct lines *l = w->ctx;
	int error = forwarding_of_all(sql, &l->all);

	return error ? error
		     : index_sql_each(
			       sql,
			       "SELECT r.sid, f.place, f.state, f.next, f.why, f.crc FROM runs r "
			       "JOIN forwarding f ON f.place = r.place WHERE r.uuid = ? "
			       "ORDER BY r.place",
			       w->uuid, NULL, print_forward, l);
}

static int ask_machine(sqlite3 *sql, const struct want *w)
{
	int error = ask_runs(sql, w);

	if (!error)
		error = each_entry(sql, "SELECT entry, crc FROM runs WHERE uuid = '' AND ?1 <> ''",
				   w);
	error = error ? error : print_peers(sql, w);
	return error ? error : print_forwards(sql, w);
}

/* Its figures, or its entry where there are none. */
static int print_latest(void *ctx, sqlite3_stmt *s)
{
	struct lines *l = ctx;
	bool has_none = sqlite3_column_bytes(s, 2) == 0;
	const char *text = index_sql_entry(s, has_none ? 0 : 2);

	fprintf(l->to, "%s%s\n", has_none ? "" : INDEX_FIGURES, text ? text : "");
	return text ? 0 : INDEX_DB_DAMAGED;
}

/*
 * Of each machine the latest run. Where some runs' places are certain and others not, who reads
 * them finds the latest: all of the machine.
 */
static int ask_latest(sqlite3 *sql, const struct want *w)
{
	struct lines *l = w->ctx;
	char runs[32];
	int error = index_sql_each(
		sql,
		"SELECT entry, crc, figures, figures_crc FROM runs JOIN (SELECT max(place) AS last "
		"FROM runs WHERE uuid <> '' GROUP BY uuid HAVING min(guessed) = max(guessed)) "
		"ON place = last",
		NULL, NULL, print_latest, l);

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

static int print(int dir, const char *uuid, int (*ask)(sqlite3 *sql, const struct want *w),
		 FILE *to)
{
	char *text = NULL;
	size_t bytes = 0;
	struct lines l = { .to = to, .once = open_memstream(&text, &bytes) };
	int error;

	if (!l.once)
		return ENOMEM;
	error = read_all(dir, &(struct want){ .ask = ask,
					      .text = print_line,
					      .again = print_again,
					      .ctx = &l,
					      .uuid = uuid });
	if (fclose(l.once) != 0 && !error)
		error = ENOMEM;
	if (!error && fwrite(text, 1, bytes, to) != bytes)
		error = EIO;
	free(text);
	return error;
}

int index_db_print(int dir, const char *uuid, FILE *to)
{
	enum index_whole before = uuid ? index_whole_is(dir) : INDEX_WHOLE_NOT;
	int error;

	if (!uuid)
		return print(dir, NULL, ask_all, to);
	if (before == INDEX_WHOLE_NOT)
		return *uuid ? print(dir, uuid, print_forwards, to) : 0;
	error = print(dir, uuid, *uuid ? ask_machine : ask_latest, to);
	if (!error && (before == INDEX_WHOLE_CLAIMED || index_whole_is(dir) == before))
		fputs(INDEX_WHOLE "\n", to);
	return error;
}
