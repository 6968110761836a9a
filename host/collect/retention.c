/* SPDX-License-Identifier: BSD-2-Clause */
/* One query puts the runs that are to be removed into a table of the connection. */
#include "retention.h"

#include "service/service.h"

#include "host/lib/monotonic.h"
#include "core/lib/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* A time in which nothing was received counts as at most 1 / QUIET_PART of the limit. */
#define QUIET_PART 4

#define EVERY_NS (600 * NS_PER_S)
#define AGAIN_NS (10 * NS_PER_S) /* after an error */

bool retention_parse(const char *text, struct retention_limits *limits)
{
	static const char scales[] = "KMGT";
	size_t bytes = strlen(text);
	const char *scale = bytes ? strchr(scales, text[bytes - 1]) : NULL;
	unsigned shift = scale ? 10 * (unsigned)(scale - scales + 1) : 0;
	uint64_t number;

	if (!scale) {
		if (units_parse_ns(text, bytes, &number) || number / NS_PER_S < RETENTION_LEAST_S)
			return false;
		limits->age_s = number / NS_PER_S;
		return true;
	}
	if (units_parse_u64(text, bytes - 1, &number) || !number || number > UINT64_MAX >> shift)
		return false;
	limits->bytes = number << shift;
	return true;
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

#define GOING                                                                                 \
	"CREATE TEMP TABLE IF NOT EXISTS going(id INTEGER PRIMARY KEY, sid, bytes, host, "    \
	"uuid, is_own); CREATE TEMP TABLE IF NOT EXISTS gone AS SELECT * FROM going; DELETE " \
	"FROM going;"

/*
 * A clock that was set back leaves times in the future, which count as now. Ages are summed from
 * the newest run to the oldest, over the times between them; bytes from the oldest on. The latest
 * quote of a key stays, as runs.c refuses older ones by it.
 */
#define CHOOSE                                                                                 \
	"WITH heard AS (SELECT run AS id, bytes, min(heard_s, %llu) AS at FROM progress), "    \
	"apart AS (SELECT id, bytes, at, min(lag(at, 1, %llu) OVER w - at, %llu) AS gap "      \
	"FROM heard WINDOW w AS (ORDER BY at DESC, id DESC)), "                                \
	"aged AS (SELECT id, bytes, at, sum(gap) OVER (ORDER BY at DESC, id DESC ROWS "        \
	"UNBOUNDED PRECEDING) AS age FROM apart), "                                            \
	"free AS (SELECT aged.id, sid, bytes, host, CASE owner WHEN '' THEN uuid ELSE owner "  \
	"END AS uuid, owner<>'' AS is_own, age, sum(bytes) OVER (ORDER BY aged.id ROWS "       \
	"UNBOUNDED PRECEDING) - bytes AS before FROM aged JOIN run ON run.id = aged.id WHERE " \
	"at + CASE WHEN ended THEN %llu ELSE %llu END <= %llu AND NOT latest AND (uuid='' OR " \
	"aged.id < (SELECT max(id) FROM run AS other WHERE other.uuid = run.uuid)) AND "       \
	"NOT EXISTS (SELECT 1 FROM latest_quote WHERE latest_quote.run = aged.id) AND (%d OR " \
	"NOT ended OR forward_state IS NOT NULL)) "                                            \
	"INSERT INTO going SELECT id, sid, bytes, host, uuid, is_own FROM free "               \
	"WHERE age >= %llu OR (SELECT sum(bytes) FROM progress) - before > %llu"

typedef unsigned long long number;

static number or_none(uint64_t limit)
{
	return limit ? limit : INT64_MAX;
}

int retention_choose(struct retention *r, struct store *s, uint64_t now)
{
	const struct retention_limits *limits = &r->limits;
	uint64_t count = 0, last_s = 0, left = 0;
	int error = store_run_sql(s, GOING);
	bool is_silent;

	error = error ? error
		      : store_do(s, CHOOSE, (number)now, (number)now,
				 or_none(limits->age_s / QUIET_PART), (number)RETENTION_LEAST_S,
				 (number)RETENTION_UNENDED_S, (number)now, !r->must_forward,
				 or_none(limits->age_s), or_none(limits->bytes));
	error = error ? error : store_number(s, "SELECT count(*) FROM going", &count);
	error = error ? error : store_number(s, "SELECT max(heard_s) FROM progress", &last_s);
	error = error ? error
		      : store_number(s,
				     "SELECT total(bytes) FROM progress WHERE run NOT IN "
				     "(SELECT id FROM going)",
				     &left);
	if (error)
		return error;
	if (count)
		service_log(LOG_INFO, "--keep: %" PRIu64 " runs are removed", count);
	if (limits->bytes && left > limits->bytes)
		service_log(LOG_WARNING,
			    "--keep: %" PRIu64 " bytes too many, of runs that have not ended, are "
			    "not forwarded, ended within 2 h, or are the latest of a machine or of "
			    "a TPM's key",
			    left - limits->bytes);
	is_silent = limits->age_s && last_s && now > last_s && now - last_s >= limits->age_s;
	if (is_silent && !r->is_silent)
		service_log(LOG_WARNING,
			    "--keep: nothing was received for %" PRIu64 " h, or the clock has "
			    "jumped: a quarter of the limit counts",
			    (now - last_s) / 3600);
	r->is_silent = is_silent;
	r->step = RETENTION_REMOVES;
	return 0;
}

/* ---- Steps ---- */

/* CLOCK_BOOTTIME includes the time that the system was suspended. */
static int retention_choose_runs(struct retention *r, struct store *s)
{
	uint64_t now = (uint64_t)time(NULL);
	struct timespec boot;

	r->due_ns = monotonic_ns() + EVERY_NS;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (retention_believes(&r->clock, now, (uint64_t)boot.tv_sec))
		return retention_choose(r, s, now);
	service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
	return 0;
}

/* A run to which lines came meanwhile stays. */
static const char removal[] =
	"DELETE FROM gone; INSERT INTO gone SELECT * FROM going ORDER BY id LIMIT 64;"
	"DELETE FROM going WHERE id IN (SELECT id FROM gone);"
	"DELETE FROM gone WHERE gone.bytes IS NOT"
	" (SELECT p.bytes FROM progress AS p WHERE p.run = gone.id);"
	"INSERT OR IGNORE INTO removed SELECT id FROM gone;"
	"DELETE FROM progress WHERE run IN (SELECT id FROM gone);"
	"DELETE FROM run WHERE id IN (SELECT id FROM gone);";

static int remove_some(struct retention *r, struct store *s)
{
	uint64_t left = 0;
	int error = store_begin(s);

	if (error)
		return error;
	error = store_run_sql(s, removal);
	error = error ? error : store_number(s, "SELECT count(*) FROM going", &left);
	error = store_end(s, error);
	r->has_removed = !error;
	if (!left)
		r->step = RETENTION_SWEEPS;
	return error;
}

static int sweep(struct retention *r, struct store *s)
{
	bool has_more = false;
	int error = store_begin(s);

	error = error ? error : store_end(s, store_sweep(s, &has_more));
	if (!has_more)
		r->step = RETENTION_CHOOSES;
	return error;
}

bool retention_is_due(const struct retention *r)
{
	return r->step != RETENTION_CHOOSES ||
	       ((r->limits.age_s || r->limits.bytes) && monotonic_ns() >= r->due_ns);
}

void retention_work(struct retention *r, struct store *s)
{
	static int (*const work[])(struct retention *, struct store *) = {
		[RETENTION_CHOOSES] = retention_choose_runs,
		[RETENTION_REMOVES] = remove_some,
		[RETENTION_SWEEPS] = sweep,
	};
	int error;

	r->has_removed = false;
	error = work[r->step](r, s);
	if (!error)
		return;
	service_log(LOG_ERR, "--keep: " STORE_NAME ": %s", store_why(error));
	r->due_ns = monotonic_ns() + AGAIN_NS;
	r->step = RETENTION_CHOOSES;
}
