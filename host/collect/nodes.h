/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The latest run of each node that has ended, for Prometheus: as many series as there are nodes,
 * whatever the number of their runs. A node without a UUID is none.
 *
 * When all places are taken, a host that has more of them than another gives it one, so that none
 * can take all; and a verdict other than pass and none gets the place of one of these, of its own
 * host or of one that has more. Hosts are those of account.h, by the index.
 */
#pragma once

#include "host/store/index.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

/* Further ones are counted. */
#define NODES_MAX 10000

LIST_HEAD(nodes_hosts, nodes_host);

/* Of a node's latest run that has ended. */
struct nodes_run {
	uint64_t sid, ended_s; /* when its end was received, s since 1970 */
	enum verdict verdict;
	struct maybe own; /* that of the node, where a policy has judged: enum verdict */
	char reason[sizeof((struct summary_judged){ 0 }.reason)]; /* "": none is known */
};

/* All zero at first. */
struct nodes {
	pthread_mutex_t mutex; /* who asks is another thread */
	void *tree;            /* by UUID */
	size_t count;
	void *hosts; /* by address */
	/* By their number of nodes; those of the second have no other than bad verdicts. */
	struct nodes_hosts some_good[NODES_MAX + 1], all_bad[NODES_MAX + 1];
	size_t most;       /* nodes of a host */
	uint64_t left_out; /* runs */
	char *text;        /* as it was printed last, */
	size_t bytes;
	bool changed;    /* which it is no longer, */
	uint64_t due_ns; /* and not again before this */
};

/* Of one that has ended, judged or not. */
struct nodes_run nodes_run_of(const struct index_entry *run);

/* A run that has ended. `order`: runs of a node that began later have a higher one, or the same. */
void nodes_learn(struct nodes *nodes, const struct index_entry *run, uint64_t order);

/* Its verdict is another: where it is the node's latest. */
void nodes_judge(struct nodes *nodes, const struct index_entry *run);

/* The latest run of each node, to be freed; NULL: there are none, or memory has run out. */
uint64_t *nodes_runs(struct nodes *nodes, size_t *count);

/* The run was removed. */
void nodes_forget(struct nodes *nodes, const char *uuid, uint64_t sid);

/* Of the node with this UUID, from any thread. False: it is not among these. */
bool nodes_find(struct nodes *nodes, const char *uuid, struct nodes_run *run);

/* Were there more nodes than places? Then one that is not found may have a run, too. */
bool nodes_is_full(struct nodes *nodes);

/* Many nodes are not printed anew each time: that takes up to a twentieth of the time. */
void nodes_print(struct nodes *nodes, FILE *to);
void nodes_free(struct nodes *nodes);
