/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the JSON text of a record back to its struct, along the same field tables that wrote it. Any
 * valid spelling is read: white space, order, escapes, fields that this program does not know.
 * Records come from captures: nothing in them is trusted before it is checked.
 */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_layout;

/* Rows of one type's field table. */
#define RECORD_DECODE_ROWS 96

/* All zero at first. */
struct record_decode {
	union record record; /* strings and pairs live until the next start */
	struct maybe part;   /* of the last line: its number among the lines of the record */
	enum record_type type;
	const struct record_field *fields; /* of that type */
	const struct record_layout *layout;
	char *strings;
	size_t used, room;
	size_t taken; /* fields with a value */
	struct {
		const char *at;
		size_t bytes;
	} value[RECORD_DECODE_ROWS]; /* as it stands in the text */
};

/* The type of that name; false when there is none. */
bool record_decode_type(const char *name, size_t bytes, enum record_type *type);

/* Start a record whose lines have `bytes` in all. Ends the program when memory has run out. */
void record_decode_start(struct record_decode *d, enum record_type type, size_t bytes);

/*
 * Take in a line, from its LINE_MARK to its closing brace. Of several, objects merge, arrays
 * append, and everything else must be equal where it occurs twice. False when it is not JSON, or a
 * field is not of its kind; *why has the reason. The text lives as long as the record.
 */
bool record_decode_line(struct record_decode *d, const char *text, size_t bytes, struct text *why);

/* For who cannot keep the lines of a record, of a type of at most 64 fields: those it had so far.
 */
uint64_t record_decode_rows(const struct record_decode *d);

/*
 * After the start: earlier lines, which are gone, had these fields. Those that do not merge must
 * not occur again.
 */
void record_decode_resume(struct record_decode *d, uint64_t rows);

/*
 * All lines are there. Absent strings are NULL and absent numbers not known where the type allows
 * it. False when another field is missing; *why names it.
 */
bool record_decode_finish(struct record_decode *d, struct text *why);

void record_decode_free(struct record_decode *d);

/*
 * Copy the strings and pairs of a record and point it to the copies: one block, to be freed
 * when the record is. NULL where it has none. Ends the program when memory has run out.
 */
void *record_decode_own(enum record_type type, union record *record);
