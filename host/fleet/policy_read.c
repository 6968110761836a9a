/* SPDX-License-Identifier: BSD-2-Clause */
/* A value is a word or a list of words; the probe's own parsers read those of its keys. */
#include "policy.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/whole_file.h"

#include "core/config/config_keys.h"
#include "core/lib/text.h"
#include "core/lib/uuid.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 20)
#define ACCEPTED  "\"default\", \"product NAME\", \"bios VERSION\", \"uuid UUID\""

struct input {
	const char *program, *path;
	unsigned mistakes;
	const char *name;               /* the current section's name; NULL: none yet */
	struct policy_section *section; /* the current section */
};

static __attribute__((format(printf, 2, 3))) void policy_read_complain(struct input *in,
								       const char *format, ...)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);
	char text[CONFIG_COMPLAINT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (in->name)
		text_add(&t, "\"%.60s\": ", in->name);
	text_add(&t, "%s", text);
	text_sanitize(t.buf);
	fprintf(stderr, "%s: %s: %s\n", in->program, text_sanitize_name(in->path), t.buf);
	in->mistakes++;
}

/* ---- Keys beside the probe's limits ---- */

/* The first of them are the probe's, too; the last ones are those of struct attest_want. */
static const char *const others[] = { "threshold", "preset",     "duration",     "stages",
				      "config",    "attest_key", "attest_image", "attest_loader",
				      "version",   "comment" };

#define PROBES  4u
#define OTHERS  (sizeof(others) / sizeof(others[0]))
#define VERSION (PROBES + ATTEST_LISTS)
_Static_assert(VERSION + 2 == OTHERS, "each list has a key");

static unsigned find_other(const char *name)
{
	unsigned n = 0;

	while (n < OTHERS && strcmp(others[n], name) != 0)
		n++;
	return n;
}

/* The next limit's key from *n on; NULL: no more. */
static const struct config_key *next_limit(size_t *n)
{
	while (*n < CONFIG_KEYS && !config_keys[*n].limit)
		++*n;
	return *n < CONFIG_KEYS ? &config_keys[(*n)++] : NULL;
}

static bool is_limit(const char *name)
{
	const struct config_key *key;

	for (size_t n = 0; (key = next_limit(&n));)
		if (strcmp(key->name, name) == 0)
			return true;
	return false;
}

static void complain_unknown(struct input *in, const char *name)
{
	TEXT_DEFINE(listed, CONFIG_COMPLAINT_MAX);
	const struct config_key *key;

	for (size_t n = 0; (key = next_limit(&n));)
		text_add(&listed, "%s, ", key->name);
	for (size_t n = 0; n < OTHERS; n++)
		text_add(&listed, "%s%s", n ? ", " : "", others[n]);
	policy_read_complain(in, "`%.40s` is unknown; accepted: %s", name, listed.buf);
}

/* ---- Values ---- */

static void pass_on(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)source, (void)line;
	policy_read_complain(ctx, "%s", text);
}

static void take_word(struct input *in, const char *name, const char *word)
{
	static const struct config_source source = { .name = "policy", .one_line = true };
	struct policy_section *s = in->section;
	unsigned n = find_other(name);
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (n < PROBES || n == OTHERS) {
		text_add(&text, "%s=%s", name, word);
		if (!*word || strpbrk(word, TEXT_BLANKS "\n#") || text.len > 200)
			policy_read_complain(in, "%s: `%.40s` is no value; accepted: one word",
					     name, word);
		else
			config_apply(&s->limits, &source, text.buf, text.len, pass_on, in);
	} else if (n == VERSION) {
		if (strlen(word) >= FACTS_VERSION)
			policy_read_complain(
				in, "version `%.40s` is too long; accepted: as in 1.2.0", word);
		else
			strcpy(*MEMORY_ADD(s->version, s->versions), word);
	} else if (n < VERSION) {
		/* Another program, elsewhere, has other relative paths. */
		if (*word != '/' && strspn(word, "0123456789abcdefABCDEF") != 2 * SHA256_BYTES)
			text_add(&text, "not a SHA-256; accepted: 64 hex digits%s",
				 n == PROBES ? "" : ", or a path from / on");
		else
			attest_want_add(&s->accepted, (enum attest_list)(n - PROBES), word, &text);
		if (text.len)
			policy_read_complain(in, "%s: %.70s: %s", name, word, text.buf);
	}
}

/* `takes_list`: the value may be an array of strings. */
static void refuse_value(struct input *in, const char *name, const json_t *value, bool takes_list)
{
	char *found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	policy_read_complain(in, "%s: `%.40s` is no value; accepted: a string, or a number%s", name,
			     found ? found : "", takes_list ? ", or an array of them" : "");
	free(found);
}

static void take_value(struct input *in, const char *name, const json_t *value)
{
	unsigned n = find_other(name);
	bool takes_list = n >= PROBES && n < OTHERS;
	char number[32];

	if (json_is_string(value)) {
		take_word(in, name, json_string_value(value));
	} else if (json_is_number(value)) {
		snprintf(number, sizeof(number), "%.15g", json_number_value(value));
		take_word(in, name, number);
	} else if (json_array_size(value) && takes_list) {
		for (size_t i = 0; i < json_array_size(value); i++)
			take_value(in, name, json_array_get(value, i));
	} else {
		refuse_value(in, name, value, takes_list);
	}
}

