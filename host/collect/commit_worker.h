/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads that write commits to disk while datagrams are accepted: the second makes one durable
 * while the first writes the next.
 */
#pragma once

#include "receiver.h"

#include <stdbool.h>

/* Commits that are given and not taken back, at a time. */
#define COMMIT_WORKER_MOST 2

struct commit_worker;

/* `done` is called in a thread of the committer's after each commit. NULL, with errno. */
struct commit_worker *commit_worker_new(void (*done)(void *ctx), void *ctx);

/* Commits that were given and not taken back are leaked. */
void commit_worker_free(struct commit_worker *c);

/* Begin to write; there is room. */
void commit_worker_give(struct commit_worker *c, struct receiver_commit *commit);

/* The next commit given, if it is durable or has failed; NULL: not yet. */
struct receiver_commit *commit_worker_take(struct commit_worker *c);

/* Are fewer than COMMIT_WORKER_MOST given and not taken back? */
bool commit_worker_has_room(const struct commit_worker *c);

/* Is there one that is not taken back? */
bool commit_worker_is_busy(const struct commit_worker *c);

/* Wait until there is one to take back, if any was given. */
void commit_worker_wait(struct commit_worker *c);
