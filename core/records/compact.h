/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compact report: the records of a run in some kilobytes, for a firmware's variables, until it
 * is read and converted to records again.
 *
 *   offset 0   "NFR", then COMPACT_VERSION
 *          4   bytes in all, with head and CRC
 *          8   the run's sid
 *         16   when it began, s since 1970; 0: not known
 *         24   flags, enum compact_flag
 *         28   CRC-32C of the field tables' names and kinds (record_field.h)
 *         32   how often the run writes to the firmware's store, this report included, 16 bits
 *         34   in how many variables the report is, 16 bits
 *         36   noisefloor's version, NUL-padded
 *         48   records, each a byte with its enum record_type, then its fields in the tables' order
 *        n-4   CRC-32C of all before it
 *
 * Numbers in front are little-endian. Fields: integers as LEB128, signed ones zigzag; a maybe is 0,
 * or 1 and its value; a string is 0 for NULL, 1 and its bytes and a NUL, or, if the same bytes
 * occur before, 2 and more: their offset in the report plus 2. Lists have their count in front,
 * causes a mask. The low edges of a histogram are stored as differences. Totals are left out: the
 * writer of records counts them again.
 */
#pragma once

#include "record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPACT_VERSION     1
#define COMPACT_HEAD        48
#define COMPACT_CRC         4u
#define COMPACT_VERSION_MAX 12

enum compact_flag {
	COMPACT_ENDED = 1,     /* the run has ended; else it was still running */
	COMPACT_DELIVERED = 2, /* a collector has acknowledged all its records */
};

struct compact_head {
	uint64_t sid;
	uint64_t began_s;
	uint32_t flags;
	uint16_t writes, variables;
	char version[COMPACT_VERSION_MAX + 1];
};

struct compact_writer {
	uint8_t *out;
	size_t cap, used;
};

/* `cap` from COMPACT_HEAD + 4 to 2^24. */
void compact_start(struct compact_writer *w, void *out, size_t cap);

/* Add a record; false if there is no room for it, and nothing is changed. */
bool compact_add(struct compact_writer *w, enum record_type type, const void *data);

/*
 * Head and checksum. Returns the report's size; more records may be added, and this called again.
 */
size_t compact_finish(struct compact_writer *w, const struct compact_head *head);

enum compact_state {
	COMPACT_OK,
	COMPACT_OVER,    /* there is no further record */
	COMPACT_CUT,     /* truncated */
	COMPACT_DAMAGED, /* the checksum or the contents are wrong */
	COMPACT_FOREIGN, /* not a report, or of another version of noisefloor */
};

/* For messages, a predicate: "is damaged". */
const char *compact_state_text(enum compact_state state);

struct compact_reader {
	const uint8_t *in;
	size_t end, at;
	uint64_t (*pairs)[2]; /* `pair_cap` of them, for the lists of one record */
	size_t pair_cap;
	struct compact_head head;
	bool bad;
};

/* COMPACT_OK, or the error. Fills in *head even for a foreign report, as far as possible. */
enum compact_state compact_open(struct compact_reader *r, const void *report, size_t bytes);

/*
 * The next record. Its strings are in the report, any bytes but NUL; absent fields are as in
 * record.h. COMPACT_OK, COMPACT_OVER or COMPACT_DAMAGED.
 */
enum compact_state compact_next(struct compact_reader *r, enum record_type *type,
				union record *record);
