/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector's folder: one file per run, <sid>.jsonl, of nothing but its record lines in
 * order, and `lock`, which one collector holds. What was written is there after a crash up to
 * a whole line; a torn end is cut when the run is met again. Where more than a torn line is to be
 * cut, because a file was damaged, it goes to <sid>.cut first.
 */
#ifndef HOST_STORE_H
#define HOST_STORE_H

#include "receiver.h"
#include "run_files.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define STORE_NAME_MAX 32
#define STORE_PATTERN  "%016" PRIx64 ".jsonl"

struct store {
	int dir; /* its descriptor */
	int lock;
	struct run_files files; /* that are written to */
	pthread_mutex_t files_mutex;
	uint64_t runs;          /* files found at the start */
	_Atomic bool new_names; /* since the last sync */
	bool one_sync;          /* one call makes all files durable, and says so where it did not */
	/* So many bytes behind the last whole line are cut; `set_aside`: there were lines among
	   them, which are in <sid>.cut now. Optional. */
	void (*cut)(void *ctx, uint64_t sid, uint64_t bytes, bool set_aside);
	void *ctx;
};

/* The file's name in the folder. */
void store_name(char name[STORE_NAME_MAX], uint64_t sid);

/* Is it the name of a run's file, and whose? */
bool store_is_run(const char *name, uint64_t *sid);

/*
 * Open the folder, which is made where it is missing. False: *what says what could not be
 * done, errno why; EWOULDBLOCK: another collector holds it.
 */
bool store_open(struct store *s, const char *path, const char **what);
void store_close(struct store *s);

/* What a receiver does with it. */
struct receiver_store store_ops(struct store *s);

/* Read a run's file without changing it. 0 or an errno; a torn end is left out of *kept. */
int store_read(int dir, uint64_t sid, struct kept *kept);

/* Call for each run's file, in no order. 0 or an errno. */
int store_each(int dir, void (*run)(void *ctx, uint64_t sid), void *ctx);

#endif
