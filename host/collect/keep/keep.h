/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which runs of a collector's folder are to be removed by --keep: the oldest first, by the order of
 * the index. Never one that is not forwarded yet, or that was written to within KEEP_LEAST_S: none
 * of its datagrams is valid any more then, so that nobody begins it anew. A run without an end goes
 * only when nothing was written to it for KEEP_UNENDED_S. A machine's latest run stays, and its
 * latest one that has ended, however old: they are what is known of the machine.
 *
 * An age is the sum of the times between the runs' last lines. Of each of these a quarter of the
 * limit counts at most, as the clock may have jumped in it.
 */
#pragma once

#include "host/store/index.h"

#define KEEP_LEAST_S   7200 /* twice the time for which receiver.c issues a token */
#define KEEP_UNENDED_S 86400
#define KEEP_FORMS     "an age, such as 90d (h d w; 2h at least), or a size, such as 50G (K M G T)"

/* 0: no limit. */
struct keep_limits {
	uint64_t age_s; /* since the last line was written */
	uint64_t bytes; /* that the runs use on the disk */
};

/* Set one of them from "90d", "50G". False: it is neither. */
bool keep_parse(const char *text, struct keep_limits *limits);

/* All zero at first. */
struct keep_clock {
	bool is_known;
	int64_t ahead_s;  /* of the time since the boot */
	uint64_t again_s; /* since the boot: when it is believed again */
};

#define KEEP_STEP_S 60

/*
 * Is the clock believed, by which it is `now`, s since 1970, `boot_s` after the boot? Not within
 * KEEP_LEAST_S after it was set by KEEP_STEP_S or more since a call before: a run that has just
 * ended may look old.
 */
bool keep_believes(struct keep_clock *clock, uint64_t now, uint64_t boot_s);

/* A run that is to be removed. */
struct keep_run {
	uint64_t sid, bytes; /* on the disk */
	bool is_own;         /* begun with the node's own key */
	char from[INDEX_FROM_MAX], uuid[SUMMARY_TEXT];
};

struct keep_choice {
	struct keep_run *run; /* in the order in which to remove them */
	size_t count;
	uint64_t bytes; /* of these */
	uint64_t over;  /* bytes by which the others exceed the limit */
	/* Since the last line of any run, if that exceeds the limit of age; 0: it does not. */
	uint64_t quiet_s;
};

struct keep_question {
	int dir;
	struct keep_limits limits;
	uint64_t now;       /* by the clock, s since 1970 */
	bool must_forward;  /* what is not forwarded yet, by DIR/forwarded, stays */
	_Atomic bool *stop; /* NULL: nobody stops it */
};

/* 0 or an errno; ECANCELED: it was stopped. Without the index nothing is chosen. */
int keep_choose(const struct keep_question *q, struct keep_choice *choice);

void keep_free(struct keep_choice *choice);
