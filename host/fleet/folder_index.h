/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a collector's folder, which only `noisefloor-collect` can read: as its child. */
#pragma once

#include "configs.h"

#include "host/store/index.h"
#include "host/store/index_forward.h"

#define FOLDER_INDEX_COMMAND "index" /* the argument before the folder */

/*
 * What the folder's index has, sorted by sid: of DIR/index.sqlite, or without one of
 * DIR/index.jsonl. Where the former cannot be read, a remark on standard error is preceded by the
 * name of `subcommand`, and what is missing has to be read of the runs' files. 0 or an errno.
 */
int folder_index_read(int dir, const char *path, const char *subcommand, struct index_table *t);

/* How far the runs of a machine are on their way to an engine: of collectors that forward. */
struct folder_index_forward {
	struct index_forward *run;
	size_t count;
};

/* Of a machine, and of the runs of no known one, with the configurations of its peers. */
struct folder_index_machine {
	const char *uuid;
	struct configs peers; /* without the machine's own */
	char **peer;          /* their UUIDs */
	size_t count;
	struct folder_index_forward forward; /* even if all else is not known to be whole */
};

/*
 * The same of a machine only, with its peers in *m. False: the index is not known to have all runs
 * of the folder, or cannot be read; nothing is printed then, and *t is empty.
 */
bool folder_index_read_machine(int dir, const char *path, struct folder_index_machine *m,
			       struct index_table *t);
void folder_index_free_machine(struct folder_index_machine *m);

/*
 * Likewise the latest run of each machine: those with figures by `figures`, a line each,
 * and *runs is how many there are of all.
 */
struct folder_index_latest {
	void (*figures)(void *ctx, char *line);
	void *ctx;
	size_t runs;
};

bool folder_index_read_latest(int dir, const char *path, struct folder_index_latest *l,
			      struct index_table *t);

/* Add those that the index of a folder has: none, if it cannot be read. */
void folder_index_read_forward(int dir, const char *path, const char *uuid,
			       struct folder_index_forward *f);
