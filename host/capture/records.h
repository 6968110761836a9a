/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the JSON text of a record back to its struct, along the same field
 * tables that wrote it. Records come from captures: nothing in them is believed
 * before it was checked.
 */
#ifndef HOST_RECORDS_H
#define HOST_RECORDS_H

#include "core/records/record.h"
#include "core/lib/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The type of that name; false when there is none. */
bool records_type(const char *name, size_t bytes, enum record_type *type);

/*
 * Parse one line, a JSON object. NULL when it is not one: *why then says what
 * is wrong. Integers from 2^63, which jansson does not hold, become strings of
 * digits; records_decode() knows them.
 */
json_t *records_parse(const char *text, size_t bytes, struct text *why);

/*
 * Join the part of a record to the parts before it: objects merge, arrays
 * append. False when the two do not fit together; `whole` is then spoilt.
 */
bool records_join(json_t *whole, json_t *part);

/*
 * Fill the struct of `type`. Unknown fields are ignored; absent strings are
 * NULL and absent numbers not known where the type allows it. False when a
 * field is missing or of the wrong kind: *why says which. Strings in *record
 * live as long as `object`; records_release() frees the rest, and is to be
 * called whatever the result.
 */
bool records_decode(json_t *object, enum record_type type, union record *record, struct text *why);
void records_release(enum record_type type, union record *record);

/* What the field tables cannot say: names that stand for an enum. */
void records_finish(enum record_type type, union record *record);

#endif