/* Replace paths by digests: where the copy is read, the files may be missing or differ. */
static void put_digests(const struct attest_digests *d, json_t *keys, const char *name)
{
	json_t *array = json_array();
	TEXT_DEFINE(digits, 2 * SHA256_BYTES + 1);

	for (size_t i = 0; i < d->count; i++) {
		text_reset(&digits);
		text_hex(&digits, d->digest[i], SHA256_BYTES);
		json_array_append_new(array, json_string(digits.buf));
	}
	json_object_set_new(keys, name, array);
}

/* ---- Sections ---- */

static const char *const scopes[POLICY_SCOPES] = {
	[POLICY_DEFAULT] = "default",
	[POLICY_PRODUCT] = "product ",
	[POLICY_BIOS] = "bios ",
	[POLICY_UUID] = "uuid ",
};

/* False: there are no such machines. */
static bool read_name(struct policy_section *s, const char *name)
{
	uint8_t uuid[UUID_BYTES];

	while (s->scope < POLICY_SCOPES &&
	       strncmp(name, scopes[s->scope], strlen(scopes[s->scope])) != 0)
		s->scope++;
	if (s->scope == POLICY_SCOPES)
		return false;
	name += strlen(scopes[s->scope]);
	text_sanitize_ascii(s->name, sizeof(s->name), name);
	if (s->scope == POLICY_UUID)
		return uuid_parse(name, uuid);
	return s->scope == POLICY_DEFAULT ? !*name : *name && strlen(name) < SUMMARY_TEXT;
}

static bool is_known(const struct policy *p, const struct policy_section *s)
{
	for (size_t i = 0; i < p->sections; i++)
		if (p->section[i].scope == s->scope && !strcasecmp(p->section[i].name, s->name))
			return true;
	return false;
}

/* A key proves nothing of what was started, nor an image who has started it. */
static void check_attest(struct input *in, const json_t *keys)
{
	bool has_key = json_object_get(keys, "attest_key");
	bool has_image = json_object_get(keys, "attest_image");

	if (has_key && !has_image)
		policy_read_complain(in, "attest_key without attest_image; accepted: both");
	else if (!has_key && (has_image || json_object_get(keys, "attest_loader")))
		policy_read_complain(in, "there is no attest_key; accepted: with attest_image");
}

static void read_keys(struct input *in, json_t *keys)
{
	struct policy_section *s = in->section;
	const char *name;
	json_t *value;

	json_object_foreach(keys, name, value)
	{
		s->asks |= strcmp(name, "comment") != 0;
		if (find_other(name) < OTHERS || is_limit(name))
			take_value(in, name, value);
		else
			complain_unknown(in, name);
	}
	for (unsigned list = 0; list < ATTEST_LISTS; list++)
		if (s->accepted.list[list].count)
			put_digests(&s->accepted.list[list], keys, others[PROBES + list]);
	check_attest(in, keys);
	if (json_object_get(keys, "stages"))
		s->stages = s->limits.stages;
	if (json_object_get(keys, "duration"))
		s->least_ns = s->limits.duration_ns;
	else if (s->limits.preset)
		s->least_ns = s->limits.preset->min_duration_ns;
}

static void read_sections(struct input *in, struct policy *p, json_t *sections)
{
	json_t *keys;

	if (!json_object_size(sections))
		policy_read_complain(in, "there is no section; accepted: an object with " ACCEPTED);
	json_object_foreach(sections, in->name, keys)
	{
		struct policy_section s = { .scope = POLICY_DEFAULT };

		if (!read_name(&s, in->name))
			policy_read_complain(in, "no such section; accepted: " ACCEPTED);
		else if (is_known(p, &s))
			policy_read_complain(
				in, "this section is a second one; accepted: one for each name");
		if (!json_is_object(keys))
			policy_read_complain(in, "no section; accepted: an object");
		config_defaults(&s.limits);
		in->section = MEMORY_ADD(p->section, p->sections);
		*in->section = s;
		read_keys(in, keys);
	}
}

static struct policy *policy_read_parse(const char *program, const char *path, const char *text,
					size_t bytes)
{
	struct input in = { .program = program, .path = path };
	struct policy *p = memory_new(1, sizeof(*p));
	json_error_t error;
	json_t *sections = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);

	if (sections)
		read_sections(&in, p, sections);
	else
		policy_read_complain(&in, "line %d: %s; accepted: JSON", error.line, error.text);
	p->text = json_dumps(sections, JSON_INDENT(1));
	json_decref(sections);
	if (!in.mistakes)
		return p;
	policy_free(p);
	return NULL;
}

struct policy *policy_read(const char *program, const char *path)
{
	size_t bytes;
	uint8_t *read = whole_file_read(path, BYTES_MAX, &bytes);
	struct policy *p;

	if (!read) {
		fprintf(stderr, "%s: %s: %s\n", program, text_sanitize_name(path), strerror(errno));
		return NULL;
	}
	p = policy_read_parse(program, path, (const char *)read, bytes);
	free(read);
	return p;
}

struct policy *policy_parse(const char *program, const char *path, const char *text)
{
	return policy_read_parse(program, path, text, strlen(text));
}

void policy_free(struct policy *p)
{
	for (size_t i = 0; p && i < p->sections; i++) {
		free(p->section[i].version);
		attest_want_free(&p->section[i].accepted);
	}
	if (p) {
		free(p->section);
		free(p->text);
	}
	free(p);
}
