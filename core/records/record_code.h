/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of the code on the screen: a `summary` record in one line of printable ASCII.
 *
 *   NF1;sid=<16 hex>;version=0.1.0;machine.vendor=Dell Inc.;.product=R760;...;crc=<8 hex>
 *
 * Its fields are those of the record (record_rows.h), in their order; absent ones are left out. A
 * field of an object is named after it, as in machine.vendor, and where the field before is in the
 * same object, by `.` and its own name. Numbers are decimal; causes are NAME:GAPS:NS, ... . In
 * strings, `;`, `%` and all that is not printable ASCII are %XX. crc is the CRC-32C of the bytes
 * before `;crc`.
 */
#pragma once

#include "core/lib/text.h"
#include "record.h"
#include "record_field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_CODE_MARK "NF"
#define RECORD_CODE_HEAD RECORD_CODE_MARK "1;sid="
#define RECORD_CODE_CRC  ";crc="

#define RECORD_CODE_BYTES_MAX 858 /* what a QR code of version 20 and level L holds: 97 modules */
/*
 * A string has at most so many bytes as it is written. Where the text would be too long, strings
 * are cut further, but not below the second; if that is not enough, fields that may be absent are
 * left out, from the last row up.
 */
#define RECORD_CODE_STRING_MAX 48
#define RECORD_CODE_STRING_MIN 16

/*
 * Write the line, without a newline, to a text that has room for RECORD_CODE_BYTES_MAX and the NUL,
 * which is enough: even the largest numbers leave some for what may be absent.
 */
void record_code_write(struct text *t, uint64_t sid, const struct record_summary *summary);

/* The fields one by one, for the writer and the reader. */
struct record_code_walk {
	const struct record_field *next;
	struct text object; /* that the field is in, "machine"; else "" */
	char object_buf[32];
	size_t outer[2]; /* lengths of the objects around that */
	unsigned depth;
};

void record_code_walk_start(struct record_code_walk *w);

/* NULL: there is none left. */
const struct record_field *record_code_walk_next(struct record_code_walk *w);
