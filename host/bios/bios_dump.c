/* SPDX-License-Identifier: BSD-2-Clause */
/* The unpacked size is limited before anything is parsed: a small file may unpack to a huge one. */
#include "bios_dump.h"

#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- The JSON shapes: Redfish, HPE's Gen9, Dell's SCP and fwupd ---- */

static char *value_text(const json_t *value)
{
	if (json_is_string(value))
		return memory_text(json_string_value(value));
	if (!value || json_is_null(value))
		return NULL;
	return memory_need(json_dumps(value, JSON_ENCODE_ANY));
}

static bool take_value(struct bios_dump *d, const char *name, const json_t *value, struct text *why)
{
	if (!json_is_object(value) && !json_is_array(value))
		return bios_dump_add(d, memory_text(name), value_text(value), why);
	d->not_scalar++;
	return true;
}

static bool take_attributes(struct bios_dump *d, json_t *attributes, struct text *why)
{
	const char *name;
	json_t *value;

	json_object_foreach(attributes, name, value)
	{
		if (!take_value(d, name, value, why))
			return false;
	}
	return true;
}

/* An iLO 4 mixes attributes with members that describe the resource. No attribute is an object. */
static bool take_gen9(struct bios_dump *d, json_t *document, struct text *why)
{
	static const char *const described[] = { "AttributeRegistry", "Description", "Id",
						 "Modified",          "Name",        "Type" };
	const char *name;
	json_t *value;

	json_object_foreach(document, name, value)
	{
		bool skip = strchr(name, '@') || json_is_object(value) || json_is_array(value);

		for (size_t i = 0; i < sizeof(described) / sizeof(described[0]); i++)
			skip = skip || strcmp(name, described[i]) == 0;
		if (!skip && !take_value(d, name, value, why))
			return false;
	}
	return true;
}

/* Read a list of objects that have a "Name" and a value by `key`. `where` is for errors. */
static bool take_list(struct bios_dump *d, json_t *list, const char *where, const char *key,
		      struct text *why)
{
	size_t n;
	json_t *one;

	json_array_foreach(list, n, one)
	{
		const char *name = json_string_value(json_object_get(one, "Name"));

		if (!name) {
			text_add(why, "%s[%zu]: no text \"Name\"", where, n);
			return false;
		}
		if (!take_value(d, name, json_object_get(one, key), why))
			return false;
	}
	return true;
}

/* fwupd omits values that polkit does not let the user read. */
static bool take_fwupd(struct bios_dump *d, json_t *list, struct text *why)
{
	return take_list(d, list, "BiosSettings", "BiosSettingCurrentValue", why);
}

static bool take_scp(struct bios_dump *d, json_t *profile, struct text *why)
{
	json_t *components = json_object_get(profile, "Components"), *one;
	bool found = false;
	size_t n;

	json_array_foreach(components, n, one)
	{
		const char *name = json_string_value(json_object_get(one, "FQDD"));
		json_t *list = json_object_get(one, "Attributes");
		TEXT_DEFINE(where, 80);

		if (!name || strncmp(name, "BIOS.", 5) != 0)
			continue;
		text_add(&where, "SystemConfiguration.Components[%zu].Attributes", n);
		if (!json_is_array(list)) {
			text_add(why, "%s: no list", where.buf);
			return false;
		}
		found = true;
		if (!take_list(d, list, where.buf, "Value", why))
			return false;
	}
	if (!found)
		text_add(why, "SystemConfiguration.Components: no component \"BIOS.Setup.1-1\"");
	return found;
}

static bool is_gen9(const json_t *document)
{
	static const char *const keys[] = { "@odata.type", "Type" };

	for (size_t i = 0; i < 2; i++) {
		const char *type = json_string_value(json_object_get(document, keys[i]));

		if (type && strncmp(type + (*type == '#'), "HpBios.", 7) == 0)
			return true;
	}
	return false;
}

static bool take_document(struct bios_dump *d, json_t *document, struct text *why)
{
	static const struct {
		const char *key;
		json_type type;
		bool (*take)(struct bios_dump *d, json_t *part, struct text *why);
	} shapes[] = {
		{ "Attributes", JSON_OBJECT, take_attributes },
		{ "SystemConfiguration", JSON_OBJECT, take_scp },
		{ "BiosSettings", JSON_ARRAY, take_fwupd },
	};
	const char *first = json_object_iter_key(json_object_iter(document));

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		json_t *part = json_object_get(document, shapes[i].key);

		if (part && json_typeof(part) == shapes[i].type)
			return shapes[i].take(d, part, why);
	}
	if (is_gen9(document))
		return take_gen9(d, document, why);
	text_add(why,
		 "no BIOS dump: found %s%.30s%s; wanted: an object \"Attributes\" (Redfish) or "
		 "\"SystemConfiguration\" (Dell), a list \"BiosSettings\" (fwupd), or a "
		 "\"Type\" HpBios (HPE Gen9)",
		 first ? "\"" : "", first ? first : "no object", first ? "\"" : "");
	return false;
}

static bool read_json(struct bios_dump *d, const char *text, size_t bytes, struct text *why)
{
	json_error_t error;
	json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	bool taken = document && take_document(d, document, why);

	if (!document)
		text_add(why, "no JSON: line %d, column %d: %s", error.line, error.column,
			 error.text);
	json_decref(document);
	return taken;
}

/* ---- All shapes ---- */

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
static bool bios_dump_parse(struct bios_dump *d, char *text, size_t bytes, struct text *why)
{
	size_t mark = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	char *at = text + mark, *first = at + strspn(at, " \t\r\n");
	bool taken;

	if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
		text_add(why, "UTF-16; wanted: UTF-8");
		return false;
	}
	if (*first == '{' || *first == '[' || !*first) {
		taken = read_json(d, at, bytes - mark, why);
	} else if (*first == '<') {
		text_add(why,
			 "found XML; wanted: JSON, as `racadm get -t json` and Redfish export it");
		return false;
	} else if (strlen(at) != bytes - mark) {
		text_add(why, "byte %zu is zero; wanted: text", mark + strlen(at));
		return false;
	} else {
		taken = bios_scewin_read(d, at, why);
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
	read = !in.error[0] && bytes <= BIOS_DUMP_BYTES && bios_dump_parse(d, text, bytes, why);
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
