/* SPDX-License-Identifier: BSD-2-Clause */
/* A file becomes lines, lines pieces; the first line that only one format has decides a piece's. */
#include "peer.h"

#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "peer_format.h"
#include "host/lib/list.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  ((size_t)1 << 20)
#define SAID_MAX     20 /* complaints about one piece; the rest are counted */
#define QUOTED_BYTES 60 /* of a line, in a complaint */

/* Which is which, by content. A line is offered from the top. */
static const struct peer_format *const formats[] = {
	&peer_hwlat,     &peer_osnoise,       &peer_other_tracer, &peer_rtla_top,
	&peer_rtla_hist, &peer_hwlatdetect,   &peer_oslat,        &peer_rt_json,
	&peer_sysjitter, &peer_sysjitter_raw, &peer_detour,       &peer_cyclictest,
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* A file on its way. */
struct feed {
	struct peers *peers;
	struct capture capture;  /* of our own records, which may be among the lines */
	struct peer_parse parse; /* .format: NULL between pieces */
	struct peer piece;
	struct peer_stated stated; /* for the next piece */
	bool has_stated;
	uint64_t stated_line;

	uint64_t bytes, line;
	size_t pending_bytes;
	bool overlong, said_binary, said_pieces, failed;
	size_t pieces;
	char pending[PEER_LINE_MAX];
	char clean[PEER_LINE_MAX + 1];
	char first[QUOTED_BYTES + 1]; /* line that was not empty */
};

static void say(struct peer_parse *p, uint64_t line, const char *format, va_list args)
{
	char text[512];

	p->peer->wrong++;
	if (p->said++ >= SAID_MAX)
		return;
	vsnprintf(text, sizeof(text), format, args);
	text_sanitize(text);
	p->complain(p->ctx, p->peer->file, line, text);
}

void peer_say(struct peer_parse *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(p, p->line, format, args);
	va_end(args);
}

static void say_of_file(struct peer_parse *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say_of_file(struct peer_parse *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(p, 0, format, args);
	va_end(args);
}

void peer_wrong(struct peer_parse *p, const char *line, const char *wanted)
{
	p->peer->notes |= PEER_DAMAGED;
	line += strspn(line, " ");
	peer_say(p, "%s: not understood: \"%.*s%s\"; wanted: %s", p->format->name, QUOTED_BYTES,
		 line, strlen(line) > QUOTED_BYTES ? "..." : "", wanted);
}

static void free_piece(struct peer *piece)
{
	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].bin);
		free(piece->core[i].more);
	}
	free(piece->core);
}

void peers_free(struct peers *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		free_piece(&peers->at[i]);
	free(peers->at);
	*peers = (struct peers){ 0 };
}

static void keep_piece(struct feed *f)
{
	struct peer *piece = &f->piece;

	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].more);
		piece->core[i].more = NULL;
	}
	peer_sort_cores(piece);
	f->peers->at = list_grow(f->peers->at, f->peers->count, sizeof(*f->peers->at));
	f->peers->at[f->peers->count++] = *piece;
	f->pieces++;
}

static void end_piece(struct feed *f)
{
	struct peer_parse *p = &f->parse;

	if (!p->format)
		return;
	if (p->format->finish)
		p->format->finish(p);
	peer_stated_apply(p);
	if (!f->piece.cores && !p->said)
		peer_say(p, "%s: no figures in it", p->format->name);
	if (p->said > SAID_MAX)
		p->complain(p->ctx, f->piece.file, 0, "there is more that could not be read");
	if (f->piece.cores) {
		keep_piece(f);
	} else {
		f->failed = true;
		free_piece(&f->piece);
	}
	free(p->state);
	p->state = NULL;
	p->format = NULL;
}

static void start_piece(struct feed *f, const struct peer_format *format)
{
	struct peer_parse *p = &f->parse;
	struct peer *piece = &f->piece;

	end_piece(f);
	if (f->pieces == PEER_PIECES_MAX) {
		if (!f->said_pieces)
			say_of_file(p, "more than %d outputs in one file: the rest is left out",
				    PEER_PIECES_MAX);
		f->said_pieces = f->failed = true;
		return;
	}
	*piece = (struct peer){ .line = f->has_stated ? f->stated_line : f->line,
				.tool = format->name };
	snprintf(piece->file, sizeof(piece->file), "%s", f->capture.name);
	if (f->has_stated)
		piece->stated = f->stated;
	f->has_stated = false;
	p->format = format;
	p->said = 0;
	p->state = format->state_bytes ? memory_new(1, format->state_bytes) : NULL;
	if (format->start)
		format->start(p);
}

/* The piece that this line begins or belongs to. */
static void choose(struct feed *f, const char *line)
{
	const struct peer_format *now = f->parse.format;

	for (size_t i = 0; i < FORMATS; i++) {
		enum peer_match match = formats[i]->match(line);

		if (match == PEER_OPENING || (match == PEER_TITLE && formats[i] != now) ||
		    (match == PEER_BODY && !now)) {
			start_piece(f, formats[i]);
			return;
		}
	}
}

