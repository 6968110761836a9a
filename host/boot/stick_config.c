/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins a configuration file and keys from the command line. */
#define _GNU_SOURCE /* explicit_bzero */
#include "stick_config.h"

#include "host/program/config_words.h"
#include "host/lib/whole_file.h"

#include "core/lib/text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MARK "\n# Set by `noisefloor boot stick`; later lines win.\n"

/* Add a text with its lines ended for any editor, by CR LF. */
static void add_lines(struct text *to, const char *text, size_t bytes)
{
	for (size_t n = 0; n < bytes; n++) {
		if (text[n] == '\n' && (n == 0 || text[n - 1] != '\r'))
			text_add(to, "\r");
		text_add(to, "%c", text[n]);
	}
}

/* The file that the configuration is based on. */
struct base {
	const char *file, *text;
	size_t bytes;
};

/* Check both texts as they were given. The number of cores is not known: accept any. */
static bool check(struct stick_config *c, const struct base *base, const struct text *words)
{
	static struct config config;

	config_words_begin(&config);
	if (!config_words_apply(&config, "stick", base->file, base->text, base->bytes) ||
	    !config_words_apply(&config, "stick", NULL, words->buf, words->len) ||
	    !config_words_check(&config, "stick", UINT32_MAX))
		return false;
	c->has_secret = config.key.set;
	explicit_bzero(&config, sizeof(config));
	return true;
}

static bool join(struct stick_config *c, const struct base *base, const struct text *words)
{
	struct text t;

	text_init(&t, c->text, sizeof(c->text));
	add_lines(&t, base->text, base->bytes);
	if (words->len) {
		add_lines(&t, WORDS_MARK, strlen(WORDS_MARK));
		add_lines(&t, words->buf, words->len);
	}
	c->bytes = t.len;
	if (!t.overflow)
		return true;
	fprintf(stderr, "stick: %s and the keys are longer than %d bytes\n", base->file,
		CONFIG_TEXT_MAX);
	return false;
}

static bool is_good(struct stick_config *c, const struct base *base, const char *const *words,
		    size_t count)
{
	static char buffer[CONFIG_TEXT_MAX];
	struct text t;
	bool good;

	text_init(&t, buffer, sizeof(buffer));
	good = config_words_add("stick", words, count, &t) && check(c, base, &t) &&
	       join(c, base, &t);
	explicit_bzero(buffer, sizeof(buffer));
	return good;
}

bool stick_config_read(struct stick_config *c, const char *conf, const char *const *words,
		       size_t count)
{
	char path[PATH_MAX];
	struct base base;
	uint8_t *text;
	bool good;

	if (!conf) {
		whole_file_of_ours(path, "../share/noisefloor/noisefloor.conf",
				   "image/noisefloor.conf");
		conf = path;
	}
	text = whole_file_read(conf, CONFIG_TEXT_MAX, &base.bytes);
	if (!text) {
		fprintf(stderr, "stick: %s: %s\n", conf, strerror(errno));
		return false;
	}
	base.file = conf;
	base.text = (const char *)text;
	good = is_good(c, &base, words, count);
	explicit_bzero(text, base.bytes);
	free(text);
	return good;
}

void stick_config_forget(struct stick_config *c)
{
	explicit_bzero(c, sizeof(*c));
}
