/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's end of "records over UDP" (core/wire/datagram.h). Sockets, the clock and the room
 * on the disk are functions of the caller. Datagrams are accepted one by one; a
 * commit then writes what is in order, makes it durable for all runs at once, and only then
 * acknowledges.
 *
 * Memory is bounded. At most `runs_known` runs are in memory; to make room for one, the run that
 * has been idle longest is forgotten, as the store has its state. Lines that arrive before their
 * predecessors are held, at most `hold_max` bytes of them; to make room, the lines that another run
 * has held longest are dropped, and their node sends them again.
 *
 * A run belongs to the key that began it: the fleet's, or that of the node whose UUID is in its
 * datagrams; the store has the owner. A datagram that is signed with another key is neither taken
 * nor acknowledged.
 *
 * Acknowledgements go where a run's latest news came from. A datagram that brings no news, such as
 * one that was recorded and is sent again, is answered where it came from.
 */
#pragma once

#include "host/fleet/store/store.h"

#include "core/lib/uuid.h"
#include "core/wire/datagram.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>

/* Sender of a datagram, and the address of ours that received it. */
struct rx_address {
	union {
		struct sockaddr sa;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} from;
	struct in6_addr ours;
	unsigned interface; /* 0: `ours` is not known */
};

/* Outcome of a datagram. */
enum receiver_result {
	RECEIVER_TAKEN,                /* in order: will be written */
	RECEIVER_HELD,                 /* waits for those before it */
	RECEIVER_DUPLICATE,            /* its lines are already stored */
	RECEIVER_MALFORMED,            /* not of this protocol */
	RECEIVER_DAMAGED,              /* wrong CRC */
	RECEIVER_BAD_LINES,            /* its contents are not record lines of its run */
	RECEIVER_UNSIGNED,             /* no tag, but a key is configured */
	RECEIVER_UNEXPECTED_SIGNATURE, /* a tag, but no key is configured */
	RECEIVER_FORGED,               /* wrong tag */
	RECEIVER_CHALLENGED,           /* its sender has no token yet */
	RECEIVER_REPLAYED,             /* a token that is not the run's, or has expired */
	RECEIVER_UNKNOWN_RUN,          /* not its first datagram */
	RECEIVER_NO_MEMORY,            /* dropped: too much is waiting */
	RECEIVER_NO_RUNS,              /* a new run beyond the limit, or that of its host or node */
	RECEIVER_NO_FILE,              /* the store cannot be asked for the run */
	RECEIVER_RESULTS
};

/* "taken", "held", ...: one word with underscores. */
const char *receiver_result_name(enum receiver_result result);

struct policy; /* host/fleet/policy.h */
struct receiver_revoked;

/*
 * An account counts what a host or a node has begun and stored, so that none of them uses up what a
 * collector accepts. A host is an IPv4 address, or the first 64 bits of an IPv6 address, as each
 * host has that many addresses; a node is a UUID. Accounts are in a balanced tree: no choice of
 * addresses makes a look-up slow. An account that counts nothing is freed.
 */
struct receiver_account_id {
	uint8_t byte[UUID_BYTES];
};

struct receiver_account {
	struct receiver_account_id id;
	uint64_t runs, bytes;
	size_t holders; /* runs in memory that point to it */
};

/* Lines of one datagram. */
struct rx_lines {
	struct rx_lines *next;
	uint64_t seq, number;
	uint32_t lost, lines, bytes;
	char text[];
};

