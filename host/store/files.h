/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs' files in a collector's folder: one per run, <sid>.jsonl, with nothing but its record
 * lines in order, and `lock`, which one collector holds. Beside them <sid>.cut, with what was cut
 * off a damaged one.
 */
#pragma once

#include "host/capture/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define STORE_NAME_MAX 32
#define STORE_PATTERN  "%016" PRIx64 ".jsonl"

/* How much of a run is stored. */
struct store_progress {
	uint64_t next;  /* seq after the last line */
	uint64_t bytes; /* of the file */
	struct summary summary;
};

/* The file's name in the folder. */
void store_name(char name[STORE_NAME_MAX], uint64_t sid);

/* Of what was cut off it. */
void store_cut_name(char name[STORE_NAME_MAX], uint64_t sid);

/* Is it the name of a run's file, and of which run? */
bool store_is_run(const char *name, uint64_t *sid);

/* Call for each run's file, in no order. 0 or an errno. */
int store_each(int dir, void (*run)(void *ctx, uint64_t sid), void *ctx);

/*
 * Is the line, without its newline, a complete record of this run in printable ASCII? It may then
 * be shown on terminals.
 */
bool store_line(const char *text, size_t bytes, uint64_t sid, struct line *line);

/* Read a run's file without changing it. 0 or an errno; a torn end is not counted in *kept. */
int store_read(int dir, uint64_t sid, struct store_progress *kept);

/*
 * The same of a file that is open, from *kept on. `go_on`, unless NULL, is asked before each piece
 * that is read; ECANCELED: it returned false.
 */
int store_read_open(int fd, uint64_t sid, struct store_progress *kept, bool (*go_on)(void *ctx),
		    void *ctx);

/*
 * The summary of the beginning of a run's file, which suffices for its machine: whatever the size,
 * at most STORE_HEAD bytes are read. 0 or an errno.
 */
#define STORE_HEAD 16384
int store_read_head(int dir, uint64_t sid, struct summary *s);

/* Of its file, itself; all zero: there is none. */
struct stat store_status(int dir, uint64_t sid);

/* Its file, with these flags of open(2); no link is followed. -1 with errno. */
int store_open_run(int dir, uint64_t sid, int flags);