static void take_stated(struct feed *f, const char *line)
{
	end_piece(f);
	f->piece.wrong = 0;
	f->parse.said = 0;
	f->stated = (struct peer_stated){ 0 };
	f->stated_line = f->line;
	f->has_stated = true;
	if (!peer_stated_read(&f->parse, line, &f->stated))
		f->failed = true;
}

static void take_line(struct feed *f, const char *line)
{
	f->parse.line = f->line;
	if (!f->first[0] && !scan_end(line))
		snprintf(f->first, sizeof(f->first), "%s", line + strspn(line, " "));
	if (strstr(line, LINE_MARK))
		return; /* a record: the reader's */
	if (peer_stated_is(line)) {
		take_stated(f, line);
		return;
	}
	choose(f, line);
	if (f->parse.format)
		f->parse.format->parse(&f->parse, line);
}

static void check_binary(struct feed *f)
{
	if (f->said_binary || !memchr(f->pending, '\0', f->pending_bytes))
		return;
	f->said_binary = true;
	f->parse.line = f->line;
	peer_say(&f->parse, "binary data; outputs of tools are text");
}

static void end_line(struct feed *f)
{
	size_t bytes;

	f->line++;
	check_binary(f);
	for (size_t i = 0; i < f->pending_bytes; i++) {
		if (f->pending[i] == '\t')
			f->pending[i] = ' ';
	}
	bytes = line_strip(f->pending, f->pending_bytes, f->clean);
	f->clean[bytes] = '\0';
	if (f->overlong) {
		f->parse.line = f->line;
		peer_say(&f->parse, "a line of more than %d bytes", PEER_LINE_MAX);
		f->piece.notes |= PEER_DAMAGED;
	} else {
		take_line(f, f->clean);
	}
	f->pending_bytes = 0;
	f->overlong = false;
}

static void feed_bytes(struct feed *f, const char *bytes, size_t count)
{
	const char *at = bytes, *end = bytes + count;

	f->bytes += count;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t run = (size_t)((newline ? newline : end) - at);
		size_t fits = arith_min(run, PEER_LINE_MAX - f->pending_bytes);

		memcpy(f->pending + f->pending_bytes, at, fits);
		f->pending_bytes += fits;
		f->overlong = f->overlong || fits < run;
		at += run;
		if (newline) {
			end_line(f);
			at++;
		}
	}
	capture_feed(&f->capture, bytes, count);
}

static struct feed *feed_new(struct peers *peers, const char *name, peer_complain *complain,
			     void *ctx)
{
	struct feed *f = memory_new(1, sizeof(*f));

	f->peers = peers;
	f->parse = (struct peer_parse){ .peer = &f->piece, .complain = complain, .ctx = ctx };
	snprintf(f->piece.file, sizeof(f->piece.file), "%s", name);
	peer_records_begin(&f->capture, name, complain, ctx);
	return f;
}

/* Nothing in it: say what was there instead. */
static void say_nothing(struct feed *f)
{
	f->failed = true;
	if (!f->bytes) {
		say_of_file(&f->parse, "empty");
		return;
	}
	say_of_file(&f->parse,
		    "no output that is known in %llu bytes, which begin \"%s\"; known: hwlat and "
		    "osnoise traces, rtla osnoise and hwnoise, hwlatdetect, oslat, cyclictest, "
		    "sysjitter, detect-detour, noisefloor's records",
		    (unsigned long long)f->bytes, f->first);
}

static void feed_end(struct feed *f)
{
	bool records;

	capture_end(&f->capture);
	records = peer_records_add(f->peers, &f->capture);
	if (f->pending_bytes)
		end_line(f);
	end_piece(f);
	f->parse.said = 0;
	f->parse.line = f->stated_line;
	if (f->has_stated)
		peer_say(&f->parse, "this says what no output follows");
	if (!f->pieces && !records && !f->failed)
		say_nothing(f);
	f->peers->failed = f->peers->failed || f->failed;
	capture_close(&f->capture);
	free(f);
}

void peers_read_bytes(struct peers *peers, const char *name, const char *text, size_t bytes,
		      peer_complain *complain, void *ctx)
{
	struct feed *f = feed_new(peers, name, complain, ctx);

	feed_bytes(f, text, bytes);
	feed_end(f);
}

void peers_read(struct peers *peers, const char *path, peer_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	FILE *file = standard ? stdin : fopen(path, "rb");
	struct feed *f;
	size_t count;

	if (!file) {
		complain(ctx, name, 0, strerror(errno));
		peers->failed = true;
		return;
	}
	f = feed_new(peers, name, complain, ctx);
	progress_start_file(name, file);
	while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0) {
		feed_bytes(f, chunk, count);
		progress_add(count);
	}
	if (ferror(file)) {
		complain(ctx, name, 0, strerror(errno));
		f->failed = true;
	}
	if (!standard)
		fclose(file);
	progress_stop();
	feed_end(f);
}
