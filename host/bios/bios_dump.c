/* SPDX-License-Identifier: BSD-2-Clause */
/* The unpacked size is limited before anything is parsed: a small file may unpack to a huge one. */
#include "bios_dump.h"

#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/whole_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * Add an attribute. Both strings, of which `value` may be NULL, are freed. False: too many, or the
 * name is there already.
 */
static bool bios_dump_add(struct bios_dump *d, char *name, char *value, struct text *why)
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

/*
 * ---- AMI's script ----
 *
 * SCEWIN and SCELNX export it, with a block for each setup question:
 *
 *   Setup Question	= Hyper-Threading
 *   Help String	= Text, of several lines in some
 *   Token	=4D	// Do NOT change this line
 *   Options	=[00]Disabled	// Move "*" to the desired Option
 *            *[01]Enabled
 *
 * or, in place of options, a line `Value	=7FFF`. Other keys are skipped. The same question
 * recurs for each port, for example: its token distinguishes them.
 */

#define NUMBERS 48 /* bytes behind a name: its token, and how often both came */
#define BLOCK   "\"Setup Question = NAME\" (AMI's script), or JSON"

struct script {
	struct bios_dump *d;
	struct text *why;
	char *line;       /* the current one, without blanks at its ends */
	unsigned number;  /* its number, from 1 */
	char *question;   /* the first line of the current block; NULL: before the first */
	unsigned started; /* number of that line */
	char *name, *value;
	json_t *times;       /* by name and token: how often they came */
	unsigned long token; /* 0: none so far */
	bool options;        /* the next line may continue them */
};

/* "line 7: found "..."; wanted: ...", with at most 30 bytes of the line. Returns false. */
static bool script_refuse(const struct script *s, unsigned number, const char *line,
			  const char *wanted)
{
	text_add(s->why, "line %u: ", number);
	if (*line)
		text_add(s->why, "found \"%.30s\"", line);
	else
		text_add(s->why, "the line ends");
	text_add(s->why, "; wanted: %s", wanted);
	return false;
}

/* The current line. */
static bool refuse_line(const struct script *s, const char *wanted)
{
	return script_refuse(s, s->number, s->line, wanted);
}

/* A copy without a comment: a blank, "//" and the rest. The line loses it, too. */
static char *copy(char *text)
{
	for (char *at = text; (at = strstr(at, "//")); at++)
		if (at > text && strchr(TEXT_BLANKS, at[-1])) {
			*at = '\0';
			break;
		}
	return memory_text(text_trim(text));
}

/* End the current block, and add its attribute to the dump. */
static bool add_question(struct script *s)
{
	char *value = s->value, *name;
	struct text t;
	json_int_t n;

	if (!s->question)
		return true;
	if (!s->token)
		return script_refuse(s, s->started, s->question, "a block with \"Token = NUMBER\"");
	name = memory_new(strlen(s->name) + NUMBERS, 1);
	text_init(&t, name, strlen(s->name) + NUMBERS);
	text_add(&t, "%s#%04lX", s->name, s->token);
	text_sanitize(name);
	n = json_integer_value(json_object_get(s->times, name)) + 1;
	json_object_set_new_nocheck(s->times, name, json_integer(n));
	if (n > 1)
		text_add(&t, "/%lld", (long long)n);
	s->value = NULL;
	s->question = NULL;
	return bios_dump_add(s->d, name, value, s->why);
}

static bool script_question(struct script *s, char *value)
{
	if (!add_question(s))
		return false;
	free(s->name);
	s->name = copy(value);
	s->question = s->line;
	s->started = s->number;
	s->token = 0;
	return true;
}

/* "*[01]Enabled": the asterisk marks the option that is set. */
static bool script_option(struct script *s, char *at)
{
	bool set = *at == '*';
	size_t digits;

	at += set;
	digits = *at == '[' ? strspn(at + 1, "0123456789ABCDEFabcdef") : 0;
	if (!digits || at[1 + digits] != ']')
		return refuse_line(s, "an option, as *[01]Enabled");
	if (set && s->value)
		return refuse_line(s, "one option with an asterisk");
	if (set)
		s->value = copy(at + 2 + digits);
	return true;
}

