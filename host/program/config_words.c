/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration for the probe, checked by the probe's own code; and files that hold keys. */
#define _GNU_SOURCE /* explicit_bzero */
#include "config_words.h"

#include "core/config/config_keys.h"
#include "core/lib/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Why a platform refuses a key, which the probe does not need ---- */

#define BOTH       NULL
#define PROBE(why) why

#define KEY(key, fallback, platforms, ...) { key, platforms },

static const struct {
	const char *name, *why_not;
} rows[] = {
#include "core/config/config_rows.h"
};

const char *config_help_why_not(const char *key)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, key) == 0)
			return rows[i].why_not;
	return NULL;
}

/* ---- Keys in files: 32 hex digits, as the configuration has them ---- */

struct place {
	const char *subcommand, *option, *path;
};

static void complain_of(const struct place *p, const char *why)
{
	fprintf(stderr, "%s: %s %s: %s\n", p->subcommand, p->option, p->path, why);
}

void config_key_check(const char *program, const char *option, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && status.st_mode & (S_IROTH | S_IWOTH))
		fprintf(stderr, "%s: %s %s: this file is readable or writable by everybody\n",
			program, option, path);
}

/* The file's text without surrounding blanks. */
static bool read_text(const struct place *p, char *text, size_t room, size_t *bytes)
{
	FILE *f = fopen(p->path, "re");
	char *end;

	if (!f) {
		complain_of(p, strerror(errno));
		return false;
	}
	config_key_check(p->subcommand, p->option, p->path);
	setvbuf(f, NULL, _IONBF, 0);
	end = text + fread(text, 1, room, f);
	fclose(f);
	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	*bytes = (size_t)(end - text);
	return true;
}

bool config_key_read(const char *subcommand, const char *option, const char *path,
		     uint8_t key[CONFIG_SECRET_BYTES])
{
	const struct place place = { subcommand, option, path };
	char text[2 * CONFIG_SECRET_BYTES + 3];
	static struct config c;
	const char *wrong;
	size_t bytes;

	if (!read_text(&place, text, sizeof(text), &bytes))
		return false;
	c.key.set = false;
	wrong = config_parse_secret(&c, NULL, (struct span){ text, bytes });
	explicit_bzero(text, sizeof(text));
	if (wrong || !c.key.set) {
		complain_of(&place, "not a key; accepted: 32 hex digits");
		return false;
	}
	memcpy(key, c.key.bytes, CONFIG_SECRET_BYTES);
	explicit_bzero(&c.key, sizeof(c.key));
	return true;
}

void config_key_print(const uint8_t key[CONFIG_SECRET_BYTES], char digits[CONFIG_KEY_DIGITS])
{
	struct text t;

	text_init(&t, digits, CONFIG_KEY_DIGITS);
	text_hex(&t, key, CONFIG_SECRET_BYTES);
}

/* ---- Words ---- */

static const struct config_source arguments = { .name = "command line" };

/* An argument has no line number for the user, though it is a line of the text. */
static void print_mistake(void *ctx, const char *source, unsigned line, const char *text)
{
	fprintf(stderr, "%s: %s", (const char *)ctx, source);
	if (line && source != arguments.name)
		fprintf(stderr, ":%u", line);
	fputs(": ", stderr);
	for (; *text; text++)
		fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
	fputc('\n', stderr);
}

static bool add_word(const char *subcommand, const char *word, struct text *out)
{
	static const char from_file[] = "key=@";
	uint8_t key[CONFIG_SECRET_BYTES];
	char digits[CONFIG_KEY_DIGITS];

	if (strncmp(word, from_file, strlen(from_file)) != 0) {
		text_add(out, "%s\n", word);
		return true;
	}
	if (!config_key_read(subcommand, "key", word + strlen(from_file), key))
		return false;
	config_key_print(key, digits);
	text_add(out, "key=%s\n", digits);
	explicit_bzero(digits, sizeof(digits));
	return true;
}

static bool config_words_complain(const char *subcommand, const char *what)
{
	fprintf(stderr, "%s: %s\n", subcommand, what);
	return false;
}

bool config_words_add(const char *subcommand, const char *const *words, size_t count,
		      struct text *out)
{
	for (size_t n = 0; n < count; n++) {
		if (strpbrk(words[n], "#\r\n"))
			return config_words_complain(subcommand,
						     "a key may not hold # or an end of line");
		if (!add_word(subcommand, words[n], out))
			return false;
	}
	return !out->overflow || config_words_complain(subcommand, "the keys are too long");
}

void config_words_begin(struct config *c)
{
	config_defaults(c);
	c->why_not = config_help_why_not;
}

bool config_words_apply(struct config *c, const char *subcommand, const char *file,
			const char *text, size_t bytes)
{
	const struct config_source source = { .name = file ? file : arguments.name };

	return !config_apply(c, &source, text, bytes, print_mistake, (void *)subcommand);
}

bool config_words_check(struct config *c, const char *subcommand, uint32_t cores)
{
	return !config_check(c, cores, print_mistake, (void *)subcommand);
}

bool config_words_suit_firmware(const struct config *c, const char *subcommand)
{
	return !(c->stages & 1u << STAGE_LINUX) ||
	       config_words_complain(
		       subcommand, "stages=linux measures what a running Linux has left, and needs "
				   "`boot once --kexec`; accepted: firmware, bare, acpi, handoff");
}
