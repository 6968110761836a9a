/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a section or a key; the probe's keys are read by its own parsers. */
#include "policy.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/whole_file.h"

#include "core/config/config_keys.h"
#include "core/lib/text.h"
#include "core/lib/uuid.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS "[default], [product NAME], [bios VERSION], [uuid UUID]"
#define QUOTED   40 /* characters of what was found */

struct input {
	const char *program, *path;
	unsigned line, mistakes;
	struct policy *policy;
	struct policy_section *section; /* that is being read; NULL: none yet */
	unsigned section_line;
	const char *named;     /* the key of this line, if it names files; else NULL */
	enum policy_list list; /* of that key */
};

/* A key of a section. */
struct key {
	const char *name;
	void (*take)(struct input *in, const struct key *key, char *value);
	enum policy_list list; /* of one that lists digests */
};

static void complain(struct input *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct input *in, const char *format, ...)
{
	char text[CONFIG_COMPLAINT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_sanitize(text);
	fprintf(stderr, "%s: %s:%u: %s\n", in->program, text_sanitize_name(in->path), in->line,
		text);
	in->mistakes++;
}

/* ---- Keys ---- */

static void pass_on(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)source, (void)line;
	complain(ctx, "%s", text);
}

/* By the probe's table of keys. */
static void take_probes(struct input *in, const struct key *key, char *value)
{
	static const struct config_source source = { .name = "policy" };
	char line[200];

	if (strpbrk(value, TEXT_BLANKS) ||
	    snprintf(line, sizeof(line), "%s=%s", key->name, value) >= (int)sizeof(line))
		complain(in, "`%s` has more than one value; accepted: %s = VALUE", key->name,
			 key->name);
	else
		config_apply(&in->section->limits, &source, line, strlen(line), pass_on, in);
}

/* The next word of a list; NULL: no more. */
static char *next_word(char **list)
{
	char *word;

	do
		word = strsep(list, TEXT_BLANKS ",");
	while (word && !*word);
	return word;
}

static void take_versions(struct input *in, const struct key *key, char *value)
{
	struct policy_section *s = in->section;
	char *word;

	(void)key;
	while ((word = next_word(&value))) {
		if (strlen(word) >= FACTS_VERSION) {
			complain(in, "version `%.*s` is too long; accepted: as in 1.2.0", QUOTED,
				 word);
			continue;
		}
		strcpy(*MEMORY_ADD(s->version, s->versions), word);
	}
}

static void take_digests(struct input *in, const struct key *key, char *value)
{
	struct policy_digests *list = &in->section->list[key->list];
	TEXT_DEFINE(why, CONFIG_COMPLAINT_MAX);
	char *word;

	while ((word = next_word(&value))) {
		text_reset(&why);
		if (*word == '/') {
			in->named = key->name;
			in->list = key->list;
		}
		if (!policy_digests_add(list, key->list, key->name, word, &why))
			complain(in, "%s", why.buf);
	}
}

/* Beside the limits of the probe's own table. */
static const struct key others[] = {
	{ "threshold", take_probes, 0 },
	{ "preset", take_probes, 0 },
	{ "duration", take_probes, 0 },
	{ "stages", take_probes, 0 },
	{ "version", take_versions, 0 },
	{ "config", take_digests, POLICY_CONFIG },
	{ "attest_key", take_digests, POLICY_KEY },
	{ "attest_image", take_digests, POLICY_IMAGE },
	{ "attest_loader", take_digests, POLICY_LOADER },
};

#define OTHERS (sizeof(others) / sizeof(others[0]))

/* The n-th, from 0: bit n of what a section was given. False: past the last. */
static bool key_at(unsigned n, struct key *key)
{
	const struct config_key *probes;

	for (size_t i = 0; (probes = config_key_at(i)); i++) {
		if (probes->limit && !n--) {
			*key = (struct key){ probes->name, take_probes, 0 };
			return true;
		}
	}
	if (n < OTHERS)
		*key = others[n];
	return n < OTHERS;
}

/* False, with *n past the last: there is none of that name. */
static bool find_key(const char *name, unsigned *n, struct key *key)
{
	for (*n = 0; key_at(*n, key); ++*n)
		if (strcmp(key->name, name) == 0)
			return true;
	return false;
}

static void complain_unknown(struct input *in, const char *name)
{
	TEXT_DEFINE(listed, CONFIG_COMPLAINT_MAX);
	struct key key;

	for (unsigned n = 0; key_at(n, &key); n++)
		text_add(&listed, "%s%s", n ? ", " : "", key.name);
	complain(in, "`%.*s` is unknown; accepted: %s", QUOTED, name, listed.buf);
}

