/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a receiver's commits go: the store, within limits. A run grows up to one, which is EDQUOT,
 * and all of them while a share of the disk is free, which is ENOSPC. Pages that the store has
 * freed count as free.
 *
 * A run that ends is judged by the policy in the same transaction.
 */
#pragma once

#include "receiver.h"

#include "host/fleet/policy.h"

#include <stdbool.h>
#include <stdint.h>

#define SINK_FREE_MOST (UINT64_C(4) << 30)

struct sink_limits {
	uint64_t run_bytes; /* of a run; 0: no limit */
	/* Of the file system, that stay free, but SINK_FREE_MOST at most; 0: no limit. */
	uint64_t free_percent;
};

struct sink {
	struct store *writer; /* of the thread that commits */
	struct store *reader; /* of the thread that receives */
	const char *folder;
	struct sink_limits limits;
	const struct policy *policy;   /* NULL: none. Not changed during a commit */
	uint64_t room_bytes, asked_ns; /* that may be written, as of then */
	_Atomic uint64_t free_bytes;   /* of the store's pages, as of the last commit */
	_Atomic uint64_t wal_bytes;
	char *text; /* of a chunk */
};

/* False: *why has the reason. sink_close() in any case. */
bool sink_open(struct sink *s, const char *folder, char why[STORE_WHY]);
void sink_close(struct sink *s);

/* Bytes that may be written before no more is free than `limits` have; UINT64_MAX: not known. */
uint64_t sink_free(struct sink *s);

/* ---- For the receiver: 0 or an errno ---- */

/* What is stored of the run; ENOENT: nothing. */
int sink_find(struct sink *s, uint64_t sid, struct store_run *kept);

/* May so many bytes be added to a run that has these? EDQUOT, ENOSPC: no. */
int sink_room(struct sink *s, uint64_t stored, uint64_t bytes);

/* What follows up to sink_commit() is stored as a whole or not at all. */
int sink_begin(struct sink *s);

/*
 * Append the lines to a run that is stored as `before` has it; *after is how it then is, and gets
 * an `id` if `before` has none. STORE_CHANGED: it is stored otherwise.
 */
int sink_append(struct sink *s, const struct store_run *before, struct store_run *after,
		const struct rx_lines *lines);

/* On stable storage, or with an error nothing of it. */
int sink_commit(struct sink *s);
void sink_rollback(struct sink *s);
