/* SPDX-License-Identifier: BSD-2-Clause */
/* Files' sizes and times beside what the index has; of each run no more than that is kept. */
#include "keep.h"

#include "host/collect/index/forwarded.h"
#include "host/collect/index/index_db.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/store/files.h"
#include "host/store/index_order.h"

#include "core/lib/arith.h"
#include "core/lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define BLOCK_BYTES 512 /* of st_blocks: stat(2) */

/* Of a time in which nothing was received counts this part of the limit at most. */
#define QUIET_PART 4

/* Each of hundreds of thousands. */
struct run {
	struct index_place order;
	uint64_t time_s; /* when its last line was written; no later than now */
	uint64_t age_s;  /* as it counts against the limit */
	uint64_t bytes;
	bool has_file, ended, is_own;
	bool is_latest; /* of its machine, or the latest one that has ended */
	char from[INDEX_FROM_MAX], uuid[SUMMARY_TEXT];
};

struct runs {
	struct run *run;
	size_t count;
	const struct keep_question *q;
	int error;
};

bool keep_parse(const char *text, struct keep_limits *limits)
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
		uint64_t least = units[i].is_age ? KEEP_LEAST_S : 1;

		if (text[bytes - 1] != units[i].letter)
			continue;
		if (number > UINT64_MAX / units[i].scale || number * units[i].scale < least)
			return false;
		*(units[i].is_age ? &limits->age_s : &limits->bytes) = number * units[i].scale;
		return true;
	}
	return false;
}

bool keep_believes(struct keep_clock *clock, uint64_t now, uint64_t boot_s)
{
	int64_t ahead_s = (int64_t)(now - boot_s), moved_s = ahead_s - clock->ahead_s;

	if (clock->is_known && (moved_s >= KEEP_STEP_S || moved_s <= -KEEP_STEP_S))
		clock->again_s = boot_s + KEEP_LEAST_S;
	clock->is_known = true;
	clock->ahead_s = ahead_s;
	return boot_s >= clock->again_s;
}

/* ---- What is there ---- */

static int check_stop(const struct keep_question *q)
{
	return q->stop && atomic_load(q->stop) ? ECANCELED : 0;
}

static struct run *add(struct runs *r, const struct index_place *order)
{
	struct run *list = memory_try_grow(r->run, r->count, sizeof(*list));

	if (!list)
		return NULL;
	r->run = list;
	list[r->count] = (struct run){ .order = *order };
	return &list[r->count++];
}

static int take_entry(void *ctx, const struct index_entry *e)
{
	struct runs *r = ctx;
	struct run *run = add(
		r, &(struct index_place){ e->sid, e->place, e->began, e->is_guessed, 0 });

	if (!run)
		return ENOMEM;
	run->ended = e->summary.ended;
	run->is_own = e->is_own;
	memcpy(run->from, e->from, sizeof(run->from));
	memcpy(run->uuid, e->summary.uuid, sizeof(run->uuid));
	return check_stop(r->q);
}

static void take_again(void *ctx)
{
	struct runs *r = ctx;

	r->count = 0;
}

static ORDER_BY(by_sid, struct run, order.sid);
static ORDER_BY(by_time, struct run, time_s);
static ORDER_BY(by_rank, struct run, order.rank);

struct files {
	struct runs *runs;
	size_t known; /* of these, sorted by sid; what follows is not in the index */
};

static void take_file(void *ctx, uint64_t sid)
{
	const struct run wanted = { .order.sid = sid };
	struct files *f = ctx;
	struct runs *r = f->runs;
	struct run *run = f->known ? bsearch(&wanted, r->run, f->known, sizeof(*run), by_sid)
				   : NULL;

	if (!run)
		run = add(r, &(struct index_place){ .sid = sid, .is_guessed = true });
	if (run)
		run->has_file = true;
	else
		r->error = ENOMEM;
}

static uint64_t bytes_of(int dir, const char *name, struct stat *status)
{
	if (fstatat(dir, name, status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status->st_mode))
		return 0;
	return (uint64_t)status->st_blocks * BLOCK_BYTES;
}

static void look_at(struct run *run, const struct keep_question *q)
{
	struct stat status;
	char name[STORE_NAME_MAX];

	store_cut_name(name, run->order.sid);
	run->bytes = bytes_of(q->dir, name, &status);
	store_name(name, run->order.sid);
	status.st_mtime = (time_t)q->now;
	run->bytes += bytes_of(q->dir, name, &status);
	/* A clock that was set back leaves files of the future. */
	run->time_s = status.st_mtime >= 0 && (uint64_t)status.st_mtime < q->now
			      ? (uint64_t)status.st_mtime
			      : q->now;
	if (!run->order.place)
		run->order.began = run->time_s;
}

