/* SPDX-License-Identifier: BSD-2-Clause */
/* A running collector: socket, receiver, store. */
#pragma once

#include "forward.h"
#include "receiver.h"
#include "retention.h"
#include "udp_socket.h"

#include "host/fleet/policy.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct collector {
	const char *dir;                /* the folder that was given */
	struct store *writer;           /* for the worker, or this thread if there is none */
	struct store *reader;           /* for this thread */
	uint64_t free_percent;          /* share of the disk to be left free */
	uint64_t free_bytes, wal_bytes; /* bytes in the store's pages, as of the last commit */
	struct udp_socket *udp;
	struct receiver *receiver;
	struct receiver_commit *commit; /* the commit that is being written; NULL: none */
	struct retention retention;
	pthread_t worker;  /* does a commit, or a step of retention */
	bool is_busy;      /* a commit or a step has begun, and has not been ended */
	bool has_worker;   /* `worker` is to be joined */
	bool has_yielded;  /* the latest was a step of retention: it is a commit's turn */
	bool is_finishing; /* no step of retention begins */
	_Atomic bool is_done;
	struct forward *forward; /* NULL: nothing is forwarded */
	uint64_t begun_ns;       /* when collecting the next commit began */
	bool quiet;              /* prints no messages about runs */
	bool wal_is_long;        /* a long write-ahead log has been reported */
	uint64_t reported_ns;    /* when trouble was last reported */
	uint64_t unreported;     /* runs in trouble since then */
};

struct collector_setup {
	const char *dir;
	uint8_t *key, *old_key;                 /* NULL: none */
	const struct receiver_revoked *revoked; /* NULL: none */
	/* A limit of bytes that is 0 means a tenth of the file system, but at least a GiB. */
	struct receiver_limits limits;
	uint64_t free_percent; /* share of the file system to be left free, at most 4 GiB */
	struct retention_limits keep;
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
 * Commit all that was received, try again what failed, and judge by this policy from now on; all
 * that was judged by another one is judged anew. The policy has to stay until the next one or
 * collector_stop(). False, with the reason logged: it cannot be stored, and the one before stays.
 */
bool collector_reload(struct collector *c, const struct policy *policy);

/*
 * Returns how many bytes may be written until only those are free that have to stay free;
 * UINT64_MAX: not known. Pages that the store has freed count as free.
 */
uint64_t collector_room(void *collector);
