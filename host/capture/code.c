/* SPDX-License-Identifier: BSD-2-Clause */
/* From a code to the lines that the run's records would have been. */
#include "code.h"

#include "core/lib/text.h"
#include "core/records/record_code_read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PREFIX     "QR-Code:"
#define READ_BYTES (2 * RECORD_CODE_READ_MAX) /* more is too long for a code in any case */

/* A link whose lines are a capture's bytes. */
struct link {
	struct record_link link;
	struct capture *capture;
};

static void feed(struct record_link *link, const char *line, size_t bytes)
{
	capture_feed(((struct link *)(void *)link)->capture, line, bytes);
}

/* Without what is around it. */
static const char *trim(const char *text, size_t *bytes)
{
	while (*bytes && isspace((unsigned char)*text))
		text++, --*bytes;
	if (*bytes >= strlen(PREFIX) && !memcmp(text, PREFIX, strlen(PREFIX))) {
		text += strlen(PREFIX);
		*bytes -= strlen(PREFIX);
	}
	while (*bytes && isspace((unsigned char)text[*bytes - 1]))
		--*bytes;
	return text;
}

static bool read_code(struct record_code *code, const char *name, const char *text)
{
	static char input[READ_BYTES];
	size_t bytes = strlen(text);
	TEXT_DEFINE(why, 300);
	bool good;

	if (!strcmp(text, "-")) {
		bytes = fread(input, 1, sizeof(input), stdin);
		text = input;
	}
	text = trim(text, &bytes);
	good = record_code_read(code, text, bytes, &why);
	if (good && !code->summary.verdict) {
		text_add(&why, "the field verdict is missing");
		good = false;
	}
	if (!good)
		fprintf(stderr, "%s: %s\n", name, why.buf);
	return good;
}

bool code_open(struct capture *c, const char *text, const struct capture_want *want)
{
	const char *name = strcmp(text, "-") ? "code" : "standard input";
	static struct record_code code;
	struct record_end end = { .verdict = NULL };
	struct link l = { .link = { .write = feed }, .capture = c };

	if (!read_code(&code, name, text))
		return false;
	l.link.sid = code.sid;
	end.verdict = code.summary.verdict;
	capture_begin(c, name, want);
	record_send(&l.link, RECORD_SUMMARY, &code.summary);
	record_send(&l.link, RECORD_END, &end);
	capture_end(c);
	return true;
}
