/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that writes a commit while datagrams for the next one are accepted. */
#pragma once

#include "receiver.h"

#include <stdbool.h>

struct committer;

/* `done` is called in the thread after each commit. NULL, with errno. */
struct committer *committer_new(void (*done)(void *ctx), void *ctx);

/* A commit that was given and not taken back is leaked. */
void committer_free(struct committer *c);

/* Begin to write; it is not busy. */
void committer_give(struct committer *c, struct receiver_commit *commit);

/* The commit that was given, once it is written; NULL: not yet. */
struct receiver_commit *committer_take(struct committer *c);

/* Is there one that is not taken back? */
bool committer_is_busy(const struct committer *c);

/* Wait until it can be taken back, if any was given. */
void committer_wait(struct committer *c);
