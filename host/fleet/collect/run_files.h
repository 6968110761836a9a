/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs' files that stay open between one write and the next, so that thousands of them need no
 * search through the folder each time.
 */
#ifndef HOST_RUN_FILES_H
#define HOST_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_files {
	struct run_file *slot;
	size_t open, most;
};

/* At most so many are open at a time. False: memory has run out. */
bool run_files_start(struct run_files *r, size_t most);
void run_files_free(struct run_files *r);

/* The run's descriptor; -1: it is not open. */
int run_files_get(const struct run_files *r, uint64_t sid);

/* Takes over a descriptor of the run, which may close others. */
void run_files_put(struct run_files *r, uint64_t sid, int fd);

/* Close it, if it is open. */
void run_files_close(struct run_files *r, uint64_t sid);

/* Close all: others need descriptors. */
void run_files_close_all(struct run_files *r);

#endif
