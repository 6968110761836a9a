/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, and line breaks in prose. */
#include "lines.h"

#include "mem.h"

void lines_init(struct lines *l, lines_put *put, void *ctx)
{
	text_init(&l->out, l->buf, sizeof(l->buf));
	l->put = put;
	l->ctx = ctx;
}

void lines_end(struct lines *l)
{
	l->put(l->ctx, l->out.buf, l->out.len);
	text_reset(&l->out);
}

/* The last blank up to which the line fits, preferably after punctuation; 0: none. */
static size_t break_of(const char *line, size_t indent)
{
	size_t blank = 0;

	for (size_t i = LINES_COLUMNS; i > indent; i--) {
		if (line[i] != ' ')
			continue;
		if (line[i - 1] == ',' || line[i - 1] == ';' || line[i - 1] == ':')
			return i;
		blank = blank ? blank : i;
	}
	return blank;
}

void lines_wrap(struct lines *l, unsigned indent)
{
	size_t at;

	while (l->out.len > LINES_COLUMNS && (at = break_of(l->buf, indent)) != 0) {
		size_t rest = l->out.len - at - 1;

		l->buf[at] = '\0';
		l->put(l->ctx, l->buf, at);
		memmove(l->buf + indent, l->buf + at + 1, rest + 1);
		memset(l->buf, ' ', indent);
		l->out.len = indent + rest;
	}
	lines_end(l);
}

void lines_split(const char *text, lines_put *put, void *ctx)
{
	struct lines l;

	lines_init(&l, put, ctx);
	for (; *text; text++) {
		if (*text == '\n')
			lines_end(&l);
		else
			text_char(&l.out, *text);
	}
}
