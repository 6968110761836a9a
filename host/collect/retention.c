/* SPDX-License-Identifier: BSD-2-Clause */
/* One query puts the runs that are to be removed into a table of the connection. */
#include "retention.h"

#include "service/service.h"

#include "host/lib/monotonic.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/units.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A time in which nothing was received counts as at most 1 / QUIET_PART of the limit. */
#define QUIET_PART 4

#define EVERY_NS (600 * NS_PER_S)
#define AGAIN_NS (10 * NS_PER_S) /* after an error */

bool retention_parse(const char *text, struct retention_limits *limits)
{
	static const struct {
		char letter;
		bool is_age;
		uint64_t scale;
	} units[] = {
		{ 'h', true, 3600 },
		{ 'd', true, 86400 },
		{ 'w', true, 7 * 86400 },
		{ 'K', false, UINT64_C(1) << 10 },
		{ 'M', false, UINT64_C(1) << 20 },
		{ 'G', false, UINT64_C(1) << 30 },
		{ 'T', false, UINT64_C(1) << 40 },
	};
	size_t bytes = strlen(text);
	uint64_t number;

	if (!bytes || units_parse_u64(text, bytes - 1, &number) != UNITS_OK)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t least = units[i].is_age ? RETENTION_LEAST_S : 1;

		if (text[bytes - 1] != units[i].letter)
			continue;
		if (number > UINT64_MAX / units[i].scale || number * units[i].scale < least)
			return false;
		*(units[i].is_age ? &limits->age_s : &limits->bytes) = number * units[i].scale;
		return true;
	}
	return false;
}

bool retention_believes(struct retention_clock *clock, uint64_t now, uint64_t boot_s)
{
	int64_t ahead_s = (int64_t)(now - boot_s), moved_s = ahead_s - clock->ahead_s;

	if (clock->is_known && (moved_s >= RETENTION_STEP_S || moved_s <= -RETENTION_STEP_S))
		clock->again_s = boot_s + RETENTION_LEAST_S;
	clock->is_known = true;
	clock->ahead_s = ahead_s;
	return boot_s >= clock->again_s;
}

/* ---- Runs to be removed ---- */

#define GOING                                                                              \
	"CREATE TEMP TABLE IF NOT EXISTS going(id INTEGER PRIMARY KEY, sid, bytes, host, " \
	"uuid, is_own); DELETE FROM going;"

/*
 * A clock that was set back leaves times in the future, which count as now. Ages are summed from
 * the newest run to the oldest, over the times between them; bytes from the oldest on.
 */
#define CHOOSE                                                                                  \
	"WITH heard AS (SELECT run AS id, bytes, min(heard_s, %llu) AS at FROM progress), "     \
	"apart AS (SELECT id, bytes, at, min(lag(at, 1, %llu) OVER w - at, %llu) AS gap "       \
	"FROM heard WINDOW w AS (ORDER BY at DESC, id DESC)), "                                 \
	"aged AS (SELECT id, bytes, at, sum(gap) OVER (ORDER BY at DESC, id DESC ROWS "         \
	"UNBOUNDED PRECEDING) AS age FROM apart), "                                             \
	"free AS (SELECT aged.id, sid, bytes, host, CASE owner WHEN '' THEN uuid ELSE owner "   \
	"END AS uuid, owner<>'' AS is_own, age, sum(bytes) OVER (ORDER BY aged.id ROWS "        \
	"UNBOUNDED PRECEDING) - bytes AS before FROM aged JOIN run ON run.id = aged.id WHERE "  \
	"at + CASE WHEN ended THEN %llu ELSE %llu END <= %llu AND NOT latest AND (uuid='' OR "  \
	"aged.id < (SELECT max(id) FROM run AS other WHERE other.uuid = run.uuid)) AND (%d OR " \
	"NOT ended OR forward_state IS NOT NULL)) "                                             \
	"INSERT INTO going SELECT id, sid, bytes, host, uuid, is_own FROM free "                \
	"WHERE age >= %llu OR (SELECT sum(bytes) FROM progress) - before > %llu"

typedef unsigned long long number;

static number or_none(uint64_t limit)
{
	return limit ? limit : INT64_MAX;
}

int retention_choose(struct store *s, const struct retention *r, uint64_t now,
		     struct retention_choice *choice)
{
	const struct retention_limits *limits = &r->limits;
	uint64_t last_s = 0, left = 0;
	int error = store_run_sql(s, GOING);

	*choice = (struct retention_choice){ .count = 0 };
	error = error ? error
		      : store_do(s, CHOOSE, (number)now, (number)now,
				 or_none(limits->age_s / QUIET_PART), (number)RETENTION_LEAST_S,
				 (number)RETENTION_UNENDED_S, (number)now, !r->must_forward,
				 or_none(limits->age_s), or_none(limits->bytes));
	error = error ? error : store_number(s, "SELECT count(*) FROM going", &choice->count);
	error = error ? error : store_number(s, "SELECT max(heard_s) FROM progress", &last_s);
	error = error ? error
		      : store_number(s,
				     "SELECT total(bytes) FROM progress WHERE run NOT IN "
				     "(SELECT id FROM going)",
				     &left);
	if (limits->bytes && left > limits->bytes)
		choice->over = left - limits->bytes;
	if (limits->age_s && last_s && now > last_s && now - last_s >= limits->age_s)
		choice->quiet_s = now - last_s;
	return error;
}