/* Those that have a file. */
static int find_files(struct runs *r)
{
	struct files f = { .runs = r, .known = r->count };
	size_t kept = 0;
	int error;

	ORDER_SORT(r->run, r->count, by_sid);
	error = store_each(r->q->dir, take_file, &f);
	error = error ? error : r->error;
	for (size_t i = 0; i < r->count && !error; i++) {
		if (!r->run[i].has_file)
			continue;
		r->run[kept] = r->run[i];
		look_at(&r->run[kept++], r->q);
		error = check_stop(r->q);
	}
	r->count = kept;
	return error;
}

static int rank(struct runs *r)
{
	struct index_place **places = calloc(r->count + 1, sizeof(struct index_place *));

	if (!places)
		return ENOMEM;
	for (size_t i = 0; i < r->count; i++)
		places[i] = &r->run[i].order;
	index_order_places(places, r->count);
	free(places);
	return 0;
}

/* ---- What goes ---- */

static int by_machine(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return strcasecmp(x->uuid, y->uuid) ?: ORDER(x->order.rank, y->order.rank);
}

static void mark_latest(struct runs *r)
{
	struct run *run = r->run, *ended = NULL;

	ORDER_SORT(run, r->count, by_machine);
	for (size_t i = 0; i < r->count; i++) {
		if (run[i].ended)
			ended = &run[i];
		if (i + 1 < r->count && strcasecmp(run[i].uuid, run[i + 1].uuid) == 0)
			continue;
		run[i].is_latest = *run[i].uuid;
		if (ended)
			ended->is_latest = *run[i].uuid;
		ended = NULL;
	}
}

/*
 * From the newest to the oldest. A clock that jumps ahead leaves a time without runs, whether it
 * was set right later or not. Returns how long the time from the last line to now is, where it
 * alone would exceed the limit.
 */
static uint64_t count_ages(struct runs *r)
{
	uint64_t limit_s = r->q->limits.age_s, age_s = 0, later_s = r->q->now, quiet_s;
	struct run *run = r->run;

	if (!r->count || !limit_s)
		return 0;
	ORDER_SORT(run, r->count, by_time);
	for (size_t i = r->count; i--; later_s = run[i].time_s) {
		age_s += arith_min(later_s - run[i].time_s, limit_s / QUIET_PART);
		run[i].age_s = age_s;
	}
	quiet_s = r->q->now - run[r->count - 1].time_s;
	return quiet_s < limit_s ? 0 : quiet_s;
}

static bool may_go(const struct run *run, const struct keep_question *q,
		   const struct forwarded *forwarded)
{
	bool waits = run->ended && q->must_forward &&
		     forwarded_state(forwarded, run->order.sid) == INDEX_FORWARD_WAITING;

	return q->now - run->time_s >= (run->ended ? KEEP_LEAST_S : KEEP_UNENDED_S) &&
	       !run->is_latest && !waits;
}

static int put(struct keep_choice *choice, const struct run *run)
{
	struct keep_run *list = memory_try_grow(choice->run, choice->count, sizeof(*list));

	if (!list)
		return ENOMEM;
	choice->run = list;
	list[choice->count] = (struct keep_run){ .sid = run->order.sid,
						 .bytes = run->bytes,
						 .is_own = run->is_own };
	memcpy(list[choice->count].from, run->from, sizeof(run->from));
	memcpy(list[choice->count].uuid, run->uuid, sizeof(run->uuid));
	choice->count++;
	choice->bytes += run->bytes;
	return 0;
}

static int choose(struct runs *r, const struct forwarded *forwarded, struct keep_choice *choice)
{
	const struct keep_limits *limits = &r->q->limits;
	uint64_t total = 0;
	int error = 0;

	mark_latest(r);
	choice->quiet_s = count_ages(r);
	ORDER_SORT(r->run, r->count, by_rank);
	for (size_t i = 0; i < r->count; i++)
		total += r->run[i].bytes;
	for (size_t i = 0; i < r->count && !error; i++) {
		const struct run *run = &r->run[i];
		bool is_old = limits->age_s && run->age_s >= limits->age_s;
		bool is_much = limits->bytes && total > limits->bytes;

		if (!(is_old || is_much) || !may_go(run, r->q, forwarded))
			continue;
		error = put(choice, run);
		total -= run->bytes;
	}
	choice->over = limits->bytes && total > limits->bytes ? total - limits->bytes : 0;
	return error;
}

int keep_choose(const struct keep_question *q, struct keep_choice *choice)
{
	struct forwarded forwarded = { .run = NULL };
	struct runs runs = { .q = q };
	int error = q->must_forward ? forwarded_read(q->dir, &forwarded) : 0;

	*choice = (struct keep_choice){ .count = 0 };
	error = error ? error : index_db_each(q->dir, take_entry, take_again, &runs);
	error = error ? error : find_files(&runs);
	error = error ? error : rank(&runs);
	error = error ? error : choose(&runs, &forwarded, choice);
	free(runs.run);
	forwarded_free(&forwarded);
	return error;
}

void keep_free(struct keep_choice *choice)
{
	free(choice->run);
	*choice = (struct keep_choice){ .count = 0 };
}
