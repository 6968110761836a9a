/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --keep: which runs are removed. The oldest first, in the order in which they were begun. Never
 * one that is not forwarded yet, or was heard of within RETENTION_LEAST_S: none of its datagrams is
 * valid any more then, so that nobody begins it anew. A run without an end goes only when nothing
 * was heard of it for RETENTION_UNENDED_S. A machine's latest run stays, and its latest one that
 * has ended, however old: they are what is known of the machine. So does the run with the latest
 * quote by a TPM's key: by it older ones that come late are refused.
 *
 * An age is the sum of the times between the runs' last lines. Of each of these a quarter of the
 * limit counts at most, as the clock may have jumped in it.
 */
#pragma once

#include "host/fleet/store/store.h"

#define RETENTION_LEAST_S   7200 /* twice the time for which receiver.c issues a token */
#define RETENTION_UNENDED_S 86400
#define RETENTION_FORMS     "an age like 90d (at least 2h), or a size like 50G (K M G T)"

/* 0: no limit. */
struct retention_limits {
	uint64_t age_s; /* since the last line was received */
	uint64_t bytes; /* of the runs' lines */
};

/* Set one of them from "90d", "50G". False: it is neither. */
bool retention_parse(const char *text, struct retention_limits *limits);

/* All zero at first. */
struct retention_clock {
	bool is_known;
	int64_t ahead_s;  /* of the time since the boot */
	uint64_t again_s; /* since the boot: when it is believed again */
};

#define RETENTION_STEP_S 60

/*
 * Is the clock believed, by which it is `now`, s since 1970, `boot_s` after the boot? Not within
 * RETENTION_LEAST_S after it was set by RETENTION_STEP_S or more since a call before: a run that
 * has just ended may look old.
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
	bool must_forward; /* what is not forwarded yet stays */
	uint64_t due_ns;   /* when runs are chosen next; 0: now */
	struct retention_clock clock;
	bool is_silent; /* a silence longer than a limit was logged */
	enum retention_step step;
	bool has_removed; /* the last step has: RETENTION_GONE */
};

/* A query for the runs that the last step has removed: host, uuid, is_own, bytes, sid. */
#define RETENTION_GONE "SELECT host, uuid, is_own, bytes, sid FROM temp.gone"

/*
 * Choose the runs that are to be removed, for the next steps, by a clock on which it is `now`, s
 * since 1970: in the connection's table `going`. 0 or an errno.
 */
int retention_choose(struct retention *r, struct store *s, uint64_t now);

bool retention_is_due(const struct retention *r);

/* Do a step. */
void retention_work(struct retention *r, struct store *s);
