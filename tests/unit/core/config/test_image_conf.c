/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration on the media that `make image` makes: every key is there, at its default. */
#include "core/config/config.h"
#include "core/config/config_keys.h"
#include "tests/unit/common/test.h"
#include "tests/unit/reported.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "mk/image/noisefloor.conf"

static const struct config_source file = { "noisefloor.conf", false };

static char text[CONFIG_TEXT_MAX];
static struct config config;
static struct reported reported;

static void complain(void *ctx, const char *source, unsigned line, const char *what)
{
	reported_add(ctx, source, line, what);
}

static int read_file(void **state)
{
	FILE *f = fopen(FILE_NAME, "r");
	size_t bytes;

	(void)state;
	if (!f)
		return -1;
	bytes = fread(text, 1, sizeof(text) - 1, f);
	text[bytes] = 0;
	return fclose(f);
}

static const char *print(const struct config *c)
{
	static char buffer[4096];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	config_print(c, &t);
	assert_false(t.overflow);
	return buffer;
}

/* A key's line begins with #, without a blank behind it. */
static bool is_key_line(const char *line)
{
	return line[0] == '#' && line[1] >= 'a' && line[1] <= 'z';
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] ? end + 1 : NULL;
}

static unsigned key_lines(void)
{
	unsigned n = 0;

	for (const char *line = text; line; line = next_line(line))
		n += is_key_line(line);
	return n;
}

/* The line of `key` at its default, with the blank or comment above it. */
static const char *line_of(const struct config_key *key, const char **above)
{
	char wanted[128];
	size_t bytes = (size_t)snprintf(wanted, sizeof(wanted), "#%s=%s\n", key->name,
					key->fallback);

	*above = "";
	for (const char *line = text; line; *above = line, line = next_line(line))
		if (!strncmp(line, wanted, bytes))
			return line;
	return NULL;
}

/* The next key of the probe from *n on; NULL when there is none. */
static const struct config_key *next_key(unsigned *n)
{
	const struct config_key *key;

	while ((key = config_key_at((*n)++)))
		if (key->platforms >> CONFIG_PROBE & 1)
			break;
	return key;
}

TEST(test_every_key_has_its_line_and_comment)
{
	const struct config_key *key;
	unsigned keys = 0;

	for (unsigned n = 0; (key = next_key(&n)); keys++) {
		const char *above, *line = line_of(key, &above);

		if (!line)
			fail_msg(FILE_NAME " has no line #%s=%s", key->name, key->fallback);
		if (strncmp(above, "# ", 2) != 0)
			fail_msg(FILE_NAME " has no comment above #%s=", key->name);
	}
	assert_int_equal(key_lines(), keys);
}

/* Without its #, each line sets its key, to what it is anyway. */
TEST(test_every_line_is_the_default)
{
	char before[4096];
	const struct config_key *key;

	config_defaults(&config);
	snprintf(before, sizeof(before), "%s", print(&config));
	for (unsigned n = 0; (key = next_key(&n));) {
		const char *above, *line = line_of(key, &above);

		assert_non_null(line);
		line++;
		assert_int_equal(config_apply(&config, &file, line, strcspn(line, "\n"), complain,
					      &reported),
				 0);
		assert_non_null(config_where(&config, key->name).source);
		assert_string_equal(print(&config), before);
	}
}

TEST(test_it_sets_nothing)
{
	const struct config_key *key;

	config_defaults(&config);
	assert_int_equal(config_apply(&config, &file, text, strlen(text), complain, &reported), 0);
	for (unsigned n = 0; (key = next_key(&n));)
		assert_null(config_where(&config, key->name).source);
}

TEST_GROUP(read_file, NULL);
