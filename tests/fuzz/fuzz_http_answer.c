/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of a web server, and boot paths that lead to it: headers, a URI, a device path. The first
 * byte selects the kind. All is handed out in its exact size.
 *
 * A sound answer has a length. A base is a URI with the same base and host, and the
 * names in a path are within it.
 */
#include "core/firmware/boot_path.h"
#include "efi/net/http_answer.h"
#include "efi/net/uri.h"

#include "tests/fuzz/take.h"

#define LINES_MAX 8u
#define LINE_MAX  40u

/* The rest of the input, which ends where its memory does. */
static const char *rest(size_t *bytes)
{
	*bytes = (size_t)(take.end - take.at);
	return (const char *)take.at;
}

static char *take_word(void)
{
	size_t bytes = take_byte() % LINE_MAX;
	char *word = calloc(1, bytes + 1);

	insist(word);
	take_bytes(word, bytes);
	return word;
}

static void ask_answer(void)
{
	struct http_answer a = { .bytes = 0 };
	unsigned lines = take_byte() % LINES_MAX;

	while (lines--) {
		uint8_t known = take_byte();
		char *name = known < 3 ? strdup("Content-Length") : take_word();
		char *value = take_word();

		http_answer_header(&a, name, value);
		free(name);
		free(value);
	}
	insist(!http_answer_problem(&a) == (a.has_length && !a.is_broken));
}

static void ask_uri(void)
{
	static struct uri u, again;
	size_t bytes;
	const char *s = rest(&bytes);

	if (uri_read(&u, s, bytes)) {
		size_t length = strlen(u.base);

		insist(length <= URI_MAX && u.base[length - 1] == '/' && u.host[0]);
		insist(!strpbrk(u.base, "?#\r\n ") && !strpbrk(u.host, "@/?#\r\n "));
		insist(uri_read(&again, u.base, length) && !strcmp(again.base, u.base) &&
		       !strcmp(again.host, u.host));
	}
}

static void ask_path(void)
{
	struct boot_path_server s;
	size_t bytes;
	const char *path = rest(&bytes);
	enum boot_path_medium medium = boot_path_medium((const uint8_t *)path, bytes);

	if (boot_path_server((const uint8_t *)path, bytes, &s)) {
		insist(s.uri > path && s.uri + s.uri_bytes <= path + bytes);
		insist(!s.mac || ((const char *)s.mac > path &&
				  (const char *)s.mac + MACADDR_BYTES <= path + bytes));
	}
	insist(medium <= BOOT_PATH_DOWNLOADED);
}

FUZZ(1, SIZE_MAX)
{
	static void (*const ask[])(void) = { ask_answer, ask_uri, ask_path };

	ask[take_byte() % 3]();
}
