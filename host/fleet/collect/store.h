/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector's folder: one file per run, <sid>.jsonl, with nothing but its record lines in order,
 * and `lock`, which one collector holds. After a crash, what was written is there up to a complete
 * line; a torn end is cut when the run is opened again. If more than a torn line has to be cut,
 * because a file was damaged, it is moved to <sid>.cut first.
 */
#pragma once

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
	struct run_files files; /* open for writing */
	pthread_mutex_t files_mutex;
	uint64_t runs;          /* files found at the start */
	_Atomic bool new_names; /* since the last sync */
	bool one_sync;          /* one call syncs all files, and reports failures */
	/*
	 * `bytes` after the last complete line were cut; `set_aside`: there were lines among them,
	 * which are now in <sid>.cut. Optional.
	 */
	void (*cut)(void *ctx, uint64_t sid, uint64_t bytes, bool set_aside);
	void *ctx;
};

/* The file's name in the folder. */
void store_name(char name[STORE_NAME_MAX], uint64_t sid);

/* Of what was cut off it. */
void store_cut_name(char name[STORE_NAME_MAX], uint64_t sid);

/* Is it the name of a run's file, and of which run? */
bool store_is_run(const char *name, uint64_t *sid);

/*
 * Open the folder, which is created if missing. False: *what is the step that failed, errno the
 * reason; EWOULDBLOCK: another collector holds the lock.
 */
bool store_open(struct store *s, const char *path, const char **what);
void store_close(struct store *s);

/* Close the runs' files, which are opened again when they are appended to. No commit is running. */
void store_close_files(struct store *s);

/* The functions for a receiver. */
struct receiver_store store_ops(struct store *s);

/* Read a run's file without changing it. 0 or an errno; a torn end is not counted in *kept. */
int store_read(int dir, uint64_t sid, struct run_progress *kept);

/* Remove the run's files. No commit has it. 0 or an errno. */
int store_remove(struct store *s, uint64_t sid);

/* Call for each run's file, in no order. 0 or an errno. */
int store_each(int dir, void (*run)(void *ctx, uint64_t sid), void *ctx);