/* ---- Steps ---- */

static void report(struct retention *r, const struct retention_choice *choice)
{
	if (choice->over)
		service_log(LOG_WARNING,
			    "--keep: %" PRIu64 " bytes too many, of runs that have not ended, are "
			    "not forwarded, ended within 2 h, or are the latest of a machine",
			    choice->over);
	if (choice->quiet_s && !r->is_silent)
		service_log(LOG_WARNING,
			    "--keep: nothing was received for %" PRIu64 " h, or the clock has "
			    "jumped: a quarter of the limit counts",
			    choice->quiet_s / 3600);
	r->is_silent = choice->quiet_s;
}

/* CLOCK_BOOTTIME includes the time that the system was suspended. */
static int choose(struct retention *r, struct store *s)
{
	uint64_t now = (uint64_t)time(NULL);
	struct retention_choice choice;
	struct timespec boot;
	int error;

	r->due_ns = monotonic_ns() + EVERY_NS;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (!retention_believes(&r->clock, now, (uint64_t)boot.tv_sec)) {
		service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
		return 0;
	}
	error = retention_choose(s, r, now, &choice);
	if (error)
		return error;
	report(r, &choice);
	r->left = choice.count;
	r->removed = r->removed_bytes = 0;
	r->sweeps = true;
	return 0;
}

static int read_going(void *ctx, sqlite3_stmt *row)
{
	struct retention *r = ctx;
	struct retention_run *run = &r->gone[r->gone_count++];
	const char *sid = (const char *)sqlite3_column_text(row, 1);

	*run = (struct retention_run){ .id = (uint64_t)sqlite3_column_int64(row, 0),
				       .sid = sid ? strtoull(sid, NULL, 16) : 0,
				       .bytes = (uint64_t)sqlite3_column_int64(row, 2),
				       .is_own = sqlite3_column_int(row, 5) };
	text_sanitize_ascii(run->host, sizeof(run->host),
			    (const char *)sqlite3_column_text(row, 3));
	text_sanitize_ascii(run->uuid, sizeof(run->uuid),
			    (const char *)sqlite3_column_text(row, 4));
	return 0;
}

/* Remove the runs of `gone`. A run to which lines came meanwhile stays, and leaves `gone`. */
static int remove_gone(struct retention *r, struct store *s)
{
	size_t count = r->gone_count;
	int error = 0;

	r->gone_count = 0;
	for (size_t i = 0; i < count && !error; i++) {
		error = store_remove(s, r->gone[i].id, r->gone[i].bytes);
		if (!error)
			r->gone[r->gone_count++] = r->gone[i];
		else if (error == STORE_CHANGED)
			error = 0;
	}
	return error;
}

static void log_gone(struct retention *r)
{
	r->removed += r->gone_count;
	for (size_t i = 0; i < r->gone_count; i++) {
		const struct retention_run *run = &r->gone[i];

		r->removed_bytes += run->bytes;
		if (!r->quiet)
			service_log(LOG_INFO, "%s: run %016" PRIx64 " removed",
				    *run->uuid ? run->uuid : "unknown", run->sid);
	}
	if (!r->left && r->removed)
		service_log(LOG_INFO, "--keep: %" PRIu64 " runs removed, %" PRIu64 " bytes",
			    r->removed, r->removed_bytes);
}

#define FIRST "FROM going ORDER BY id LIMIT 64" /* RETENTION_EACH */

static int remove_some(struct retention *r, struct store *s)
{
	uint64_t chosen;
	int error = store_begin(s);

	if (error)
		return error;
	error = store_ask(s, "SELECT * " FIRST, NULL, read_going, r);
	chosen = r->gone_count;
	error = error ? error : remove_gone(r, s);
	error = error ? error
		      : store_run_sql(s, "DELETE FROM going WHERE id IN (SELECT id " FIRST ")");
	error = store_end(s, error);
	if (error) {
		r->gone_count = 0;
	} else {
		r->left -= arith_min(chosen, r->left);
		log_gone(r);
	}
	return error;
}

static int sweep(struct retention *r, struct store *s)
{
	int error = store_begin(s);

	return error ? error : store_end(s, store_sweep(s, &r->sweeps));
}

bool retention_is_due(const struct retention *r)
{
	return r->left || r->sweeps || monotonic_ns() >= r->due_ns;
}

void retention_work(struct retention *r, struct store *s)
{
	int error;

	r->gone_count = 0;
	if (r->left)
		error = remove_some(r, s);
	else
		error = r->sweeps ? sweep(r, s) : choose(r, s);
	if (!error)
		return;
	service_log(LOG_ERR, "--keep: " STORE_NAME ": %s", store_why(error));
	r->due_ns = monotonic_ns() + AGAIN_NS;
	r->left = 0;
	r->sweeps = false;
}
