/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads that write commits to disk while datagrams are accepted: the second makes one durable
 * while the first writes the next.
 */
#ifndef HOST_COMMITTER_H
#define HOST_COMMITTER_H

#include "receiver.h"

#include <stdbool.h>

/* Commits that are given and not taken back, at a time. */
#define COMMITTER_MOST 2

struct committer;

/* `done` is called in a thread of the committer's after each commit. NULL, with errno. */
struct committer *committer_new(void (*done)(void *ctx), void *ctx);

/* Commits that were given and not taken back are leaked. */
void committer_free(struct committer *c);

/* Begin to write; there is room. */
void committer_give(struct committer *c, struct receiver_commit *commit);

/* The next commit given, if it is durable or has failed; NULL: not yet. */
struct receiver_commit *committer_take(struct committer *c);

/* Are fewer than COMMITTER_MOST given and not taken back? */
bool committer_has_room(const struct committer *c);

/* Is there one that is not taken back? */
bool committer_is_busy(const struct committer *c);

/* Wait until there is one to take back, if any was given. */
void committer_wait(struct committer *c);

#endif
