/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of a web server, and boot paths that lead to it: headers and a body in pieces, a URI, a
 * device path. The first byte selects the kind. All is handed out in its exact size.
 *
 * The stored part of a body fits its room, and how the body was cut into pieces does not matter. A
 * base is a URI with the same base and host, and the names in a path are within it.
 */
#include "core/config/http_answer.h"
#include "core/config/uri.h"
#include "core/firmware/boot_path.h"

#include "tests/fuzz/take.h"

#define CAP       64u
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

/* Two readers of the same answer, with pieces of their own. */
struct reader {
	struct http_answer answer;
	char *out;
	enum http_answer_state state;
};

static void start(struct reader r[2])
{
	static const char *const names[] = { "Content-Length", "Transfer-Encoding",
					     "Content-Encoding" };
	unsigned lines = take_byte() % LINES_MAX;

	for (unsigned i = 0; i < 2; i++) {
		r[i].out = malloc(CAP);
		insist(r[i].out);
		http_answer_start(&r[i].answer, r[i].out, CAP);
	}
	while (lines--) {
		uint8_t known = take_byte();
		char *name = known < 3 ? strdup(names[known]) : take_word(), *value = take_word();

		for (unsigned i = 0; i < 2; i++)
			http_answer_header(&r[i].answer, name, value);
		free(name);
		free(value);
	}
	for (unsigned i = 0; i < 2; i++)
		r[i].state = http_answer_begin(&r[i].answer);
}

static void give(struct reader *r, const char *body, size_t bytes, size_t piece)
{
	for (size_t at = 0; at < bytes && r->state == HTTP_ANSWER_MORE; at += piece) {
		size_t count = bytes - at < piece ? bytes - at : piece;
		char *part = exact(body + at, count);

		r->state = http_answer_take(&r->answer, part, count);
		insist(r->answer.used <= CAP);
		free(part);
	}
}

static void ask_answer(void)
{
	struct reader r[2];
	size_t bytes, piece;
	const char *body;

	start(r);
	piece = 1 + take_byte() % 16;
	body = rest(&bytes);
	give(&r[0], body, bytes, 1);
	give(&r[1], body, bytes, piece);
	insist(r[0].state == r[1].state);
	insist(r[0].state != HTTP_ANSWER_WHOLE ||
	       (r[0].answer.used == r[1].answer.used &&
		memcmp(r[0].out, r[1].out, r[0].answer.used) == 0));
	for (unsigned i = 0; i < 2; i++)
		free(r[i].out);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static void (*const ask[])(void) = { ask_answer, ask_uri, ask_path };

	if (!bytes)
		return 0;
	take_from(data, bytes);
	ask[take_byte() % 3]();
	return 0;
}
