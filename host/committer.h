/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that does the disk's work of commits, one at a time, while datagrams are taken. */
#ifndef HOST_COMMITTER_H
#define HOST_COMMITTER_H

#include "receiver.h"

#include <stdbool.h>

struct committer;

/* `done` is called in the thread after each commit. NULL, with errno. */
struct committer *committer_new(void (*done)(void *ctx), void *ctx);

/* What was given and not taken back is the caller's loss. */
void committer_free(struct committer *c);

/* Begin to write; the one before has been taken back. */
void committer_give(struct committer *c, struct receiver_commit *commit);

/* What was given, once it is written; NULL: it is not yet. */
struct receiver_commit *committer_take(struct committer *c);

/* Is one under way, or written and not taken back? */
bool committer_is_busy(const struct committer *c);

/* Wait for what was given. */
void committer_wait(struct committer *c);

#endif
