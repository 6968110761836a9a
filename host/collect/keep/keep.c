/* SPDX-License-Identifier: BSD-2-Clause */
/* Files' sizes and times beside the index. */
#include "keep.h"

#include "host/collect/index/index_db.h"
#include "host/lib/order.h"
#include "host/store/files.h"
#include "host/store/index_order.h"

#include "core/lib/arith.h"
#include "core/lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define BLOCK_BYTES 512 /* of st_blocks: stat(2) */

/* Of a time in which nothing was received counts this part of the limit at most. */
#define QUIET_PART 4

struct run {
	struct index_entry *entry;
	uint64_t time_s; /* when its last line was written; no later than now */
	uint64_t age_s;  /* as it counts against the limit */
	uint64_t bytes;
	bool is_latest; /* of its machine, of those that have ended */
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

static int by_machine(const void *a, const void *b)
{
	const struct index_entry *x = ((const struct run *)a)->entry;
	const struct index_entry *y = ((const struct run *)b)->entry;

	return strcasecmp(x->summary.uuid, y->summary.uuid)
		       ?: ORDER(x->summary.ended, y->summary.ended) ?: ORDER(x->rank, y->rank);
}

static ORDER_BY(by_time, struct run, time_s);
static ORDER_BY(by_rank, struct run, entry->rank);

static bool same_machine(const struct run *a, const struct run *b)
{
	return strcasecmp(a->entry->summary.uuid, b->entry->summary.uuid) == 0;
}

static void mark_latest(struct run *run, size_t count)
{
	ORDER_SORT(run, count, by_machine);
	for (size_t i = 0; i < count; i++)
		run[i].is_latest = *run[i].entry->summary.uuid &&
				   (i + 1 == count || !same_machine(&run[i], &run[i + 1]));
}

/*
 * From the newest to the oldest. A clock that jumps ahead leaves a time without runs, whether it
 * was set right later or not. Returns how long the time from the last line to now is, where it
 * alone would exceed the limit.
 */
static uint64_t count_ages(struct run *run, size_t count, uint64_t limit_s, uint64_t now)
{
	uint64_t age_s = 0, later_s = now, quiet_s;

	if (!count || !limit_s)
		return 0;
	ORDER_SORT(run, count, by_time);
	for (size_t i = count; i--; later_s = run[i].time_s) {
		age_s += arith_min(later_s - run[i].time_s, limit_s / QUIET_PART);
		run[i].age_s = age_s;
	}
	quiet_s = now - run[count - 1].time_s;
	return quiet_s < limit_s ? 0 : quiet_s;
}

static uint64_t bytes_of(int dir, const char *name, struct stat *status)
{
	if (fstatat(dir, name, status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status->st_mode))
		return 0;
	return (uint64_t)status->st_blocks * BLOCK_BYTES;
}

static struct run run_of(int dir, struct index_entry *e, uint64_t now)
{
	struct run run = { .entry = e, .time_s = now };
	char name[STORE_NAME_MAX];
	struct stat status;

	store_cut_name(name, e->sid);
	run.bytes = bytes_of(dir, name, &status);
	store_name(name, e->sid);
	status.st_mtime = (time_t)now;
	run.bytes += bytes_of(dir, name, &status);
	/* A clock that was set back leaves files of the future. */
	if (status.st_mtime >= 0 && (uint64_t)status.st_mtime < now)
		run.time_s = (uint64_t)status.st_mtime;
	return run;
}

static bool may_go(const struct run *run, uint64_t now, const struct forwarded *forwarded)
{
	return run->entry->summary.ended && now - run->time_s >= KEEP_LEAST_S && !run->is_latest &&
	       (!forwarded || forwarded_state(forwarded, run->entry->sid) != INDEX_FORWARD_WAITING);
}

static void choose(struct run *run, const struct keep_limits *limits, uint64_t now,
		   const struct forwarded *forwarded, struct keep_choice *choice)
{
	size_t count = choice->table.count;
	uint64_t total = 0;

	mark_latest(run, count);
	choice->quiet_s = count_ages(run, count, limits->age_s, now);
	ORDER_SORT(run, count, by_rank);
	for (size_t i = 0; i < count; i++)
		total += run[i].bytes;
	for (size_t i = 0; i < count; i++) {
		bool is_old = limits->age_s && run[i].age_s >= limits->age_s;
		bool is_much = limits->bytes && total > limits->bytes;

		if (!(is_old || is_much) || !may_go(&run[i], now, forwarded))
			continue;
		choice->run[choice->count++] = run[i].entry;
		choice->bytes += run[i].bytes;
		total -= run[i].bytes;
	}
	choice->over = limits->bytes && total > limits->bytes ? total - limits->bytes : 0;
}

int keep_choose(int dir, const struct keep_limits *limits, uint64_t now,
		const struct forwarded *forwarded, struct keep_choice *choice)
{
	struct index_table *t = &choice->table;
	struct run *run;
	int error;

	*choice = (struct keep_choice){ .count = 0 };
	error = index_db_read_some(dir, t);
	error = error ? error : index_order(t, dir);
	if (error)
		return error;
	run = calloc(t->count + 1, sizeof(*run));
	choice->run = calloc(t->count + 1, sizeof(struct index_entry *));
	if (run && choice->run) {
		for (size_t i = 0; i < t->count; i++)
			run[i] = run_of(dir, &t->entry[i], now);
		choose(run, limits, now, forwarded, choice);
	} else {
		error = ENOMEM;
	}
	free(run);
	return error;
}

void keep_free(struct keep_choice *choice)
{
	index_free(&choice->table);
	free(choice->run);
}
