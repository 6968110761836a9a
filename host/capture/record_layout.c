/* SPDX-License-Identifier: BSD-2-Clause */
/* All types are laid out before there are threads. */
#include "record_layout.h"

#include "core/lib/text.h"

#include <string.h>

static struct record_layout layouts[RECORD_TYPES];

const struct record_layout *record_layout_of(enum record_type type)
{
	return &layouts[type];
}

const struct record_field *record_layout_skip(const struct record_field *f)
{
	unsigned depth = 0;

	do {
		depth += f->kind == FIELD_OPEN;
		depth -= f->kind == FIELD_CLOSE;
		f++;
	} while (depth);
	return f;
}

/* From `f` on, the first that is a key, or that is none; else what closes the object. */
static const struct record_field *find(const struct record_field *f, bool key)
{
	while (f->kind != FIELD_END && f->kind != FIELD_CLOSE && f->key != key)
		f = record_layout_skip(f);
	return f;
}

/* Keys are written first. */
static const struct record_field *next_of(const struct record_field *fields,
					  const struct record_field *f)
{
	const struct record_field *next = find(record_layout_skip(f), f->key);

	return f->key && next->kind == FIELD_END ? find(fields, false) : next;
}

static void lay_out(struct record_layout *l, const struct record_field *fields)
{
	for (size_t row = 0; fields[row].kind != FIELD_END; row++) {
		const struct record_field *f = &fields[row];
		TEXT_DEFINE(name, 64);

		if (f->kind == FIELD_CLOSE)
			continue;
		l->has_pairs |= f->kind == FIELD_PAIRS;
		l->fields++;
		text_add(&name, ",\"%s\":", f->name);
		json_known_set(&l->row[row].name, name.buf);
		l->row[row].next = (uint8_t)(next_of(fields, f) - fields);
	}
}

__attribute__((constructor)) static void record_layout_start(void)
{
	static const size_t bytes[] = {
#define RECORD(id, name, about) sizeof(struct record_##name),
#include "core/records/record_table.h"
	};

	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		const char *name = record_type_name((enum record_type)type);
		struct record_layout *l = &layouts[type];
		TEXT_DEFINE(typed, 64);

		*l = (struct record_layout){ .bytes = bytes[type], .name = { name, strlen(name) } };
		text_add(&typed, ",\"type\":\"%s\"", name);
		json_known_set(&l->typed, typed.buf);
		lay_out(l, record_fields((enum record_type)type));
	}
}
