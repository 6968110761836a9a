/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --keep: which runs are removed. The oldest go first, in the order in which they were begun. A run
 * stays while it is not forwarded yet, and for RETENTION_LEAST_S after it was last heard of: after
 * that, none of its datagrams is valid, so nobody can begin it anew. A run without an end goes only
 * when nothing was heard of it for RETENTION_UNENDED_S. A machine's latest run stays, and its
 * latest one that has ended, however old: they are what is known of the machine. The run with the
 * latest quote by a TPM's key stays, too: older quotes that arrive late are refused by it.
 *
 * An age is the sum of the times between the runs' last lines. Each of these times counts as at
 * most a quarter of the limit, because the clock may have jumped in it.
 */
#pragma once

#include "host/fleet/store/store.h"

#define RETENTION_LEAST_S   7200 /* twice the time for which receiver.c issues a token */
#define RETENTION_UNENDED_S 86400
#define RETENTION_FORMS     "an age like 90d (at least 2h), or a size like 50G (K M G T)"

/* 0: no limit. */
struct retention_limits {
	uint64_t age_s; /* since the last line was received */
	uint64_t bytes; /* sum over the runs' lines */
};

/* Set one of them from "90d", "50G". False: it is neither. */
bool retention_parse(const char *text, struct retention_limits *limits);

/* All zero at first. */
struct retention_clock {
	bool is_known;
	int64_t ahead_s;  /* wall clock minus time since boot */
	uint64_t again_s; /* since the boot: when it is believed again */
};

#define RETENTION_STEP_S 60

/*
 * True if the clock is believed; it shows `now`, s since 1970, `boot_s` after the boot. False for
 * RETENTION_LEAST_S after it was set by RETENTION_STEP_S or more since an earlier call, as a run
 * that has just ended may then look old.
 */
bool retention_believes(struct retention_clock *clock, uint64_t now, uint64_t boot_s);

/*
 * The work on a store, in steps of one short transaction each, between which lines are committed:
 * runs are chosen at the start, every 10 minutes and on request, then removed, and then their
 * lines.
 */
enum retention_step { RETENTION_CHOOSES, RETENTION_REMOVES, RETENTION_SWEEPS };

struct retention {
	struct retention_limits limits;
	bool must_forward; /* runs that are not forwarded yet are retained */
	uint64_t due_ns;   /* when runs are chosen next; 0: now */
	struct retention_clock clock;
	bool is_silent; /* a silence longer than a limit was logged */
	enum retention_step step;
	bool has_removed; /* the last step has: RETENTION_GONE */
};

/* A query for the runs that the last step has removed: host, uuid, is_own, bytes, sid. */
#define RETENTION_GONE "SELECT host, uuid, is_own, bytes, sid FROM temp.gone"

/*
 * Choose the runs that the next steps remove, and put them into the connection's table `going`.
 * `now` is the time, s since 1970. Returns 0 or an errno.
 */
int retention_choose(struct retention *r, struct store *s, uint64_t now);

bool retention_is_due(const struct retention *r);

/* Do a step. */
void retention_work(struct retention *r, struct store *s);
