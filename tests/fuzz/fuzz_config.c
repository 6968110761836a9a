/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration text. The first byte selects the form, file or load options; the rest is the text.
 */
#include "core/config/config.h"
#include "efi/load_options.h"
#include "tests/fuzz/take.h"

#define OPTIONS 0x01

static unsigned reported;

static void complain(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)line;
	insist_showable(source, 64);
	insist_showable(text, CONFIG_COMPLAINT_MAX);
	reported++;
}

static void print(const struct config *c, char *buf, size_t cap)
{
	struct text text;

	text_init(&text, buf, cap);
	config_print(c, &text);
	insist(!text.overflow);
	insist_showable(buf, cap);
}

/* A printed configuration is read back as the same one, but for the secret. */
static void check_print(struct config *c)
{
	static const struct config_source source = { "printed", true };
	static char first[32768], second[32768];
	struct config again;

	memset(&c->key, 0, sizeof(c->key));
	print(c, first, sizeof(first));
	config_defaults(&again);
	insist(config_apply(&again, &source, first, strlen(first), complain, NULL) == 0);
	print(&again, second, sizeof(second));
	insist(strcmp(first, second) == 0);
}

static unsigned apply(struct config *c, const uint8_t *data, size_t bytes, bool options)
{
	static const struct config_source file = { "file", false };
	static const struct config_source line = { "load options", true };
	char *text = malloc(bytes + 1);
	size_t used = bytes;
	unsigned mistakes = 0;

	insist(text);
	if (!options)
		memcpy(text, data, bytes);
	if (!options || load_options_read(data, bytes, text, bytes, &used))
		mistakes = config_apply(c, options ? &line : &file, text, used, complain, NULL);
	free(text);
	return mistakes;
}

FUZZ(1, SIZE_MAX)
{
	struct config c;

	config_defaults(&c);
	reported = 0;
	insist(apply(&c, data + 1, bytes - 1, data[0] & OPTIONS) == reported);
	check_print(&c);
	reported = 0;
	insist(config_check(&c, 4, complain, NULL) == reported && c.window_ns <= c.duration_ns);
}
