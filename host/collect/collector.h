/* SPDX-License-Identifier: BSD-2-Clause */
/* A running collector: socket, receiver, folder and index. */
#pragma once

#include "commit_worker.h"
#include "forward.h"
#include "index/index_writer.h"
#include "keep/keep_worker.h"
#include "udp_queue.h"
#include "receiver.h"
#include "run_writer.h"
#include "verdicts.h"

#include "host/store/index.h"
#include "host/store/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* Which runs it removes: collector_keep.c */
struct collector_keep {
	struct keep_limits limits;
	uint64_t due_ns; /* when to choose next */
	struct keep_clock clock;
	bool is_quiet;              /* nothing was received for longer than it allows: reported */
	struct keep_worker *worker; /* that chooses; NULL: none */
	struct keep_choice choice;  /* is being removed: */
	size_t next, gone;          /* so many are dealt with, and were removed */
};

struct collector {
	const char *dir; /* as given */
	struct run_writer writer;
	struct index_db *index_db; /* until its writer has it; NULL: it cannot be opened */
	bool index_is_whole;       /* when the collector started */
	struct index_writer *index;
	struct index_table known; /* what was there at the start; empty after it */
	struct udp_queue *udp_queue;
	struct receiver *receiver;
	struct commit_worker *commit_worker;
	uint64_t begun_ns; /* when collecting the next commit began */
	bool forwards;
	struct forward *forward;  /* NULL: nothing is forwarded */
	bool quiet;               /* prints no messages about runs */
	uint64_t reported_ns;     /* when trouble was last reported */
	uint64_t unreported;      /* runs in trouble since then */
	uint64_t troubled;        /* all refusals by the disk */
	uint64_t cut;             /* torn ends of files */
	struct verdicts verdicts; /* and the policy */
	struct collector_keep keep;
};

struct collector_setup {
	const char *dir;
	uint8_t *key, *old_key;          /* NULL: none */
	const struct uuid_list *revoked; /* NULL: none */
	uint64_t runs_max, runs_host, runs_node;
	/* 0: a tenth of the file system, but a GiB at least. */
	uint64_t bytes_host, bytes_node;
	struct run_writer_limits limits;
	struct keep_limits keep;
	int socket;
	bool quiet;
	const char *forward;         /* NULL: to none */
	const struct policy *policy; /* NULL: none */
	struct http_access access;
};

/* False, with the reason on standard error. */
bool collector_start(struct collector *c, const struct collector_setup *setup);
void collector_stop(struct collector *c);

/* Accept what has arrived, and commit what is due; wait at most `ns` for something to do. */
void collector_work(struct collector *c, uint64_t ns);

/* Accept and commit everything that has arrived so far. */
void collector_finish(struct collector *c);

/*
 * Remove what --keep does not keep: from time to time, and then a few runs each time it is called.
 * Before the collector works all at once, until a signal comes.
 */
void collector_keep(struct collector *c);
void collector_keep_all(struct collector *c);
void collector_keep_stop(struct collector *c);

/*
 * Judge by another policy from now on, and what was judged anew; it has to stay until the next one
 * or collector_stop(). False, with the reason logged: it cannot be stored, and the one before
 * stays.
 */
bool collector_judge(struct collector *c, const struct policy *policy);

/* Open the index and the runs' files anew, with nothing received and not committed. */
void collector_reopen(struct collector *c);
