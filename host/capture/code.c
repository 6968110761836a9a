/* SPDX-License-Identifier: BSD-2-Clause */
/* From a code back to the lines that it was made of. */
#include "capture.h"

#include "core/lib/letters.h"
#include "core/records/record_code.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PREFIX   "QR-Code:"
#define TEXT_MAX 4296 /* characters of the largest QR code */
#define HEAD     (sizeof(RECORD_CODE_HEAD) - 1)

/* A link whose lines are a capture's bytes. */
struct link {
	struct record_link link;
	struct capture *capture;
};

static void feed(struct record_link *link, const char *line, size_t bytes)
{
	capture_feed(((struct link *)(void *)link)->capture, line, bytes);
}

/* The text without what is around it. */
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

static bool complain(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	return false;
}

/* The lines in the text, *count bytes of them. */
static bool read_lines(const char *name, const char *text, size_t bytes, char *lines, size_t *count)
{
	static uint8_t packed[BASE45_BYTES(TEXT_MAX)];
	static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	size_t good;

	if (bytes > TEXT_MAX)
		return complain(name, "more than the 4296 characters of any QR code");
	if (bytes <= HEAD || memcmp(text, RECORD_CODE_HEAD, HEAD))
		return complain(name, "no code of noisefloor: it does not begin with "
				      "\"" RECORD_CODE_HEAD "\"");
	if (text[bytes - 1] != RECORD_CODE_TAIL[0])
		return complain(name, "cut off: it does not end with \"" RECORD_CODE_TAIL "\"");
	text += HEAD;
	bytes -= HEAD + sizeof(RECORD_CODE_TAIL) - 1;
	good = letters_base45_read(packed, text, bytes);
	if (good < bytes) {
		fprintf(stderr,
			"%s: damaged at character %zu: base45 (RFC 9285) has 0-9, A-Z and "
			"$%%*+-./: and blanks, in groups of three\n",
			name, good + HEAD + 1);
		return false;
	}
	*count = deflate_unpack(lines, RECORD_CODE_LINES_MAX, packed, BASE45_BYTES(bytes), work);
	return *count || complain(name, "damaged or cut off: its contents are not deflated lines");
}

/* The lines, then an `end` with the verdict of the summary. False: there is none. */
static bool feed_lines(struct capture *c, const char *lines, size_t count)
{
	struct link l = { .link = { .write = feed }, .capture = c };
	struct record_end end = { .verdict = NULL };
	const struct reader_run *received;
	const struct result *run;

	capture_feed(c, lines, count);
	received = reader_run(c->reader, 0);
	run = received ? received->user : NULL;
	/* A run that was not asked for is not kept. */
	if (!run || !run->has_summary || !run->summary.verdict)
		return received && !run && received->records[RECORD_SUMMARY];
	end.verdict = run->summary.verdict;
	l.link.sid = received->sid;
	for (const char *at = lines; (at = memchr(at, '\n', count - (size_t)(at - lines))); at++)
		l.link.seq++;
	l.link.sent[RECORD_SUMMARY] = 1;
	record_send(&l.link, RECORD_END, &end);
	return true;
}

bool capture_open_code(struct capture *c, const char *text, const struct capture_want *want)
{
	const char *name = strcmp(text, "-") ? "code" : "standard input";
	static char input[2 * TEXT_MAX], lines[RECORD_CODE_LINES_MAX];
	struct capture_want all = *want;
	size_t bytes = strlen(text), count;

	if (!strcmp(text, "-")) {
		bytes = fread(input, 1, sizeof(input), stdin);
		text = input;
	}
	text = trim(text, &bytes);
	if (!read_lines(name, text, bytes, lines, &count))
		return false;
	all.keep |= 1u << RECORD_SUMMARY;
	capture_begin(c, name, &all);
	if (!feed_lines(c, lines, count)) {
		capture_end(c);
		capture_close(c);
		return complain(name, "damaged: it holds no summary of a run");
	}
	capture_end(c);
	return true;
}
