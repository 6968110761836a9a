/* SPDX-License-Identifier: BSD-2-Clause */
/* The unpacked size is limited before anything is parsed: a small file may unpack to a huge one. */
#include "bios_shape.h"

#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_MAX 30 /* bytes of the offending text that an error prints */

bool bios_dump_add(struct bios_dump *d, char *name, char *value, struct text *why)
{
	text_sanitize(name);
	if (value)
		text_sanitize(value);
	*MEMORY_ADD(d->attribute, d->count) = (struct bios_dump_attribute){ name, value };
	if (d->count > BIOS_DUMP_ATTRIBUTES)
		text_add(why, "more than %u attributes", BIOS_DUMP_ATTRIBUTES);
	return d->count <= BIOS_DUMP_ATTRIBUTES;
}

bool bios_dump_refuse(struct text *why, const char *text, const char *at, const char *wanted)
{
	unsigned line = 1;
	size_t bytes = strcspn(at, "\r\n");

	for (; text < at; text++)
		line += *text == '\n';
	if (bytes > FOUND_MAX)
		bytes = FOUND_MAX;
	text_add(why, "line %u: ", line);
	text_add(why, bytes ? "found \"" : "the line ends");
	for (size_t i = 0; i < bytes; i++)
		text_char(why, at[i] == '\t' ? ' ' : at[i]);
	text_add(why, "%s; wanted: %s", bytes ? "\"" : "", wanted);
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct bios_dump_attribute *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Orders by name, and equal names by their order in the file. */
static int by_name_and_order(const void *a, const void *b)
{
	const struct bios_dump_attribute *const *x = a, *const *y = b;
	int order = by_name(a, b);

	return order ? order : (*x > *y) - (*x < *y);
}

static void sort(struct bios_dump *d)
{
	d->by_name = memory_new(d->count, sizeof(*d->by_name));
	for (size_t i = 0; i < d->count; i++)
		d->by_name[i] = &d->attribute[i];
	qsort(d->by_name, d->count, sizeof(*d->by_name), by_name_and_order);
}

/*
 * Append a number to a name that recurs, in the order of the file: "Link Speed#0005/2". False:
 * names may not recur in this shape.
 */
static bool number_recurring_names(struct bios_dump *d, struct text *why)
{
	size_t recurring = 0;

	for (size_t i = 1, n = 1; i < d->count; i++) {
		const struct bios_dump_attribute *first = d->by_name[i - n];
		struct bios_dump_attribute *a = &d->attribute[d->by_name[i] - d->attribute];
		size_t room = strlen(a->name) + 24;

		n = strcmp(first->name, a->name) == 0 ? n + 1 : 1;
		if (n == 1)
			continue;
		if (!d->recurs) {
			text_add(why, "attribute \"%.80s\" is there twice", a->name);
			return false;
		}
		a->name = memory_resize(a->name, room);
		snprintf(a->name + room - 24, 24, "/%zu", n);
		recurring++;
	}
	if (recurring)
		qsort(d->by_name, d->count, sizeof(*d->by_name), by_name);
	return true;
}

/* Refuse a dump without any known value: it was exported without the necessary rights. */
static bool check_values(struct bios_dump *d, struct text *why)
{
	size_t known = d->not_scalar;

	if (!number_recurring_names(d, why))
		return false;
	for (size_t i = 0; i < d->count; i++)
		known += d->attribute[i].value != NULL;
	if (!known)
		text_add(why,
			 "none of its %zu attributes has a value; fwupdmgr prints them for root",
			 d->count);
	return known;
}

/* Skip the UTF-8 byte order mark that editors and PowerShell write, and choose the reader. */
static bool parse(struct bios_dump *d, const char *text, size_t bytes, struct text *why)
{
	size_t mark = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	const char *at = text + mark, *first = at + strspn(at, " \t\r\n");
	bool taken;

	if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
		text_add(why, "UTF-16; wanted: UTF-8");
		return false;
	}
	if (*first == '{' || *first == '[' || !*first) {
		taken = bios_json_read(d, at, bytes - mark, why);
	} else if (strlen(at) != bytes - mark) {
		text_add(why, "byte %zu is zero; wanted: text", mark + strlen(at));
		return false;
	} else {
		taken = *first == '<' ? bios_scp_read(d, at, why) : bios_scewin_read(d, at, why);
	}
	if (!taken)
		return false;
	sort(d);
	return check_values(d, why);
}

bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why)
{
	char *text = memory_new(1, BIOS_DUMP_BYTES + 2);
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
	text_sanitize(why->buf);
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
