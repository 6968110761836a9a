/* SPDX-License-Identifier: BSD-2-Clause */
/* The file is bounded before it is parsed, so that what it unpacks to does not matter. */
#include "bios_dump.h"

#include "input.h"
#include "memory.h"
#include "text_sanitize.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *value_text(const json_t *value)
{
	char *text = NULL;

	if (json_is_string(value))
		text = memory_text(json_string_value(value));
	else if (!json_is_null(value))
		text = memory_need(json_dumps(value, JSON_ENCODE_ANY));
	if (text)
		text_sanitize(text);
	return text;
}

static int by_name(const void *a, const void *b)
{
	const struct bios_dump_attribute *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void take_attributes(struct bios_dump *d, json_t *attributes)
{
	const char *name;
	json_t *value;

	d->attribute = memory_new(json_object_size(attributes), sizeof(*d->attribute));
	json_object_foreach(attributes, name, value)
	{
		struct bios_dump_attribute *a = &d->attribute[d->count];

		if (json_is_object(value) || json_is_array(value)) {
			d->not_scalar++;
			continue;
		}
		*a = (struct bios_dump_attribute){ memory_text(name), value_text(value) };
		text_sanitize(a->name);
		d->count++;
	}
	d->by_name = memory_new(d->count, sizeof(*d->by_name));
	for (size_t i = 0; i < d->count; i++)
		d->by_name[i] = &d->attribute[i];
	qsort(d->by_name, d->count, sizeof(*d->by_name), by_name);
}

static bool take_document(struct bios_dump *d, json_t *document, struct text *why)
{
	json_t *attributes = json_object_get(document, "Attributes");

	if (!json_is_object(attributes)) {
		text_add(why, "no BIOS dump: it has no object \"Attributes\"");
		return false;
	}
	if (json_object_size(attributes) > BIOS_DUMP_ATTRIBUTES) {
		text_add(why, "more than %u attributes", BIOS_DUMP_ATTRIBUTES);
		return false;
	}
	take_attributes(d, attributes);
	return true;
}

/* Editors and PowerShell put a mark of UTF-8 before it. */
static bool parse(struct bios_dump *d, const char *text, size_t bytes, struct text *why)
{
	size_t mark = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	json_error_t error;
	json_t *document = json_loadb(text + mark, bytes - mark, JSON_REJECT_DUPLICATES, &error);
	bool taken = document && take_document(d, document, why);

	if (!document) {
		text_sanitize(error.text);
		text_add(why, "no JSON: line %d, column %d: %s", error.line, error.column,
			 error.text);
	}
	json_decref(document);
	return taken;
}

bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why)
{
	char *text = memory_new(1, BIOS_DUMP_BYTES + 1);
	size_t bytes = 0, more;
	struct input in;
	bool read;

	*d = (struct bios_dump){ .count = 0 };
	read = input_open(&in, path);
	while (read && (more = input_read(&in, text + bytes, BIOS_DUMP_BYTES + 1 - bytes)))
		bytes += more;
	input_close(&in);
	if (in.error[0])
		text_add(why, "%s", in.error);
	else if (bytes > BIOS_DUMP_BYTES)
		text_add(why, "more than %zu bytes: no BIOS dump", BIOS_DUMP_BYTES);
	read = !in.error[0] && bytes <= BIOS_DUMP_BYTES && parse(d, text, bytes, why);
	free(text);
	return read;
}

const struct bios_dump_attribute *bios_dump_find(const struct bios_dump *d, const char *name)
{
	const struct bios_dump_attribute wanted = { .name = (char *)name }, *key = &wanted;
	const struct bios_dump_attribute **found;

	if (!d->count)
		return NULL;
	found = bsearch(&key, d->by_name, d->count, sizeof(key), by_name);
	return found ? *found : NULL;
}

const char *bios_dump_value(const struct bios_dump *d, const char *name)
{
	const struct bios_dump_attribute *a = bios_dump_find(d, name);

	return a ? a->value : NULL;
}

void bios_dump_free(struct bios_dump *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->attribute[i].name);
		free(d->attribute[i].value);
	}
	free(d->attribute);
	free(d->by_name);
	*d = (struct bios_dump){ .count = 0 };
}