static bool is_given(const struct policy_section *s, const char *name)
{
	struct key key;
	unsigned n;

	return find_key(name, &n, &key) && s->given >> n & 1;
}

static void read_key(struct input *in, char *line)
{
	char *value = strchr(line, '=');
	struct key key;
	unsigned n;
	bool known;

	if (!value) {
		complain(in, "`%.*s` is no key; accepted: KEY = VALUE, or a section", QUOTED, line);
		return;
	}
	*value++ = '\0';
	value += strspn(value, TEXT_BLANKS);
	line[strcspn(line, TEXT_BLANKS)] = '\0';
	known = find_key(line, &n, &key);
	if (!known)
		complain_unknown(in, line);
	else if (!in->section)
		complain(in, "`%s` is in no section; accepted: " SECTIONS, line);
	else if (in->section->given >> n & 1)
		complain(in, "`%s` is given twice; accepted: once in a section", line);
	else if (!*value)
		complain(in, "`%s` has no value; accepted: %s = VALUE", line, line);
	else
		key.take(in, &key, value);
	if (in->section && known)
		in->section->given |= 1u << n;
}

/* ---- Sections ---- */

static const char *const scopes[POLICY_SCOPES] = {
	[POLICY_DEFAULT] = "default",
	[POLICY_PRODUCT] = "product",
	[POLICY_BIOS] = "bios",
	[POLICY_UUID] = "uuid",
};

static bool is_name(enum policy_scope scope, const char *name)
{
	uint8_t uuid[UUID_BYTES];

	if (scope == POLICY_DEFAULT || scope == POLICY_UUID)
		return scope == POLICY_UUID ? uuid_parse(name, uuid) : !*name;
	return *name && strlen(name) < SUMMARY_TEXT;
}

static bool is_known(const struct policy *p, const struct policy_section *s)
{
	for (size_t i = 0; i < p->sections; i++)
		if (p->section[i]->scope == s->scope &&
		    strcasecmp(p->section[i]->name, s->name) == 0)
			return true;
	return false;
}

/* A key proves nothing of what was started, nor an image who has started it. */
static void check_attest(struct input *in)
{
	unsigned line = in->line;

	if (is_given(in->section, "attest_key") && is_given(in->section, "attest_image"))
		return;
	in->line = in->section_line;
	if (is_given(in->section, "attest_key"))
		complain(in, "the section has attest_key without attest_image; accepted: both");
	else if (is_given(in->section, "attest_image") || is_given(in->section, "attest_loader"))
		complain(in, "the section has no attest_key; accepted: with attest_image");
	in->line = line;
}

/* What the section's keys come to. */
static void close_section(struct input *in)
{
	struct policy_section *s = in->section;

	if (!s)
		return;
	check_attest(in);
	if (is_given(s, "stages"))
		s->stages = s->limits.stages;
	if (is_given(s, "duration"))
		s->least_ns = s->limits.duration_ns;
	else if (s->limits.preset)
		s->least_ns = s->limits.preset->min_duration_ns;
}

static void add_section(struct input *in, enum policy_scope scope, const char *name)
{
	struct policy *p = in->policy;
	struct policy_section *s = memory_new(1, sizeof(*s));

	s->scope = scope;
	text_sanitize_ascii(s->name, sizeof(s->name), name);
	config_defaults(&s->limits);
	if (is_known(p, s))
		complain(in, "this section is a second one; accepted: one for each name");
	if (p->sections == POLICY_SECTIONS_MAX)
		complain(in, "too many sections; accepted: %d", POLICY_SECTIONS_MAX);
	in->section = s;
	in->section_line = in->line;
	*MEMORY_ADD(p->section, p->sections) = s;
}

/* Between the brackets; names have # and ], too. */
static enum policy_scope scope_of(char *inside, char **name)
{
	size_t bytes;
	unsigned scope = 0;

	inside = text_trim(inside);
	bytes = strcspn(inside, TEXT_BLANKS);
	while (scope < POLICY_SCOPES &&
	       (strlen(scopes[scope]) != bytes || memcmp(scopes[scope], inside, bytes) != 0))
		scope++;
	*name = inside + bytes + strspn(inside + bytes, TEXT_BLANKS);
	return (enum policy_scope)scope;
}

