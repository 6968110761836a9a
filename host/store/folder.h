/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder to write runs to, by one process at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STORE_LOCK_NAME "lock"

struct store_folder {
	int dir; /* its descriptor */
	int lock;
	uint64_t runs; /* files found at the start */
};

/*
 * Open the folder, which is created if missing. False: *what is the step that failed, errno the
 * reason; EWOULDBLOCK: another process holds the lock. store_folder_close() in any case.
 */
bool store_folder_open(struct store_folder *f, const char *path, const char **what);
void store_folder_close(struct store_folder *f);