struct receiver_run {
	uint64_t sid;
	struct store_run kept;    /* durable; what is acknowledged */
	uint64_t fresh_next;      /* including what is ready to be written */
	bool is_own;              /* begun with the node's own key, not with the fleet's */
	bool is_old;              /* its latest news was signed by the old key or one made of it */
	uint8_t uuid[UUID_BYTES]; /* in its datagrams; the same in all where is_own */
	uint64_t token;           /* token that the node has sent; 0: none */
	struct receiver_account *host; /* account of the host that began it */
	struct receiver_account *node; /* NULL: its UUID is not known yet */
	struct rx_address peer;        /* source of its latest new datagram */
	uint64_t heard_ns;
	enum datagram_state state; /* state for acks */
	bool is_new;               /* not stored yet */
	bool is_dirty;             /* has lines for the next commit */
	bool is_written;           /* has lines in the running commit */
	struct rx_lines *ready, **ready_tail;
	size_t ready_count;
	struct rx_lines *held; /* by seq */
	size_t held_bytes;
	TAILQ_ENTRY(receiver_run) holders;
	LIST_ENTRY(receiver_run) chain; /* bucket of the hash */
	TAILQ_ENTRY(receiver_run) ages; /* by the time of the last news, the latest first */
	struct receiver_run *next_dirty;
};

#define RECEIVER_BITS 17

/* Runs in memory, in a hash by sid and in a list by age. */
struct receiver_runs {
	LIST_HEAD(receiver_bucket, receiver_run) bucket[1 << RECEIVER_BITS];
	uint64_t odd; /* random: nobody can target one bucket */
	TAILQ_HEAD(receiver_ages, receiver_run) ages;
	size_t count;
};

struct receiver_limits {
	uint64_t runs_max;   /* stored runs */
	uint64_t runs_host;  /* runs that one host may begin; 0: as many as all */
	uint64_t runs_node;  /* runs that one node may begin with its own key; 0: as many as all */
	uint64_t bytes_run;  /* limit per run; 0: as many as fit */
	uint64_t bytes_host; /* about, in runs that one host has begun; 0: as many as fit */
	uint64_t bytes_node; /* about, in runs of one UUID, if there is a key */
};

struct receiver_setup {
	/* NULL: none. Nodes sign with it or their own. Must stay; its bytes may change. */
	const uint8_t *key;
	/* The key before, accepted as well while nodes are given the new one. As `key`. */
	const uint8_t *old_key;
	/* NULL: there are none. May change. */
	const struct receiver_revoked *revoked;
	uint8_t secret[SIPHASH_KEY_BYTES]; /* random: tokens are made of it */
	struct store *writer;              /* for the thread that writes commits */
	struct store *reader;              /* for the thread that takes datagrams */
	const struct policy *policy;       /* judges runs that end; NULL: none. May change */
	size_t runs_known;                 /* runs that are known at a time */
	struct receiver_limits limits;
	size_t hold_max; /* bytes of lines that may wait */
	uint64_t (*clock_ns)(void *ctx);
	/* Bytes that may be written to the disk now. */
	uint64_t (*room)(void *ctx);
	void (*reply)(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count);
	/* Called when something new about the run is durable. */
	void (*learned)(void *ctx, struct receiver_run *run);
	/* Called when writing failed, with an errno, EDQUOT by a limit; 0: it works again. */
	void (*trouble)(void *ctx, const struct receiver_run *run, int error);
	void *ctx;
};

struct receiver_counts {
	uint64_t result[RECEIVER_RESULTS];
	uint64_t lines, bytes;    /* made durable */
	uint64_t lines_unwritten; /* refused because of the disk */
	uint64_t runs_begun, runs_ended, runs_incomplete;
};

/* Files that are not the receiver's own only read this. */
struct receiver {
	struct receiver_setup setup;
	struct receiver_runs runs;
	void *hosts, *nodes; /* trees of accounts; NULL at first */
	struct receiver_counts counts;
	struct receiver_run *dirty; /* to be written or acknowledged, and not being written */
	size_t ready;               /* datagrams of all runs, in no commit yet */
	size_t held_bytes;
	TAILQ_HEAD(, receiver_run) holders; /* runs with held lines, candidates for longest first */
	uint64_t runs_kept;                 /* stored */
	uint64_t runs_new;                  /* known, and not stored yet */
};

