/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: everything noisefloor reports to machines, as JSON Lines. Each type has a struct and a
 * field table (record_field.h), which the writer (here) and the reader (host/) use. Both are made
 * from record_table.h.
 *
 *   {"nf":1,"sid":"<16 hex>","seq":<n>,"type":"<type>", ... ,"crc":"<8 hex>"}
 *
 * crc is the CRC-32C of the line's bytes before `,"crc"`. seq counts from 0 per link. A line is at
 * most RECORD_LINE_MAX bytes with its newline; a record that needs more is written as several lines
 * of its type, each with the record's key fields, "part":<n from 0>, and "more":true on all but the
 * last. A reader joins parts by merging objects and appending arrays; their seq are consecutive.
 *
 * Strings are bytes: outside printable ASCII each is written as \u00XX, so a reader sees them as
 * Latin-1.
 */
#pragma once

#include "core/cause/cause.h"
#include "core/lib/sha256.h"
#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_VERSION  1
#define RECORD_LINE_MAX 1136 /* bytes that fit a datagram of 1,216: datagram.h */
#define RECORD_KEY_MAX  64   /* a key string on a line, with its quotes */

enum record_type {
#define RECORD(id, name, about) RECORD_##id,
#include "record_table.h"
	RECORD_TYPES
};

/* "begin", "stage", ... */
const char *record_type_name(enum record_type type);

/* Pairs of numbers, [[a, b], ...]. */
struct record_pairs {
	const uint64_t (*at)[2];
	size_t count;
};

#define RECORD_STRINGS 16

/* The machine, as SMBIOS names it. */
struct record_machine {
	const char *vendor, *product, *board;
	const char *bios_vendor, *bios_version, *bios_date;
	const char *uuid;
};

#define RECORD_TIMERS 4

/* Number of timers: the array ends at the first without a name, or at RECORD_TIMERS. */
static inline size_t record_timers(const struct period_timer *timers)
{
	size_t count = 0;

	while (count < RECORD_TIMERS && timers[count].name)
		count++;
	return count;
}

/* The structs of the records. */
#define MEMBER_U64(name)     uint64_t name;
#define MEMBER_I64(name)     int64_t name;
#define MEMBER_U32(name)     uint32_t name;
#define MEMBER_BOOL(name)    bool name;
#define MEMBER_STRING(name)  const char *name;
#define MEMBER_MAYBE(name)   struct maybe name;
#define MEMBER_PAIRS(name)   struct record_pairs name;
#define MEMBER_STRINGS(name) const char *name[RECORD_STRINGS];
#define MEMBER_CAUSES(name)  struct cause_sum name[CAUSES];
#define MEMBER_TIMERS(name)  struct period_timer name[RECORD_TIMERS];
#define MEMBER_TOTALS(name)  uint64_t name[RECORD_TYPES];

/* clang-format off */
#define RECORD(id, name, about)                 struct record_##name {
#define RECORD_END(name)                        };
#define FIELD(kind, member, help, ...)          MEMBER_##kind(member)
#define INNER(kind, outer, member, help, ...)   MEMBER_##kind(member)
#define OPEN(member)                            struct {
#define CLOSE(member)                           } member;
#define OPEN_AS(name, declaration)              declaration;
#define CLOSE_AS(name)
#include "record_table.h"
/* clang-format on */

/*
 * True if the run's processor has neither SMIs nor NMIs. Records then lack their fields, and tables
 * their columns.
 */
bool record_no_smi(const struct record_begin *begin);

/* A record of any type that has a struct. */
union record {
#define RECORD(id, name, about) struct record_##name name;
#include "record_table.h"
};

/* One output: serial, UDP, file. Each counts its own records. */
struct record_link {
	bool no_smi; /* record_no_smi() of the run */
	/* Writes a line of JSON, with its newline. NULL with `take`. */
	void (*write)(struct record_link *link, const char *line, size_t bytes);
	/* For links with other formats: takes the record itself, instead of lines. NULL: lines. */
	void (*take)(struct record_link *link, enum record_type type, const void *data);
	uint64_t sid;
	size_t string_max;           /* longest string as written, with its quotes; 0: any */
	uint64_t seq;                /* number of the next line */
	uint64_t sent[RECORD_TYPES]; /* records, not lines */
	bool hashed;                 /* `lines` is kept up */
	struct sha256 lines;         /* hash of all lines, also of a link that takes records */
};

/* Hash all lines from now on. Call it before the first line. */
void record_hash(struct record_link *link);

/*
 * Write one record of `type` to the link, or pass it on if the link takes records. `data` is the
 * type's struct. For RECORD_END the link's own totals (this record included) replace data's. A
 * single string longer than fits a line is cut, a key string to RECORD_KEY_MAX bytes as written.
 * Allocates nothing; one core at a time.
 */
void record_send(struct record_link *link, enum record_type type, const void *data);

/*
 * Write a line of record_send() again, with its newline, with the sid of this link and its next
 * number. The caller updates the totals of records. False: it is no such line, or becomes too long.
 */
bool record_resend(struct record_link *link, const char *line, size_t bytes);
