/* SPDX-License-Identifier: BSD-2-Clause */
/* Files' sizes and times beside the index. */
#include "keep.h"

#include "host/lib/order.h"
#include "host/store/files.h"
#include "host/store/index_order.h"

#include "core/lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define BLOCK_BYTES 512 /* of st_blocks: stat(2) */

struct run {
	struct index_entry *entry;
	uint64_t age_s, bytes;
	bool is_latest; /* of its machine */
	size_t *left;   /* runs of its machine */
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

static int by_machine(const void *a, const void *b)
{
	const struct index_entry *x = ((const struct run *)a)->entry;
	const struct index_entry *y = ((const struct run *)b)->entry;

	return strcasecmp(x->summary.uuid, y->summary.uuid) ?: ORDER(x->rank, y->rank);
}

static ORDER_BY(by_rank, struct run, entry->rank);

static bool same_machine(const struct run *a, const struct run *b)
{
	const char *uuid = a->entry->summary.uuid;

	return *uuid && strcasecmp(uuid, b->entry->summary.uuid) == 0;
}

/* `left` has room for as many machines as there are runs. */
static void group(struct run *run, size_t count, size_t *left)
{
	ORDER_SORT(run, count, by_machine);
	for (size_t i = 0; i < count; i++) {
		if (i && !same_machine(&run[i - 1], &run[i]))
			left++;
		run[i].left = left;
		++*left;
		run[i].is_latest = i + 1 == count || !same_machine(&run[i], &run[i + 1]);
	}
	ORDER_SORT(run, count, by_rank);
}

static uint64_t bytes_of(int dir, const char *name, struct stat *status)
{
	if (fstatat(dir, name, status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status->st_mode))
		return 0;
	return (uint64_t)status->st_blocks * BLOCK_BYTES;
}

static struct run run_of(int dir, struct index_entry *e, uint64_t now)
{
	struct run run = { .entry = e };
	char name[STORE_NAME_MAX];
	struct stat status;

	store_cut_name(name, e->sid);
	run.bytes = bytes_of(dir, name, &status);
	store_name(name, e->sid);
	status.st_mtime = (time_t)now;
	run.bytes += bytes_of(dir, name, &status);
	/* A clock that was set back leaves files of the future. */
	if (status.st_mtime >= 0 && (uint64_t)status.st_mtime < now)
		run.age_s = now - (uint64_t)status.st_mtime;
	return run;
}

static bool may_go(const struct run *run, const struct index_sids *forwarded)
{
	return run->entry->summary.ended && run->age_s >= KEEP_LEAST_S &&
	       (!run->is_latest || *run->left == 1) &&
	       (!forwarded || index_sids_have(forwarded, run->entry->sid));
}

static void choose(struct run *run, size_t count, const struct keep_limits *limits,
		   const struct index_sids *forwarded, struct keep_choice *choice)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += run[i].bytes;
	for (size_t i = 0; i < count; i++) {
		bool is_old = limits->age_s && run[i].age_s >= limits->age_s;
		bool is_much = limits->bytes && total > limits->bytes;

		if (!(is_old || is_much) || !may_go(&run[i], forwarded))
			continue;
		choice->run[choice->count++] = run[i].entry;
		choice->bytes += run[i].bytes;
		total -= run[i].bytes;
		--*run[i].left;
	}
	choice->over = limits->bytes && total > limits->bytes ? total - limits->bytes : 0;
}

int keep_choose(int dir, const struct keep_limits *limits, uint64_t now,
		const struct index_sids *forwarded, struct keep_choice *choice)
{
	struct index_table *t = &choice->table;
	struct run *run;
	size_t *left;
	int error;

	*choice = (struct keep_choice){ .count = 0 };
	error = index_read(dir, t);
	error = error ? error : index_order(t, dir);
	if (error)
		return error;
	run = calloc(t->count + 1, sizeof(*run));
	left = calloc(t->count + 1, sizeof(*left));
	choice->run = calloc(t->count + 1, sizeof(struct index_entry *));
	if (run && left && choice->run) {
		for (size_t i = 0; i < t->count; i++)
			run[i] = run_of(dir, &t->entry[i], now);
		group(run, t->count, left);
		choose(run, t->count, limits, forwarded, choice);
	} else {
		error = ENOMEM;
	}
	free(run);
	free(left);
	return error;
}

void keep_free(struct keep_choice *choice)
{
	index_free(&choice->table);
	free(choice->run);
}