/* "7FFF" or "<200>". A checkbox has a comment: "1	// Enabled = 1, Disabled = 0". */
static bool script_value(struct script *s, char *at)
{
	static const char *const checked[] = { "Disabled", "Enabled" };
	static const char box[] = "// Enabled = 1, Disabled = 0";
	const char *comment = strstr(at, box);
	size_t bytes;

	if (s->value)
		return refuse_line(s, "one value");
	if (comment && !comment[strlen(box)] && strchr("01", *at) && strchr(TEXT_BLANKS, at[1])) {
		s->value = memory_text(checked[*at == '1']);
		return true;
	}
	s->value = copy(at);
	bytes = strlen(s->value);
	if (bytes >= 2 && s->value[0] == '<' && s->value[bytes - 1] == '>') {
		memmove(s->value, s->value + 1, bytes - 2);
		s->value[bytes - 2] = '\0';
	}
	return true;
}

/* Read a token, which is hexadecimal and may have a comment behind it; 0 is none. */
static bool script_token(struct script *s, const char *value)
{
	char *end;

	s->token = isxdigit((unsigned char)*value) ? strtoul(value, &end, 16) : 0;
	if (s->token && strchr(TEXT_BLANKS "/", *end))
		return true;
	return refuse_line(s, "\"Token = NUMBER\", in hexadecimal and not 0");
}

static bool is_key(const struct script *s, size_t bytes, const char *key)
{
	return bytes == strlen(key) && memcmp(s->line, key, bytes) == 0;
}

/* Lines without a key are skipped: comments, and what continues a help text. */
static bool script_line(struct script *s)
{
	const char *equals = strchr(s->line, '=');
	size_t bytes = equals ? (size_t)(equals - s->line) : 0;
	char *value = s->line + bytes + 1;

	if (s->options && (*s->line == '*' || *s->line == '['))
		return script_option(s, s->line);
	if (!equals)
		return true;
	while (bytes && strchr(TEXT_BLANKS, s->line[bytes - 1]))
		bytes--;
	value += strspn(value, TEXT_BLANKS);
	s->options = is_key(s, bytes, "Options");
	if (is_key(s, bytes, "Setup Question"))
		return script_question(s, value);
	if (!s->question) /* the file's head: HIICrc32 */
		return true;
	if (s->options)
		return !*value || script_option(s, value);
	if (is_key(s, bytes, "Token"))
		return script_token(s, value);
	return !is_key(s, bytes, "Value") || script_value(s, value);
}

static bool read_script(struct bios_dump *d, char *text, struct text *why)
{
	struct script s = { .d = d, .why = why, .times = json_object() };
	bool taken = true;
	char *rest = text;

	for (char *at = text; (at = strchr(at, '\t'));)
		*at = ' ';
	while (taken && (s.line = strsep(&rest, "\n"))) {
		s.number++;
		s.line = text_trim(s.line);
		taken = script_line(&s);
	}
	taken = taken && add_question(&s);
	if (taken && !json_object_size(d->values))
		taken = script_refuse(&s, 1, text, BLOCK);
	json_decref(s.times);
	free(s.name);
	free(s.value);
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
		taken = read_script(d, at, why);
	}
	return taken && check_values(d, why);
}

static size_t read_some(void *in, void *to, size_t room)
{
	return input_read(in, to, room);
}

bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why)
{
	char *text = NULL;
	size_t bytes = 0;
	struct input in;
	bool read;

	*d = (struct bios_dump){ .values = memory_need(json_object()) };
	if (input_open(&in, path))
		text = (char *)whole_file_take(read_some, &in, BIOS_DUMP_BYTES, &bytes);
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
