/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What writes the runs' files (host/store/files.h). After a crash, what was written is there up to
 * a complete line; a torn end is cut when the run is opened again. If more than a torn line has to
 * be cut, because a file was damaged, it is moved to <sid>.cut first.
 *
 * A run's file grows up to a limit, which is EDQUOT, and all of them while a share of the disk is
 * free, which is ENOSPC: so there is room for the index, and for whatever else is on that disk.
 */
#pragma once

#include "receiver.h"
#include "run_files.h"

#include "host/store/folder.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define RUN_WRITER_FREE_MOST (UINT64_C(4) << 30)

struct run_writer_limits {
	uint64_t run_bytes; /* of a file; 0: no limit */
	/* Of the file system, that stay free, but RUN_WRITER_FREE_MOST at most; 0: no limit. */
	uint64_t free_percent;
};

struct run_writer {
	struct store_folder folder;
	struct run_writer_limits limits; /* none at first */
	uint64_t room, asked_ns;         /* bytes that may be written, as of then */
	struct run_files files;          /* open for writing */
	pthread_mutex_t files_mutex;
	_Atomic bool new_names; /* since the last sync */
	bool one_sync;          /* one call syncs all files, and reports failures */
	/*
	 * `bytes` after the last complete line were cut; `set_aside`: there were lines among them,
	 * which are now in <sid>.cut. Optional.
	 */
	void (*cut)(void *ctx, uint64_t sid, uint64_t bytes, bool set_aside);
	bool (*go_on)(void *ctx); /* with a long read: store_read_open(). Optional */
	void *ctx;
};

/* Open the folder, as store_folder_open() does; run_writer_close() in any case. */
bool run_writer_open(struct run_writer *w, const char *path, const char **what);
void run_writer_close(struct run_writer *w);

/* Close the runs' files, which are opened again when they are appended to. No commit is running. */
void run_writer_close_files(struct run_writer *w);

/* The functions for a receiver. */
struct receiver_store run_writer_ops(struct run_writer *w);

/* Bytes that may be written before no more is free than `limits` have; UINT64_MAX: not known. */
uint64_t run_writer_room(const struct run_writer *w);

/* Remove the run's files. No commit has it. 0 or an errno. */
int run_writer_remove(struct run_writer *w, uint64_t sid);
