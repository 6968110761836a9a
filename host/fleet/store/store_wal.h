/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The write-ahead log beside the store. SQLite ignores, without a word, whatever follows its first
 * frame with a wrong checksum. After a crash that is the end of what nobody was promised; frames
 * behind it that were synced later than it show that it was damaged.
 * Format: https://www.sqlite.org/fileformat2.html, section 4.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a page in the store, and so in its log. */
#define STORE_WAL_PAGE 16384

struct store_wal {
	uint64_t frames;  /* that are valid, from the first on */
	uint64_t commits; /* behind a damaged frame: what was stored by them is lost */
};

/* Beside the database with this path. */
bool store_wal_exists(const char *path);

/* 0 or an errno; a log that is missing has no frames. */
int store_wal_read(const char *path, struct store_wal *wal);