static void read_section(struct input *in, char *line)
{
	char *inside = memory_text(line + 1), *end = strrchr(inside, ']'), *name = inside;
	enum policy_scope scope = POLICY_SCOPES;

	close_section(in);
	if (end && strchr("#", *text_trim(end + 1))) {
		*end = '\0';
		scope = scope_of(inside, &name);
	}
	if (scope == POLICY_SCOPES || !is_name(scope, name)) {
		complain(in, "`%.*s` is no section; accepted: " SECTIONS, QUOTED, line);
		/* Its keys are read, and their mistakes found. */
		scope = POLICY_SCOPES;
		name = line;
	}
	add_section(in, scope, name);
	free(inside);
}

static void read_line(struct input *in, char *line)
{
	line = text_trim(line);
	if (*line != '[')
		line[strcspn(line, "#")] = '\0';
	line = text_trim(line);
	if (*line == '[')
		read_section(in, line);
	else if (*line)
		read_key(in, line);
}

static bool is_text(struct input *in)
{
	const struct policy *p = in->policy;

	for (size_t i = 0; i < p->bytes; i++) {
		unsigned char c = (unsigned char)p->text[i];

		in->line += c == '\n';
		if (!iscntrl(c) || strchr("\t\r\n", c ? c : 'x'))
			continue;
		complain(in,
			 "byte 0x%02x is not text; accepted: sections, and lines of KEY = VALUE",
			 (unsigned)c);
		return false;
	}
	return true;
}

/* Who reads the copy may not have the files, or others. */
static void put_digests(FILE *to, const struct input *in)
{
	const struct policy_digests *d = &in->section->list[in->list];
	TEXT_DEFINE(digits, 2 * SHA256_BYTES + 1);

	fprintf(to, "%s =", in->named);
	for (size_t i = 0; i < d->count; i++) {
		text_reset(&digits);
		text_hex(&digits, d->digest[i], SHA256_BYTES);
		fprintf(to, " %s", digits.buf);
	}
}

/* Each line is read, and comes to what the copy has of it. */
static void read_lines(struct input *in, FILE *to)
{
	char *copy = memory_copy(in->policy->text, in->policy->bytes + 1, 1);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		const char *own = in->policy->text + (line - copy);
		size_t bytes = strlen(line);

		in->line++;
		in->named = NULL;
		read_line(in, line);
		if (!in->named)
			fwrite(own, 1, bytes, to);
		else
			put_digests(to, in);
		if (rest)
			fputc('\n', to);
	}
	free(copy);
}

static void read_text(struct input *in)
{
	struct policy *p = in->policy;
	char *copy = NULL;
	size_t bytes = 0;
	FILE *to = memory_need(open_memstream(&copy, &bytes));

	in->line = 1;
	if (is_text(in)) {
		in->line = 0;
		read_lines(in, to);
		close_section(in);
	}
	if (!in->mistakes && !p->sections)
		complain(in, "there is no section; accepted: " SECTIONS);
	if (fclose(to) != 0)
		memory_exhausted();
	if (bytes > POLICY_BYTES_MAX)
		complain(in, "too many keys: %zu bytes as digests; accepted: %zu", bytes,
			 POLICY_BYTES_MAX);
	free(p->text);
	p->text = copy;
	p->bytes = bytes;
}

/* Takes the text. */
static struct policy *parse(const char *program, const char *path, char *text, size_t bytes)
{
	struct policy *p = memory_new(1, sizeof(*p));
	struct input in = { .program = program, .path = path, .policy = p };

	p->text = text;
	p->bytes = bytes;
	read_text(&in);
	if (!in.mistakes)
		return p;
	policy_free(p);
	return NULL;
}

struct policy *policy_read(const char *program, const char *path)
{
	size_t bytes;
	uint8_t *read = whole_file_read(path, POLICY_BYTES_MAX, &bytes);
	char *text;

	if (!read) {
		fprintf(stderr, "%s: %s: %s\n", program, text_sanitize_name(path), strerror(errno));
		return NULL;
	}
	text = memory_new(bytes + 1, 1);
	memcpy(text, read, bytes);
	free(read);
	return parse(program, path, text, bytes);
}

struct policy *policy_parse(const char *program, const char *path, const char *text)
{
	return parse(program, path, memory_text(text), strlen(text));
}

const char *policy_text(const struct policy *p)
{
	return p ? p->text : NULL;
}

void policy_free(struct policy *p)
{
	for (size_t i = 0; p && i < p->sections; i++) {
		free(p->section[i]->version);
		for (unsigned list = 0; list < POLICY_LISTS; list++)
			free(p->section[i]->list[list].digest);
		free(p->section[i]);
	}
	if (p) {
		free(p->section);
		free(p->text);
	}
	free(p);
}
