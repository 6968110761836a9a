/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records over UDP: the two datagrams, byte by byte. A node sends `data`, the collector
 * answers with `ack`. All numbers are little-endian.
 *
 * data, at most DATAGRAM_MAX (1200) bytes:
 *
 *    0   4  "nfd1"
 *    4   1  flags: bit 0: signed; the others are 0
 *    5   1  0
 *    6   2  lines: how many record lines follow, at least 1
 *    8   8  sid of the run, as in its records
 *   16   8  token that the collector gave, see below; 0: none yet
 *   24   8  seq of the first line
 *   32   8  number of this datagram, from 0; sent again, it has the same number and lines
 *   40   4  lost: so many lines right before this seq are not in the datagram with the
 *           number before, because the node had no room for them: they never come
 *   44      the lines, each as a record's line with its newline, their seq neighbours: from
 *           DATAGRAM_LINES_MIN to DATAGRAM_LINES_MAX (32 to 1136) bytes
 *        16 tag, if signed: SipHash-2-4-128 under the key of all that stands before it
 *        4  CRC-32C of all that stands before it
 *
 * ack, 52 or, signed, 68 bytes:
 *
 *    0   4  "nfa1"
 *    4   1  flags: as above
 *    5   1  state, enum datagram_state
 *    6   2  0
 *    8   8  sid
 *   16   8  token to use from now on; 0: none is needed
 *   24   8  next: all lines with a seq below it are on stable storage, or are known to be lost
 *   32   8  base, the number of a datagram
 *   40   8  held: bit i: datagram base + i has come and waits in memory for those before it
 *   48  16  tag, if signed
 *        4  CRC-32C
 *
 * `next` never goes back. `held` is no promise: a collector may forget such datagrams, when
 * it is started again or short of memory, and leaves their bits out from then on. So a node
 * keeps every line until `next` has passed it. It sends at most DATAGRAM_WINDOW datagrams
 * from the first that has a line not passed. After a restart `next` may stand inside of a
 * datagram; the collector takes from it the lines that are missing.
 *
 * An ack whose `next` is lower than that of one before was overtaken, or comes from a collector
 * that cannot look at what it has: its state alone counts. A datagram that is not the first of a
 * run of which nothing is kept is answered with `next` 0.
 *
 * A datagram follows on what is kept when seq - lost <= next. Lines below next are
 * duplicates and acknowledged again. An ack is never longer than what it answers.
 *
 * Keys. With a key, both ends sign what they send and take nothing else: neither what is not
 * signed nor, for want of a key here, what is. An ack that is not signed may still carry a
 * state that refuses, which a node shows to people and does nothing else about. Replay: the
 * collector writes nothing before the node has shown its token. It says the token in the
 * state DATAGRAM_CHALLENGE, and what was sent without, or with another, is sent again. A
 * token belongs to one run and one life of the collector, and a run that has no file yet is begun
 * only with one that is not older than two hours. So what somebody recorded is worth nothing
 * after a restart, at another collector, or later; and while the run is known it is a duplicate.
 */
#ifndef CORE_DATAGRAM_H
#define CORE_DATAGRAM_H

#include "record.h"
#include "core/lib/siphash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATAGRAM_MAX       1200
#define DATAGRAM_HEADER    44
#define DATAGRAM_TAIL_MAX  (SIPHASH_TAG_BYTES + 4)
#define DATAGRAM_LINES_MAX (DATAGRAM_MAX - DATAGRAM_HEADER - DATAGRAM_TAIL_MAX)
#define DATAGRAM_LINES_MIN 32 /* no record is shorter; so no ack is longer than what it answers */
#define DATAGRAM_ACK_MAX   68
#define DATAGRAM_WINDOW    64 /* bits of `held` */

_Static_assert(RECORD_LINE_MAX <= DATAGRAM_LINES_MAX, "a record's line fits into a datagram");

enum datagram_state {
	DATAGRAM_TAKEN,       /* next and held say how far it is */
	DATAGRAM_CHALLENGE,   /* send again, with this token */
	DATAGRAM_NO_SPACE,    /* what came could not be written: disk full, or a failing one */
	DATAGRAM_NO_RUNS,     /* this collector has as many runs as it takes */
	DATAGRAM_WANTS_KEY,   /* it was not signed, and must be */
	DATAGRAM_WITHOUT_KEY, /* it was signed, and the collector has no key */
	DATAGRAM_WRONG_KEY,   /* signed with another key, or forged */
	DATAGRAM_STATES
};

/* For people: "taken", "its disk is full or fails", ... */
const char *datagram_state_text(enum datagram_state state);

struct datagram {
	bool is_signed;
	uint64_t sid, token, seq, number;
	uint32_t lost;
	uint16_t lines;
	const char *text; /* the lines; not terminated */
	size_t bytes;
};

struct datagram_ack {
	bool is_signed;
	enum datagram_state state;
	uint64_t sid, token, next, base, held;
};

enum datagram_result {
	DATAGRAM_OK,
	DATAGRAM_MALFORMED,  /* not in this format */
	DATAGRAM_DAMAGED,    /* its CRC is wrong */
	DATAGRAM_NOT_SIGNED, /* and there is a key */
	DATAGRAM_NOT_ASKED,  /* signed, and there is no key */
	DATAGRAM_FORGED,     /* its tag is wrong */
};

/*
 * Write the datagram; `key` NULL: not signed (is_signed is not looked at). The lines may be
 * in their place, out + DATAGRAM_HEADER, already. Returns its length; 0 when there are more than
 * DATAGRAM_LINES_MAX bytes of lines or less than DATAGRAM_LINES_MIN.
 */
size_t datagram_write(uint8_t out[DATAGRAM_MAX], const struct datagram *d, const uint8_t *key);
size_t datagram_write_ack(uint8_t out[DATAGRAM_ACK_MAX], const struct datagram_ack *a,
			  const uint8_t *key);

/*
 * Read a datagram; `key` NULL: it is not to be signed. The struct is filled in but for
 * DATAGRAM_MALFORMED and DATAGRAM_DAMAGED. Nothing is said of the lines themselves.
 */
enum datagram_result datagram_read(const uint8_t *bytes, size_t count, const uint8_t *key,
				   struct datagram *d);
enum datagram_result datagram_read_ack(const uint8_t *bytes, size_t count, const uint8_t *key,
				       struct datagram_ack *a);

#endif
