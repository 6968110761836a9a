/* SPDX-License-Identifier: BSD-2-Clause */
/* One query finds the runs that may be removed, with their ages. */
#include "retention.h"

#include "service/service.h"

#include "host/lib/memory.h"
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

/* Of a time in which nothing was received counts this part of the limit at most. */
#define QUIET_PART 4

#define EVERY_NS  (600 * NS_PER_S)
#define AGAIN_NS  (10 * NS_PER_S) /* after an error */
#define RUNS_EACH 64              /* runs per step */

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

/* ---- What goes ---- */

/*
 * A clock that was set back leaves times of the future: no later than now. Ages are summed from the
 * newest run to the oldest, over the times between them.
 */
#define CHOOSE                                                                                  \
	"WITH heard AS (SELECT run AS id, bytes, min(heard_s, %llu) AS at FROM progress), "     \
	"apart AS (SELECT id, bytes, at, min(lag(at, 1, %llu) OVER w - at, %llu) AS gap "       \
	"FROM heard WINDOW w AS (ORDER BY at DESC, id DESC)), "                                 \
	"aged AS (SELECT id, bytes, at, sum(gap) OVER (ORDER BY at DESC, id DESC ROWS "         \
	"UNBOUNDED PRECEDING) AS age FROM apart) "                                              \
	"SELECT aged.id, sid, bytes, host, CASE owner WHEN '' THEN uuid ELSE owner END, age, "  \
	"at + CASE WHEN ended THEN %llu ELSE %llu END <= %llu AND NOT latest AND (uuid='' OR "  \
	"aged.id < (SELECT max(id) FROM run AS other WHERE other.uuid = run.uuid)) AND (%d OR " \
	"NOT ended OR forward_state IS NOT NULL), owner<>'' FROM aged JOIN run ON "             \
	"run.id = aged.id ORDER BY aged.id"

typedef unsigned long long number;

struct choosing {
	const struct retention_question *q;
	struct retention_choice *choice;
	uint64_t total;
};

static int put(struct retention_choice *choice, sqlite3_stmt *row)
{
	struct retention_run *list = memory_try_grow(choice->run, choice->count, sizeof(*list));
	const char *sid = (const char *)sqlite3_column_text(row, 1);
	struct retention_run *run;

	if (!list)
		return ENOMEM;
	choice->run = list;
	run = &list[choice->count++];
	*run = (struct retention_run){ .id = (uint64_t)sqlite3_column_int64(row, 0),
				       .sid = sid ? strtoull(sid, NULL, 16) : 0,
				       .bytes = (uint64_t)sqlite3_column_int64(row, 2) };
	text_sanitize_ascii(run->host, sizeof(run->host),
			    (const char *)sqlite3_column_text(row, 3));
	text_sanitize_ascii(run->uuid, sizeof(run->uuid),
			    (const char *)sqlite3_column_text(row, 4));
	run->is_own = sqlite3_column_int(row, 7);
	choice->bytes += run->bytes;
	return 0;
}

static int take(void *ctx, sqlite3_stmt *row)
{
	struct choosing *c = ctx;
	const struct retention_limits *limits = &c->q->limits;
	bool is_old = limits->age_s && (uint64_t)sqlite3_column_int64(row, 5) >= limits->age_s;
	bool is_much = limits->bytes && c->total > limits->bytes;

	if (!(is_old || is_much) || !sqlite3_column_int(row, 6))
		return 0;
	c->total -= (uint64_t)sqlite3_column_int64(row, 2);
	return put(c->choice, row);
}

int retention_choose(struct store *s, const struct retention_question *q,
		     struct retention_choice *choice)
{
	struct choosing c = { q, choice, 0 };
	uint64_t age_s = q->limits.age_s, last_s = 0;
	char *query;
	int error = store_number(s, "SELECT total(bytes) FROM progress", &c.total);

	*choice = (struct retention_choice){ .count = 0 };
	error = error ? error : store_number(s, "SELECT max(heard_s) FROM progress", &last_s);
	query = sqlite3_mprintf(CHOOSE, (number)q->now, (number)q->now,
				age_s ? (number)(age_s / QUIET_PART) : (number)INT64_MAX,
				(number)RETENTION_LEAST_S, (number)RETENTION_UNENDED_S,
				(number)q->now, !q->must_forward);
	error = error ? error : query ? store_ask(s, query, NULL, take, &c) : ENOMEM;
	sqlite3_free(query);
	if (q->limits.bytes && c.total > q->limits.bytes)
		choice->over = c.total - q->limits.bytes;
	if (age_s && last_s && q->now > last_s && q->now - last_s >= age_s)
		choice->quiet_s = q->now - last_s;
	return error;
}

/* ---- Steps ---- */

static void report(struct retention *r)
{
	const struct retention_choice *choice = &r->choice;

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
	const struct retention_question q = { .limits = r->limits,
					      .now = (uint64_t)time(NULL),
					      .must_forward = r->must_forward };
	struct timespec boot;
	int error;

	r->due_ns = monotonic_ns() + EVERY_NS;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (!retention_believes(&r->clock, q.now, (uint64_t)boot.tv_sec)) {
		service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
		return 0;
	}
	r->next = 0;
	error = retention_choose(s, &q, &r->choice);
	if (!error)
		report(r);
	r->sweeps = !error;
	return error;
}

static void note_removed(struct retention *r, const struct retention_run *run)
{
	*MEMORY_ADD(r->gone, r->gone_count) = *run;
	r->removed++;
	r->removed_bytes += run->bytes;
	if (!r->quiet)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " removed",
			    *run->uuid ? run->uuid : "unknown", run->sid);
}

static int remove_some(struct retention *r, struct store *s)
{
	size_t end = arith_min(r->next + RUNS_EACH, r->choice.count);
	int error = store_begin(s);

	if (error)
		return error;
	for (size_t i = r->next; i < end && !error; i++) {
		struct retention_run *run = &r->choice.run[i];

		error = store_remove(s, run->id, run->bytes);
		/* Lines came meanwhile, so the run stays. */
		if (error == STORE_CHANGED) {
			run->id = 0;
			error = 0;
		}
	}
	error = store_end(s, error);
	for (; r->next < end && !error; r->next++)
		if (r->choice.run[r->next].id)
			note_removed(r, &r->choice.run[r->next]);
	return error;
}

static void end_choice(struct retention *r)
{
	if (r->removed)
		service_log(LOG_INFO, "--keep: %zu runs removed, %" PRIu64 " bytes", r->removed,
			    r->removed_bytes);
	free(r->choice.run);
	r->choice = (struct retention_choice){ .count = 0 };
	r->next = r->removed = 0;
	r->removed_bytes = 0;
}

static int sweep(struct retention *r, struct store *s)
{
	int error = store_begin(s);

	return error ? error : store_end(s, store_sweep(s, &r->sweeps));
}

bool retention_is_due(const struct retention *r)
{
	return r->choice.count || r->sweeps || monotonic_ns() >= r->due_ns;
}

void retention_work(struct retention *r, struct store *s)
{
	int error;

	if (r->choice.count)
		error = remove_some(r, s);
	else
		error = r->sweeps ? sweep(r, s) : choose(r, s);
	if (error) {
		service_log(LOG_ERR, "--keep: " STORE_NAME ": %s", store_why(error));
		r->due_ns = monotonic_ns() + AGAIN_NS;
		r->sweeps = false;
	}
	if (error || r->next == r->choice.count)
		end_choice(r);
}

void retention_free(struct retention *r)
{
	free(r->choice.run);
	free(r->gone);
}
