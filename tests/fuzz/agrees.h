/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quick reader of records against the JSON parser: what it takes, the parser takes too,
 * to the same struct.
 */
#ifndef TESTS_FUZZ_AGREES_H
#define TESTS_FUZZ_AGREES_H

#include "core/records/record_field.h"

#include "host/capture/line.h"
#include "host/capture/quick.h"
#include "host/capture/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum agreement {
	AGREES_NO_LINE, /* not whole, or of a type that is not read here */
	AGREES_LEFT,    /* to the parser */
	AGREES_TAKEN,   /* and the parser says the same */
	AGREES_NOT,
};

static inline bool same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline bool same_maybe(const struct maybe *a, const struct maybe *b)
{
	return a->known == b->known && a->value == b->value;
}

static inline bool same_field(const struct record_field *f, const union record *x,
			      const union record *y)
{
	const void *a = (const char *)x + f->offset, *b = (const char *)y + f->offset;

	switch (f->kind) {
	case FIELD_U64:
		return memcmp(a, b, sizeof(uint64_t)) == 0;
	case FIELD_U32:
		return memcmp(a, b, sizeof(uint32_t)) == 0;
	case FIELD_BOOL:
		return *(const bool *)a == *(const bool *)b;
	case FIELD_STRING:
		return same_string(*(const char *const *)a, *(const char *const *)b);
	case FIELD_MAYBE:
		return same_maybe(a, b);
	case FIELD_CAUSES:
		return memcmp(a, b, CAUSES * sizeof(struct cause_sum)) == 0;
	default:
		return false;
	}
}

static inline bool same_record(enum record_type type, const union record *x, const union record *y)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (!same_field(f, x, y))
			return false;
	}
	return type != RECORD_GAP || x->gap.cause_id == y->gap.cause_id;
}

static inline bool parser_agrees(const struct line *line, enum record_type type,
				 const union record *quick)
{
	char reason[512];
	struct text why;
	union record slow;
	json_t *object;
	bool agrees;

	text_init(&why, reason, sizeof(reason));
	object = records_parse(line->text, line->whole, &why);
	/* A part of a record is no record. */
	if (!object || json_object_get(object, "part")) {
		json_decref(object);
		return false;
	}
	agrees = records_decode(object, type, &slow, &why) && same_record(type, quick, &slow);
	records_release(type, &slow);
	json_decref(object);
	return agrees;
}

/* Of a line with its checksum. */
static inline enum agreement agrees(const char *text, size_t bytes)
{
	static char strings[QUICK_STRINGS];
	enum record_type type;
	char reason[512];
	struct text why;
	struct line line;
	union record quick;

	text_init(&why, reason, sizeof(reason));
	if (line_read(text, bytes, &line, &why) != LINE_OK ||
	    !records_type(line.type, line.type_bytes, &type) || !quick_knows(type))
		return AGREES_NO_LINE;
	if (!quick_decode(&line, type, &quick, strings))
		return AGREES_LEFT;
	return parser_agrees(&line, type, &quick) ? AGREES_TAKEN : AGREES_NOT;
}

#endif
