/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a capture: from a path to runs with all their records. */
#include "capture.h"

#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/letters.h"
#include "core/records/record_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 20)

void capture_begin(struct capture *c, const char *name, const struct capture_want *want)
{
	*c = (struct capture){ .name = name, .want = *want, .reader = reader_new(name, want) };
}

void capture_feed(struct capture *c, const char *bytes, size_t count)
{
	reader_feed(c->reader, bytes, count);
}

void capture_end(struct capture *c)
{
	struct result *run;

	reader_finish(c->reader);
	for (size_t n = 0; (run = reader_run(c->reader, n)); n++) {
		if (!run->wanted)
			continue;
		result_sort(run);
		c->run[c->runs++] = run;
	}
}

void capture_open(struct capture *c, const char *path, const struct capture_want *want)
{
	static char chunk[CHUNK_BYTES];
	struct input in;
	size_t count;

	input_open(&in, path);
	capture_begin(c, in.name, want);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0)
		capture_feed(c, chunk, count);
	capture_end(c);
	input_close(&in);
	c->input = in;
	c->error = in.error[0] ? c->input.error : NULL;
}

void capture_close(struct capture *c)
{
	reader_free(c->reader);
	*c = (struct capture){ .reader = NULL };
}

bool capture_check(const char *subcommand, int count, const char *const *paths)
{
	int standard = 0;

	for (int i = 0; i < count; i++)
		standard += strcmp(paths[i], "-") == 0;
	if (standard > 1)
		fprintf(stderr,
			"%s: standard input can be read only once, but - is given %d times\n",
			subcommand, standard);
	return standard <= 1;
}

static void report_flaw(void *ctx, const char *sentence)
{
	const struct capture *c = ctx;
	char clean[1024];

	text_sanitize_copy(clean, sizeof(clean), sentence);
	fprintf(stderr, "%s: %s\n", c->name, clean);
}

bool capture_list_runs(const struct capture *c, const char *what)
{
	const struct result *run;

	fprintf(stderr, "%s: %s:", c->name, what);
	for (size_t n = 0; (run = reader_run(c->reader, n)); n++)
		fprintf(stderr, " %016llx", (unsigned long long)run->sid);
	fputc('\n', stderr);
	return false;
}

static int no_run(const struct capture *c)
{
	const struct reader_totals *totals = reader_totals(c->reader);

	if (c->error)
		fprintf(stderr, "%s: %s\n", c->name, c->error);
	else if (reader_run(c->reader, 0))
		capture_list_runs(c, CAPTURE_NO_RUN);
	else
		fprintf(stderr, "%s: no %snoisefloor record in %llu bytes\n", c->name,
			totals->damaged || totals->refused ? "readable " : "",
			(unsigned long long)totals->bytes);
	return EXIT_ERROR;
}

int capture_judge(const struct capture *c, bool flaws)
{
	const struct reader_totals *totals = reader_totals(c->reader);
	int code = totals->refused ? EXIT_ERROR : EXIT_PASS;

	for (size_t n = 0; n < c->runs; n++) {
		code = exit_worst(code, result_exit_code(c->run[n]));
		if (flaws)
			result_flaws(c->run[n], report_flaw, (void *)(uintptr_t)c);
	}
	if (totals->complaints > READER_COMPLAINTS_MAX)
		fprintf(stderr, "%s: %llu more complaints\n", c->name,
			(unsigned long long)(totals->complaints - READER_COMPLAINTS_MAX));
	if (!c->runs)
		return no_run(c);
	if (!c->error)
		return code;
	fprintf(stderr, "%s: %s, after %llu bytes\n", c->name, c->error,
		(unsigned long long)totals->bytes);
	return EXIT_ERROR;
}

/* ---- One run, one stage ---- */

bool capture_select(struct capture_select *s, const char *path, const char *sid)
{
	const struct capture_want want = { .keep = RESULT_ALL, .run = sid };
	struct capture *c = &s->capture;

	s->run = NULL;
	capture_open(c, path, &want);
	capture_judge(c, false);
	if (c->error || !c->runs)
		return false;
	if (c->runs > 1)
		return capture_list_runs(c, "has several runs; select one by its sid");
	s->run = c->run[0];
	return true;
}

