/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a collector's index has of each run: nothing that is not in the runs' files (but address,
 * times, their order, and whose key signed). It is DIR/index.sqlite, which only the collector's
 * program reads and writes: host/collect/index/index_db.h. As lines of JSON it passes from there to
 * other programs; so it does as DIR/index.jsonl, which collectors of old wrote and `merge` writes:
 * there the last line of a run counts. A collector takes it over when it makes its own.
 */
#pragma once

#include "host/capture/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NAME     "index.sqlite"
#define INDEX_LINES    "index.jsonl"
#define INDEX_FROM_MAX 64

/*
 * Beside entries: "peers CONFIG N UUID", N other machines of the kind of the latest run of the one
 * that was asked for have this configuration, such as UUID; and that nothing is missing.
 */
#define INDEX_PEERS "peers "
#define INDEX_WHOLE "whole"

/* "figures LINE": host/fleet/fleet_line.h; "runs N": that the folder has. */
#define INDEX_FIGURES "figures "
#define INDEX_RUNS    "runs "

struct index_entry {
	uint64_t sid;
	struct summary summary;
	char from[INDEX_FROM_MAX]; /* the node's address; "": not known */
	bool is_own;               /* signed with the node's own key, not with the fleet's */
	uint64_t at;               /* when it was written, s since 1970 */
	uint64_t began;            /* time of the run's first entry */
	uint64_t place;            /* of that entry among all, from 1; 0: there is none */
	bool is_guessed;           /* `began` is the time of the run's file: its entry was lost */
	bool has_file;             /* these two by index_order() */
	size_t rank;
};

/* The last entry of each run, by sid. */
struct index_table {
	struct index_entry *entry;
	size_t count;
};

/* Read DIR/index.jsonl; a missing one is empty, a torn line is ignored. 0 or an errno. */
int index_read(int dir, struct index_table *t);
void index_free(struct index_table *t);

/* Add an entry, in any order. 0 or an errno. */
int index_put(struct index_table *t, const struct index_entry *entry);

/* Sort by sid, keeping the last entry of each run, with when and where the first one was. */
void index_sort(struct index_table *t);

/* NULL: none. The table is sorted. */
struct index_entry *index_find(const struct index_table *t, uint64_t sid);

/*
 * Open a file that only grows, line by line, for reading and appending: INDEX_LINES for
 * index_add(). The file may be new. A torn last line, left by a crash, would spoil the next: it is
 * terminated. Returns a descriptor, or -1 with errno.
 */
int index_open(int dir, const char *name);

/* Append a line. 0 or an errno. */
int index_add(int fd, const struct index_entry *entry);

/* The entry as JSON without a newline, with its place and `began` if it has a place; to be freed.
 */
char *index_text(const struct index_entry *entry);

/* False: it is none. Without them in it `place` is 0, and `began` as `at`. */
bool index_parse(const char *text, struct index_entry *entry);