/* NULL when memory has run out. */
struct receiver *receiver_new(const struct receiver_setup *setup);
void receiver_free(struct receiver *r);

/* A stored run, as it counts for its host and its node. */
struct receiver_stored {
	struct rx_address from; /* begun from there; all zero: not known */
	const char *uuid;       /* UUID of the node; "": not known */
	bool is_own;            /* begun with the node's own key */
	uint64_t bytes;
};

/* Count a run that the store has. */
void receiver_add_stored(struct receiver *r, const struct receiver_stored *s);

/*
 * Report that a stored run was removed. A run in memory is forgotten; one with lines that wait to
 * be written is forgotten once that write has failed with STORE_CHANGED.
 */
void receiver_remove_stored(struct receiver *r, uint64_t sid, const struct receiver_stored *s);

enum receiver_result receiver_take(struct receiver *r, const uint8_t *bytes, size_t count,
				   const struct rx_address *from);

/*
 * The steps of a commit: write, make durable, acknowledge. Between them more lines can be accepted,
 * while the disk is busy. One commit at a time goes through them, in this order, before the lines
 * accepted since the last one exceed memory.
 *
 * receiver_begin()   takes what is ready. NULL: there is nothing to do, or no memory for it
 * receiver_write()   calls the store, in any thread. A run that cannot be written does not
 *                    delay the others
 * receiver_end()     counts durable lines as stored, and refuses the others
 * receiver_answer()  acknowledges. Another commit may begin before that
 */
struct receiver_commit;
struct receiver_commit *receiver_begin(struct receiver *r);
void receiver_write(struct receiver_commit *c);
void receiver_end(struct receiver *r, struct receiver_commit *c);
void receiver_answer(struct receiver *r, struct receiver_commit *c);

/*
 * ---- Nodes whose keys are revoked ----
 *
 * A file has a UUID on each line, blank lines, and comments from `#` on.
 */

struct receiver_revoked {
	uint8_t (*at)[UUID_BYTES]; /* sorted */
	size_t count;
};

/*
 * False, with the reason on standard error: the file cannot be read, or a line, each of which is
 * reported, is no UUID. To be freed in any case.
 */
bool receiver_revoked_read(const char *command, const char *option, const char *path,
			   struct receiver_revoked *list);
void receiver_revoked_free(struct receiver_revoked *list);

bool receiver_revoked_has(const struct receiver_revoked *list, const uint8_t uuid[UUID_BYTES]);

/* ---- Between its files ---- */

/*
 * The account of `id`, made if there is none, and held until receiver_account_release(). NULL: out
 * of memory.
 */
struct receiver_account *receiver_account_hold(void **all, const struct receiver_account_id *id);

/* Release a held account; `account` may be NULL. */
void receiver_account_release(void **all, struct receiver_account *account);

/* Add to an account, or subtract at most what it has; `account` may be NULL. */
void receiver_account_count(struct receiver_account *account, uint64_t runs, uint64_t bytes,
			    bool is_less);

/* The host of an address; all zero for a family that is not known. */
struct receiver_account_id receiver_account_host(const struct rx_address *from);

void rx_lines_free(struct rx_lines *p);

/* Acknowledge what the node has sent so far. */
void receiver_acknowledge(struct receiver *r, struct receiver_run *run,
			  const struct rx_address *to);

/* Add the run to the next commit, or to a later one while a running commit has it. */
void receiver_mark(struct receiver *r, struct receiver_run *run);

/* Take the run's lines that are ready; ownership passes to the caller. */
struct rx_lines *receiver_take_ready(struct receiver *r, struct receiver_run *run);

/* The account of the node with that UUID; NULL: not a UUID, or memory has run out. */
struct receiver_account *receiver_hold_node(struct receiver *r, const char *uuid);

/* Forget a run; no commit may be writing it. */
void receiver_forget(struct receiver *r, struct receiver_run *run);
