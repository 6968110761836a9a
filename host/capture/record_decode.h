/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the JSON text of a record to its struct, by the same field tables that wrote it. Any
 * valid spelling is read: white space, order, escapes, fields that this program does not know.
 * Records come from captures: nothing in them is trusted before it is checked.
 */
#pragma once

#include "line.h"

#include "core/lib/text.h"
#include "core/records/record_field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies of strings and pairs; all zero at first. */
struct record_owned {
	void **at;
	size_t count;
};

/* All zero at first. */
struct record_decode {
	union record record; /* strings and pairs live until the next start */
	enum record_type type;
	const struct record_field *fields; /* fields of the type */
	uint64_t rows;                     /* a bit for each that has a value */
	bool has_pairs;
	char *strings; /* strings of the latest line */
	size_t used, room;
	struct record_owned older; /* strings of the lines before */
};

/* The type of that name; false when there is none. */
bool record_decode_type(const char *name, size_t bytes, enum record_type *type);

/* Bytes of the struct of a type. */
size_t record_decode_bytes(enum record_type type);

/* Start to decode a record. */
void record_decode_start(struct record_decode *d, enum record_type type);

/*
 * Take in a line, which line_read() has verified. Of several, objects merge, arrays
 * append, keys must be equal, and nothing else may occur twice. False when it is not JSON, or a
 * field is not of its kind; *why has the reason. Ends the program when memory has run out.
 */
bool record_decode_line(struct record_decode *d, const struct line *line, struct text *why);

/*
 * End a record of which all lines are there. Absent strings are NULL, and absent numbers not known,
 * if the type allows it. False if another field is missing; *why names it.
 */
bool record_decode_finish(struct record_decode *d, struct text *why);

void record_decode_free(struct record_decode *d);

/*
 * Copy the strings and pairs of a record, and point it to the copies. Ends the program when memory
 * has run out.
 */
void record_decode_own(struct record_owned *owned, enum record_type type, union record *record);

/* True if two records of a type have the same value in a field: a string or a number. */
bool record_decode_same(const struct record_field *f, const void *a, const void *b);

/* Free all but the first `count`. */
void record_decode_disown(struct record_owned *owned, size_t count);
