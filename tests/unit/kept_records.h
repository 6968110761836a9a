/* SPDX-License-Identifier: BSD-2-Clause */
/* The records that a link carried, with copies of all that they point to, by type. */
#pragma once

#include "core/records/record_field.h"
#include "tests/unit/common/test.h"

#include <stdlib.h>
#include <string.h>

struct kept {
	struct record_link link; /* must be first */
	unsigned count[RECORD_TYPES];
	/* The records of each type, as many as were counted. */
#define RECORD(id, name, about) struct record_##name *name;
#include "core/records/record_table.h"
};

/* Strings and pairs of all kept records. */
static struct {
	_Alignas(8) char bytes[64u << 20];
	size_t used;
} copies;

static inline const void *copy_of(const void *from, size_t bytes)
{
	char *to = copies.bytes + copies.used;

	copies.used += (bytes + 7) & ~(size_t)7;
	assert_true(copies.used <= sizeof(copies.bytes));
	return bytes ? memcpy(to, from, bytes) : to;
}

static inline void copy_field(const struct record_field *f, void *at)
{
	unsigned most = f->kind == FIELD_STRING ? 1 : f->kind == FIELD_STRINGS ? RECORD_STRINGS : 0;
	struct record_pairs *pairs = at;
	const char **string = at;

	for (unsigned i = 0; i < most && string[i]; i++)
		string[i] = copy_of(string[i], strlen(string[i]) + 1);
	if (f->kind == FIELD_PAIRS)
		pairs->at = copy_of(pairs->at, pairs->count * sizeof(*pairs->at));
}

/* record_link.take of the link of a struct kept. */
static inline void keep_record(struct record_link *link, enum record_type type, const void *data)
{
	static const struct {
		size_t at, bytes;
	} rows[RECORD_TYPES] = {
#define RECORD(id, name, about) \
	[RECORD_##id] = { offsetof(struct kept, name), sizeof(struct record_##name) },
#include "core/records/record_table.h"
	};
	struct kept *k = (struct kept *)link;
	void **records = (void **)((char *)k + rows[type].at);
	size_t n = k->count[type]++, bytes = rows[type].bytes;
	char *record;

	if (!(n & (n - 1)))
		*records = realloc(*records, (n ? 2 * n : 1) * bytes);
	assert_non_null(*records);
	record = memcpy((char *)*records + n * bytes, data, bytes);
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++)
		copy_field(f, record + f->offset);
}

/* Start anew: what was kept before is freed, so that no test takes it for its own. */
static inline void keep_nothing_yet(struct kept *k)
{
#define RECORD(id, name, about) free(k->name);
#include "core/records/record_table.h"
	*k = (struct kept){ .link = { .take = keep_record } };
}