static void list_stages(const struct capture_select *s, const char *name)
{
	char clean[64];

	fprintf(stderr, "%s: stage %s was not measured; measured stages:", s->capture.name, name);
	for (size_t i = 0; i < s->run->stages; i++) {
		if (!result_stage_is_measured(&s->run->stage[i]))
			continue;
		text_sanitize_copy(clean, sizeof(clean), s->run->stage[i].name);
		fprintf(stderr, " %s", clean);
	}
	fputc('\n', stderr);
}

struct result_stage *capture_select_stage(const struct capture_select *s, const char *name)
{
	for (size_t i = s->run->stages; i-- > 0;) {
		struct result_stage *stage = &s->run->stage[i];

		if (result_stage_is_measured(stage) && (!name || strcmp(stage->name, name) == 0))
			return stage;
	}
	if (result_is_measured(s->run))
		list_stages(s, name);
	else
		fprintf(stderr, "%s: nothing was measured, or it is lost\n", s->capture.name);
	return NULL;
}

int capture_select_code(const struct capture_select *s)
{
	if (result_is_whole(s->run))
		return EXIT_PASS;
	result_flaws(s->run, report_flaw, (void *)(uintptr_t)&s->capture);
	return EXIT_INCOMPLETE;
}

/* ---- From a code back to the lines that it was made of ---- */

#define PREFIX   "QR-Code:"
#define CODE_MAX 4296 /* characters of the largest QR code */
#define HEAD     (sizeof(RECORD_CODE_HEAD) - 1)

/* A link whose lines are a capture's bytes. */
struct link {
	struct record_link link;
	struct capture *capture;
};

static void feed_line(struct record_link *link, const char *line, size_t bytes)
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

static bool refuse_code(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	return false;
}

/* The lines in the text, *count bytes of them. */
static bool read_lines(const char *name, const char *text, size_t bytes, char *lines, size_t *count)
{
	static uint8_t packed[BASE45_BYTES(CODE_MAX)];
	static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	size_t good;

	if (bytes > CODE_MAX)
		return refuse_code(name, "more than the 4296 characters of any QR code");
	if (bytes <= HEAD || memcmp(text, RECORD_CODE_HEAD, HEAD))
		return refuse_code(name, "no code of noisefloor: it does not begin with "
					 "\"" RECORD_CODE_HEAD "\"");
	if (text[bytes - 1] != RECORD_CODE_TAIL[0])
		return refuse_code(name, "cut off: it does not end with \"" RECORD_CODE_TAIL "\"");
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
	return *count ||
	       refuse_code(name, "damaged or cut off: its contents are not deflated lines");
}

/* The lines, then an `end` with the verdict of the summary. False: there is none. */
static bool feed_lines(struct capture *c, const char *lines, size_t count)
{
	struct link l = { .link = { .write = feed_line }, .capture = c };
	struct record_end end = { .verdict = NULL };
	const struct result *run;

	capture_feed(c, lines, count);
	run = reader_run(c->reader, 0);
	/* A run that was not asked for is not kept. */
	if (!run || !run->wanted)
		return run && run->records[RECORD_SUMMARY];
	if (!run->has_summary || !run->summary.verdict)
		return false;
	end.verdict = run->summary.verdict;
	l.link.sid = run->sid;
	for (const char *at = lines; (at = memchr(at, '\n', count - (size_t)(at - lines))); at++)
		l.link.seq++;
	l.link.sent[RECORD_SUMMARY] = 1;
	record_send(&l.link, RECORD_END, &end);
	return true;
}

bool capture_open_code(struct capture *c, const char *text, const struct capture_want *want)
{
	const char *name = strcmp(text, "-") ? "code" : "standard input";
	static char input[2 * CODE_MAX], lines[RECORD_CODE_LINES_MAX];
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
		return refuse_code(name, "damaged: it holds no summary of a run");
	}
	capture_end(c);
	return true;
}
