/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector at work: socket, receiver, folder and index together. */
#ifndef HOST_COLLECTOR_H
#define HOST_COLLECTOR_H

#include "committer.h"
#include "forward.h"
#include "index.h"
#include "mailbox.h"
#include "receiver.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

struct collector {
	struct store store;
	int index; /* descriptor; -1: it is not open */
	struct mailbox *mailbox;
	struct receiver *receiver;
	struct committer *committer;
	uint64_t begun_ns;       /* since when the next commit is gathered */
	struct forward *forward; /* NULL: nothing is forwarded */
	bool quiet;              /* says nothing of runs */
	uint64_t told_ns;        /* when trouble was last told of */
	uint64_t untold;         /* runs in trouble since then */
	uint64_t troubled;       /* refusals of the disk, all */
	uint64_t cut;            /* torn ends of files */
	bool index_owed;         /* it could not be written */
	uint64_t index_tried_ns; /* when that was tried last */
};

struct collector_setup {
	const char *dir;
	const uint8_t *key; /* NULL: none */
	uint64_t runs_max;
	int socket;
	bool quiet;
	const char *forward; /* NULL: to nobody */
};

/* False: it has been said why not. */
bool collector_start(struct collector *c, const struct collector_setup *setup);
void collector_stop(struct collector *c);

/* Take what has come, and commit what is due; wait at most so long for anything to do. */
void collector_work(struct collector *c, uint64_t ns);

/* Take and commit all that has come so far. */
void collector_finish(struct collector *c);

/* ns of a clock that never goes back. */
uint64_t collector_now(void *unused);

#endif
