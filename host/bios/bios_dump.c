/* SPDX-License-Identifier: BSD-2-Clause */
/* The unpacked size is limited before anything is parsed: a small file may unpack to a huge one. */
#include "bios_dump.h"

#include "core/lib/arith.h"

#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)1 << 16) /* room for a text, at first */

bool bios_dump_add(struct bios_dump *d, char *name, char *value, struct text *why)
{
	text_sanitize(name);
	if (value)
		text_sanitize(value);
	if (json_object_get(d->values, name))
		text_add(why, "attribute \"%.80s\" is there twice", name);
	else if (json_object_size(d->values) == BIOS_DUMP_ATTRIBUTES)
		text_add(why, "more than %u attributes", BIOS_DUMP_ATTRIBUTES);
	else
		json_object_set_new_nocheck(d->values, name,
					    value ? memory_need(json_string_nocheck(value))
						  : json_null());
	free(name);
	free(value);
	return !why->len;
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

/* Refuse a dump without any known value: it was exported without the necessary rights. */
static bool check_values(const struct bios_dump *d, struct text *why)
{
	size_t known = d->not_scalar;
	const char *name;
	json_t *value;

	json_object_foreach(d->values, name, value) known += json_is_string(value);
	if (!known)
		text_add(why,
			 "none of its %zu attributes has a value; fwupdmgr prints them for root",
			 json_object_size(d->values));
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
	return taken && check_values(d, why);
}

/* The text of the input, or of its first BIOS_DUMP_BYTES + 1 bytes; a zero byte ends it. */
static char *read_text(struct input *in, size_t *bytes)
{
	size_t room = FIRST_BYTES, more;
	char *text = memory_new(1, room + 1);

	*bytes = 0;
	while ((more = input_read(in, text + *bytes, room - *bytes))) {
		*bytes += more;
		if (*bytes == room && room <= BIOS_DUMP_BYTES) {
			room = arith_min(2 * room, BIOS_DUMP_BYTES + 1);
			text = memory_resize(text, room + 1);
		}
	}
	text[*bytes] = '\0';
	return text;
}

bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why)
{
	char *text = NULL;
	size_t bytes = 0;
	struct input in;
	bool read;

	*d = (struct bios_dump){ .values = memory_need(json_object()) };
	if (input_open(&in, path))
		text = read_text(&in, &bytes);
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

const char *bios_dump_value(const struct bios_dump *d, const char *name)
{
	return json_string_value(json_object_get(d->values, name));
}

void bios_dump_free(struct bios_dump *d)
{
	json_decref(d->values);
	d->values = NULL;
}
