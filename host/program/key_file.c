/* SPDX-License-Identifier: BSD-2-Clause */
/* 32 hex digits, as the configuration has them. */
#define _GNU_SOURCE /* explicit_bzero */
#include "key_file.h"

#include "core/config/config_keys.h"
#include "core/lib/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct place {
	const char *subcommand, *option, *path;
};

static void complain(const struct place *p, const char *why)
{
	fprintf(stderr, "%s: %s %s: %s\n", p->subcommand, p->option, p->path, why);
}

void key_file_check(const char *program, const char *option, const char *path)
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
		complain(p, strerror(errno));
		return false;
	}
	key_file_check(p->subcommand, p->option, p->path);
	setvbuf(f, NULL, _IONBF, 0);
	end = text + fread(text, 1, room, f);
	fclose(f);
	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	*bytes = (size_t)(end - text);
	return true;
}

bool key_file_read(const char *subcommand, const char *option, const char *path,
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
	wrong = config_parse_secret(&c, NULL, (struct config_word){ text, bytes });
	explicit_bzero(text, sizeof(text));
	if (wrong || !c.key.set) {
		complain(&place, "not a key; accepted: 32 hex digits");
		return false;
	}
	memcpy(key, c.key.bytes, CONFIG_SECRET_BYTES);
	explicit_bzero(&c.key, sizeof(c.key));
	return true;
}

void key_file_print(const uint8_t key[CONFIG_SECRET_BYTES], char digits[KEY_FILE_DIGITS])
{
	struct text t;

	text_init(&t, digits, KEY_FILE_DIGITS);
	text_hex(&t, key, CONFIG_SECRET_BYTES);
}
