/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records over UDP: the two datagrams, byte by byte. A node sends `data`, the collector answers
 * with `ack`. All numbers are little-endian.
 *
 * data, at most DATAGRAM_MAX (1216) bytes:
 *
 *    0   4  "nfd2"
 *    4   1  flags: bit 0: signed; the others are 0
 *    5   1  0
 *    6   2  lines: how many record lines follow, at least 1
 *    8   8  sid of the run, as in its records
 *   16   8  token that the collector gave, see below; 0: none yet
 *   24   8  seq of the first line
 *   32   8  number of this datagram, from 0; sent again, it has the same number and lines
 *   40   4  lost: number of lines right before this seq that will not arrive, because the node
 *           had no room for them, or because another collector has acknowledged them
 *   44  16  UUID of the machine, in the order of its text: of "4c4c4544-0042-..." the first bytes
 *           are 4c 4c 45 44 00 42; 0: it has none
 *   60      the lines, each a record's line with its newline, with consecutive seq: from
 *           DATAGRAM_LINES_MIN to DATAGRAM_LINES_MAX (32 to 1136) bytes
 *        16 tag, if signed: SipHash-2-4-128 under the key, of everything before it
 *        4  CRC-32C of everything before it
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
 * `next` never goes back. `held` is not a guarantee: a collector may forget such datagrams, when it
 * is restarted or short of memory, and clears their bits from then on. So a node keeps every line
 * until it is below `next`. It sends at most DATAGRAM_WINDOW datagrams from the first that has a
 * line at or above `next`. After a restart `next` may be inside a datagram; the collector takes
 * from it the lines that are missing.
 *
 * An ack whose `next` is lower than that of an earlier one was overtaken, or comes from a collector
 * that cannot read its files, or from another one: only its state counts. A datagram that is not
 * the first of an unknown run is answered with `next` 0.
 *
 * Another collector may take the place of the first, with the same address, in the middle of a run.
 * After such an ack a node therefore sends the first datagram that it has with `lost` = `seq`: the
 * collector begins the run there, or goes on after a gap. To one that has the lines it makes no
 * difference.
 *
 * A datagram continues what is stored if seq - lost <= next. Lines below next are duplicates and
 * acknowledged again. An ack is never longer than what it answers.
 *
 * Keys. With a key, both ends sign what they send and accept nothing unsigned; without a key, they
 * accept nothing signed. An ack that is not signed may still carry a state of refusal, which a node
 * only displays. Replay: the collector writes nothing before the node has sent its token. An ack
 * with the state DATAGRAM_CHALLENGE carries the token, and what was sent without it, or with
 * another, is sent again. A token is valid for one run and until the collector restarts. A run
 * without a file is begun only with one that is not older than two hours, and that was given to the
 * same host: the same IPv4 address, or first 64 bits of an IPv6 address. So a run counts for the
 * host that began it, whatever source others forge; and recorded traffic is useless after a
 * restart, at another collector, or later; and while the run is known it is a duplicate, which is
 * answered where it came from. A node refuses acks with a token that another has replaced, as long
 * as it gets others.
 *
 * The key is that of the fleet or the node's own, which the collector makes of the fleet's and of
 * the UUID above (`noisefloor fleet key`); for anything else that UUID does not count. A run
 * belongs to the key that began it: what is signed with another that the collector accepts
 * elsewhere is answered DATAGRAM_WRONG_KEY. So is, under a node's own key, a `begin` whose first
 * line does not have that UUID as its machine.uuid, or another line of which has a different one.
 */
#pragma once

#include "core/records/record.h"
#include "core/lib/siphash.h"
#include "core/lib/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATAGRAM_MAX       1216 /* below the 1232 that fit IPv6's least MTU (RFC 8200, section 5) */
#define DATAGRAM_HEADER    60
#define DATAGRAM_TAIL_MAX  (SIPHASH_TAG_BYTES + 4)
#define DATAGRAM_LINES_MAX (DATAGRAM_MAX - DATAGRAM_HEADER - DATAGRAM_TAIL_MAX)
#define DATAGRAM_LINES_MIN 32 /* no record is shorter; so no ack is longer than what it answers */
#define DATAGRAM_ACK_MAX   68
#define DATAGRAM_WINDOW    64 /* bits of `held` */

_Static_assert(RECORD_LINE_MAX <= DATAGRAM_LINES_MAX, "a record's line fits into a datagram");

enum datagram_state {
	DATAGRAM_TAKEN,       /* next and held have the progress */
	DATAGRAM_CHALLENGE,   /* send again, with this token */
	DATAGRAM_NO_SPACE,    /* the lines could not be written: disk full or failing */
	DATAGRAM_NO_RUNS,     /* this collector has the maximum number of runs */
	DATAGRAM_WANTS_KEY,   /* not signed, but must be */
	DATAGRAM_WITHOUT_KEY, /* signed, but the collector has no key */
	DATAGRAM_WRONG_KEY,   /* signed with another key, or forged */
	DATAGRAM_STATES
};

/* Text for messages: "taken", "the collector's disk is full or fails", ... */
const char *datagram_state_text(enum datagram_state state);

struct datagram {
	uint64_t sid, token, seq, number;
	uint32_t lost;
	uint16_t lines;
	const uint8_t *uuid; /* UUID_BYTES; to be written, NULL stands for all 0 */
	const char *text;    /* the lines; not terminated */
	size_t bytes;
};

struct datagram_ack {
	enum datagram_state state;
	uint64_t sid, token, next, base, held;
};

enum datagram_result {
	DATAGRAM_OK,
	DATAGRAM_MALFORMED,  /* not in this format */
	DATAGRAM_DAMAGED,    /* its CRC is wrong */
	DATAGRAM_NOT_SIGNED, /* a key is configured, and there is no tag */
	DATAGRAM_NOT_ASKED,  /* signed, but there is no key */
	DATAGRAM_FORGED,     /* its tag is wrong */
};

/*
 * Write the datagram; `key` NULL: not signed. The lines may already be in place, at out +
 * DATAGRAM_HEADER. Returns its length; 0 if there are more than DATAGRAM_LINES_MAX bytes of lines
 * or fewer than DATAGRAM_LINES_MIN.
 */
size_t datagram_write(uint8_t out[DATAGRAM_MAX], const struct datagram *d, const uint8_t *key);
size_t datagram_write_ack(uint8_t out[DATAGRAM_ACK_MAX], const struct datagram_ack *a,
			  const uint8_t *key);

/*
 * Read a datagram; `key` NULL: it must not be signed. The struct is filled in except for
 * DATAGRAM_MALFORMED and DATAGRAM_DAMAGED. The lines themselves are not checked.
 */
enum datagram_result datagram_read(const uint8_t *bytes, size_t count, const uint8_t *key,
				   struct datagram *d);
/* The run of a datagram that is not checked; 0 if it is too short for one. */
uint64_t datagram_sid(const uint8_t *bytes, size_t count);

enum datagram_result datagram_read_ack(const uint8_t *bytes, size_t count, const uint8_t *key,
				       struct datagram_ack *a);
