/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as noisefloor itself writes them, read without a JSON parser. What is not exactly
 * in that form is left to the parser: whatever is taken here, it would take too, and decode
 * to the same struct.
 */
#ifndef HOST_QUICK_H
#define HOST_QUICK_H

#include "line.h"
#include "records.h"

/* Room for the strings of one record. */
#define QUICK_STRINGS 4096

/* Are all fields of the type of kinds that are read here? */
bool quick_knows(enum record_type type);

/*
 * Fill the struct of `type` from a line that line_read() took. False: ask the parser. Strings
 * live in `strings`. Nothing is to be released.
 */
bool quick_decode(const struct line *line, enum record_type type, union record *record,
		  char strings[QUICK_STRINGS]);

#endif
