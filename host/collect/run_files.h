/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs' files that stay open between writes, so that thousands of them need no lookup in the folder
 * each time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_files {
	struct run_file *slot;
	size_t open, most;
};

/* At most `most` are open at a time. False: memory has run out. */
bool run_files_start(struct run_files *r, size_t most);
void run_files_free(struct run_files *r);

/* The run's descriptor; -1: it is not open. */
int run_files_get(const struct run_files *r, uint64_t sid);

/* Takes ownership of a descriptor of the run; may close others. */
void run_files_put(struct run_files *r, uint64_t sid, int fd);

/* Close it, if it is open. */
void run_files_close(struct run_files *r, uint64_t sid);

/* Close all, if descriptors are needed elsewhere. */
void run_files_close_all(struct run_files *r);
