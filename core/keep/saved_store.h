/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports in a store of variables: NoisefloorReport0 to 5, two sets of SAVED_PARTS. A report, which
 * is what saved_run_pack() has packed, is cut into parts. One of several parts never takes the
 * place of another of several: it goes to the other set, so that at any moment at which the power
 * may fail one of them is whole. One of a single variable stays where it is: that the firmware
 * replaces at once (UEFI 2.10, 8.2.3). A part is a piece of the report after a head of its own:
 *
 *   offset 0   "NFV", then 1
 *          4   the report's last 4 bytes, its CRC: equal in all parts of a report
 *          8   number of the part, from 0; 9: count of parts
 *         10   which report of the run this is, 16 bits: the newer one counts
 *
 * The store is the firmware's, and small. EDK II cannot compact it while an operating system runs:
 * there each write costs its full size until the next start (MdeModulePkg, Variable.c, "not
 * allowed to be reclaimed in Runtime"). So it is not filled by checkpoints.
 */
#pragma once

#include "saved_run.h"

#define SAVED_PARTS     3u /* a report has at most that many */
#define SAVED_PART_HEAD 12u
#define SAVED_SETS      2u
#define SAVED_VARIABLES (SAVED_SETS * SAVED_PARTS)

/* The variables have this name, with a digit behind it, and this GUID. */
#define SAVED_NAME "NoisefloorReport"
#define SAVED_GUID "77cca71c-9cb0-422d-9cb0-be2977edbfe7"

enum saved_status { SAVED_OK, SAVED_NONE, SAVED_FULL, SAVED_UNSUPPORTED, SAVED_REFUSED };

/* Where variables are; those of a test, of the firmware, or files. */
struct saved_variables {
	/* SAVED_NONE: there is no such variable; SAVED_FULL: it is longer than `cap`. */
	enum saved_status (*get)(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes);
	/* 0 bytes: remove it. */
	enum saved_status (*set)(void *ctx, unsigned n, const void *value, size_t bytes);
	void *ctx;
};

/* One variable, number 0, in memory. It is the `ctx` of these functions. */
struct saved_memory {
	void *value;
	size_t bytes, cap;
};
enum saved_status saved_memory_get(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes);
enum saved_status saved_memory_set(void *ctx, unsigned n, const void *value, size_t bytes);

/*
 * The newest whole report: SAVED_STATE_NONE for nothing. `out` has room for SAVED_PARTS * `cap`,
 * `part` for `cap`; *bytes of `out` are used.
 */
enum saved_state saved_read(const struct saved_variables *v, void *out, void *part, size_t cap,
			    size_t *bytes);

/* The reports of a run, one after the other. */
struct saved_writer {
	const struct saved_variables *variables;
	void *part, *back; /* room for a variable each */
	size_t cap;        /* of these */

	unsigned set, parts; /* where the last report went; parts 0: there is none yet */
	uint16_t sequence;
	bool full;       /* the last did not go there for want of room */
	unsigned writes; /* variables written so far */
};

/* The members above the blank line are set. The first report goes over whatever is there. */
void saved_begin(struct saved_writer *w);

/*
 * Write a report in parts of at most `part_bytes`, which is at most w->cap. What was written is
 * read back. NULL, or why not.
 */
const char *saved_write(struct saved_writer *w, const void *report, size_t bytes,
			size_t part_bytes);

/* Remove all of them, the first part of each set first. False: some of it stays. */
bool saved_remove(const struct saved_variables *v);

/* What a report takes from the store. */
size_t saved_cost(size_t bytes, size_t part_bytes);

/* Of a store with `all` bytes and `left` of them free: what may be used. One part in 4 stays free.
 */
uint64_t saved_room(uint64_t all, uint64_t left);

/*
 * How many more checkpoints of so many bytes the store takes, if the last report, which may be
 * twice as long, is to find room after them. `room`: saved_room(); `most`: bytes of a report.
 */
uint64_t saved_checkpoints(uint64_t room, size_t bytes, size_t most, size_t part_bytes);

/* From one checkpoint to the next, where `count` are left and the run takes `rest_ns` more. */
uint64_t saved_interval(uint64_t every_ns, uint64_t rest_ns, uint64_t count);
