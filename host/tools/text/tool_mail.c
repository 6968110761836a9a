/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_mail.h"

#include "host/lib/base64_bytes.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define BOUNDARIES 8

enum encoding { PLAIN, QUOTED_PRINTABLE, BASE64 };

struct mail {
	enum encoding encoding; /* that the head states */
	bool in_body;           /* of a part with that encoding */
	bool any;
	struct {
		const char *text;
		size_t bytes;
	} boundary[BOUNDARIES];
	size_t boundaries;
	char *to;
	size_t used, owed; /* ends of lines, of those that were joined */
};

static bool begins(const char *at, size_t bytes, const char *word)
{
	return bytes >= strlen(word) && strncasecmp(at, word, strlen(word)) == 0;
}

static enum encoding encoding_of(const char *at, size_t bytes)
{
	while (bytes && *at == ' ') {
		at++;
		bytes--;
	}
	return begins(at, bytes, "quoted-printable") ? QUOTED_PRINTABLE
	       : begins(at, bytes, "base64")         ? BASE64
						     : PLAIN;
}

/* boundary="=_b1" */
static void take_boundary(struct mail *m, const char *line, size_t bytes)
{
	static const char name[] = "boundary=";
	const char *end = line + bytes, *at = line;

	while (at < end && !begins(at, (size_t)(end - at), name))
		at++;
	if (at == end || m->boundaries == BOUNDARIES)
		return;
	at += strlen(name);
	at += at < end && *at == '"';
	bytes = 0;
	while (at + bytes < end && !strchr("\"; ", at[bytes]))
		bytes++;
	if (!bytes)
		return;
	m->boundary[m->boundaries].text = at;
	m->boundary[m->boundaries++].bytes = bytes;
}

static void take_head(struct mail *m, const char *line, size_t bytes)
{
	static const char name[] = "Content-Transfer-Encoding:";

	if (begins(line, bytes, name))
		m->encoding = encoding_of(line + strlen(name), bytes - strlen(name));
	take_boundary(m, line, bytes);
	m->in_body = !bytes && m->encoding != PLAIN;
	m->any = m->any || m->in_body;
}

/* The part's, or the mail's in a mailbox. */
static bool is_end(const struct mail *m, const char *line, size_t bytes)
{
	if (bytes >= 5 && memcmp(line, "From ", 5) == 0)
		return true;
	for (size_t i = 0; i < m->boundaries; i++) {
		size_t least = 2 + m->boundary[i].bytes;

		if (bytes >= least && memcmp(line, "--", 2) == 0 &&
		    memcmp(line + 2, m->boundary[i].text, m->boundary[i].bytes) == 0)
			return true;
	}
	return false;
}

static void put(struct mail *m, const char *at, size_t bytes)
{
	memmove(m->to + m->used, at, bytes);
	m->used += bytes;
}

/* A line that ends in = goes on in the next one. */
static void take_quoted_printable(struct mail *m, const char *line, size_t bytes)
{
	bool goes_on = bytes && line[bytes - 1] == '=';

	bytes -= goes_on;
	for (size_t i = 0; i < bytes; i++) {
		int high = bytes - i > 2 ? text_hex_digit_any(line[i + 1]) : -1;
		int low = bytes - i > 2 ? text_hex_digit_any(line[i + 2]) : -1;
		char c = line[i];

		if (c == '=' && high >= 0 && low >= 0) {
			c = (char)(high << 4 | low);
			i += 2;
		}
		put(m, &c, 1);
	}
	m->owed++;
	if (goes_on)
		return;
	for (; m->owed; m->owed--)
		put(m, "\n", 1);
}

static void take_line(struct mail *m, const char *line, size_t bytes)
{
	if (m->in_body && is_end(m, line, bytes)) {
		m->in_body = false;
		m->encoding = PLAIN;
	}
	if (m->in_body && m->encoding == QUOTED_PRINTABLE) {
		take_quoted_printable(m, line, bytes);
		return;
	}
	if (m->in_body && m->encoding == BASE64 && bytes) {
		size_t used = m->used;

		if (base64_bytes((uint8_t *)m->to, &m->used, line, bytes))
			return;
		m->used = used;
	}
	if (!m->in_body)
		take_head(m, line, bytes);
	put(m, line, bytes);
	put(m, "\n", 1);
}

size_t tool_mail_decode(const char *text, size_t bytes, char *to)
{
	struct mail m = { .to = to };
	const char *end = text + bytes;
	size_t line;

	for (const char *at = text; at < end; at += line + 1) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline && !m.in_body) {
			put(&m, at, (size_t)(end - at));
			break;
		}
		line = (size_t)((newline ? newline : end) - at);
		take_line(&m, at, line && at[line - 1] == '\r' ? line - 1 : line);
	}
	return m.any ? m.used : 0;
}
