/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows have the places of their runs; that of all has none. */
#include "forwarding.h"

#include "forwarded.h"

#include "host/lib/text_sanitize.h"
#include "host/store/index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define PLACE_OF_ALL 0

/* ---- Rows ---- */

static uint32_t crc_of(uint64_t place, const struct index_forward *state)
{
	char text[INDEX_FORWARD_WHY + 100];

	return index_sql_crc(text,
			     snprintf(text, sizeof(text), "%" PRIu64 " %s %" PRIu64 " %s", place,
				      index_forward_name(state->state), state->next, state->why));
}

static const char *text_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

int forwarding_take(sqlite3_stmt *s, int column, struct index_forward *state)
{
	uint64_t place = (uint64_t)sqlite3_column_int64(s, column);

	state->state = index_forward_named(text_of(s, column + 1));
	state->next = (uint64_t)sqlite3_column_int64(s, column + 2);
	snprintf(state->why, sizeof(state->why), "%s", text_of(s, column + 3));
	return state->state != INDEX_FORWARD_STATES &&
			       crc_of(place, state) == (uint32_t)sqlite3_column_int64(s, column + 4)
		       ? 0
		       : INDEX_DB_DAMAGED;
}

static int step(sqlite3_stmt *s)
{
	return index_sql_error(sqlite3_step(s));
}

/* With `put` it replaces what there is, with `add` it does not. */
static int write_row(sqlite3_stmt *s, uint64_t place, const struct index_forward *state)
{
	struct index_forward clean = *state;
	int error;

	text_sanitize_ascii(clean.why, sizeof(clean.why), state->why);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)place);
	sqlite3_bind_text(s, 2, index_forward_name(clean.state), -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)clean.next);
	sqlite3_bind_text(s, 4, clean.why, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 5, crc_of(place, &clean));
	error = step(s);
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return error;
}

int forwarding_add(struct forwarding *f, uint64_t place)
{
	return write_row(f->add, place, &(struct index_forward){ .state = INDEX_FORWARD_WAITING });
}

int forwarding_put(struct forwarding *f, const struct index_forward *state)
{
	uint64_t place = PLACE_OF_ALL;
	int error;

	sqlite3_bind_int64(f->find, 1, (sqlite3_int64)state->sid);
	error = step(f->find);
	if (!error && sqlite3_data_count(f->find))
		place = (uint64_t)sqlite3_column_int64(f->find, 0);
	sqlite3_reset(f->find);
	return error || place == PLACE_OF_ALL ? error : write_row(f->put, place, state);
}

int forwarding_put_all(struct forwarding *f, const struct index_forward *state)
{
	return write_row(f->put, PLACE_OF_ALL, state);
}

int forwarding_drop(struct forwarding *f, uint64_t place)
{
	int error;

	sqlite3_bind_int64(f->drop, 1, (sqlite3_int64)place);
	error = step(f->drop);
	sqlite3_reset(f->drop);
	return error;
}

static int prepare(sqlite3 *sql, const char *text, sqlite3_stmt **s)
{
	return index_sql_error(
		sqlite3_prepare_v3(sql, text, -1, SQLITE_PREPARE_PERSISTENT, s, NULL));
}

#define COLUMNS "INTO forwarding(place, state, next, why, crc) VALUES(?, ?, ?, ?, ?)"

int forwarding_prepare(struct forwarding *f, sqlite3 *sql)
{
	int error;

	f->sql = sql;
	error = prepare(sql, "SELECT place FROM runs WHERE sid = ?", &f->find);
	error = error ? error : prepare(sql, "INSERT OR IGNORE " COLUMNS, &f->add);
	error = error ? error : prepare(sql, "REPLACE " COLUMNS, &f->put);
	return error ? error : prepare(sql, "DELETE FROM forwarding WHERE place = ?", &f->drop);
}

void forwarding_finalize(struct forwarding *f)
{
	sqlite3_finalize(f->find);
	sqlite3_finalize(f->add);
	sqlite3_finalize(f->put);
	sqlite3_finalize(f->drop);
}

static int take_first(void *ctx, sqlite3_stmt *s)
{
	return forwarding_take(s, 0, ctx);
}

int forwarding_of_all(sqlite3 *sql, struct index_forward *state)
{
	*state = (struct index_forward){ .state = INDEX_FORWARD_WAITING };
	return index_sql_each(sql,
			      "SELECT place, state, next, why, crc FROM forwarding WHERE place = 0",
			      NULL, NULL, take_first, state);
}

/* ---- By the list in the folder ---- */

/* Row by row: an empty table would be written if all of it were dropped. */
static int forget_all(struct forwarding *f)
{
	return index_sql_error(
		sqlite3_exec(f->sql, "DELETE FROM forwarding WHERE place >= 0", NULL, NULL, NULL));
}

static int add_ended(void *ctx, sqlite3_stmt *s)
{
	const char *text = index_sql_entry(s, 0);
	struct index_entry e;

	if (!text || !index_parse(text, &e))
		return INDEX_DB_DAMAGED;
	return e.summary.ended ? forwarding_add(ctx, e.place) : 0;
}

/* Runs that have ended have a row, since the collector forwards from now on. */
static int add_missing(struct forwarding *f)
{
	return index_sql_each(
		f->sql,
		"SELECT entry, crc FROM runs WHERE place IN (SELECT place FROM runs WHERE NOT "
		"EXISTS (SELECT 1 FROM forwarding WHERE forwarding.place = runs.place))",
		NULL, NULL, add_ended, f);
}

struct settling {
	struct forwarding *f;
	struct forwarded list;
};

/* The list has the last word, but not on what is the matter with those that wait. */
static int settle_one(void *ctx, sqlite3_stmt *s)
{
	const struct settling *all = ctx;
	struct index_forward state = { .sid = (uint64_t)sqlite3_column_int64(s, 0) };
	enum index_forward_state wanted = forwarded_state(&all->list, state.sid);
	uint64_t place = (uint64_t)sqlite3_column_int64(s, 1);
	int error = forwarding_take(s, 1, &state);

	if (error || state.state == wanted)
		return error;
	return write_row(all->f->put, place, &(struct index_forward){ .state = wanted });
}

/* From one index of `runs` to the small rows: those of `runs` are not read. */
static int settle_all(struct settling *all)
{
	return index_sql_each(
		all->f->sql,
		"SELECT r.sid, f.place, f.state, f.next, f.why, f.crc FROM runs r CROSS JOIN "
		"forwarding f ON f.place = r.place",
		NULL, NULL, settle_one, all);
}

int forwarding_settle(struct forwarding *f, int dir)
{
	struct settling all = { .f = f };
	int error;

	if (dir < 0)
		return forget_all(f);
	error = forwarded_read(dir, &all.list);
	error = error ? error : forwarding_drop(f, PLACE_OF_ALL);
	error = error ? error : add_missing(f);
	error = error ? error : settle_all(&all);
	forwarded_free(&all.list);
	return error;
}
