/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file is read as a log that a terminal of 80 columns broke at most; if lines were joined so,
 * once more as one that is not broken, and if all are within another width, for that. The reading
 * that makes the most sense counts.
 */
#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/tools/text/tool_mail.h"
#include "host/tools/text/tool_streams.h"
#include "tool_feed.h"
#include "tool_wrap.h"

#include "core/lib/arith.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 20)
#define AGAIN_BYTES ((size_t)4 << 20) /* longer files are read once */

struct reading {
	struct tool_list tools;
	struct complaint {
		uint64_t line;
		char text[512];
	} * complaint;
	size_t complaints;
	struct tool_feed_lines lines;
};

static void keep(void *ctx, const char *file, uint64_t line, const char *text)
{
	struct reading *r = ctx;
	struct complaint *c = MEMORY_ADD(r->complaint, r->complaints);

	(void)file;
	c->line = line;
	snprintf(c->text, sizeof(c->text), "%s", text);
}

/* Lines that gave figures, less those that made no sense. */
static int64_t sense(const struct reading *r)
{
	int64_t sense = 0;

	for (size_t i = 0; i < r->tools.count; i++)
		sense += (int64_t)r->tools.at[i].rows - (int64_t)r->tools.at[i].wrong;
	return r->tools.failed ? INT64_MIN : sense;
}

static void forget(struct reading *r)
{
	tool_free(&r->tools);
	free(r->complaint);
	*r = (struct reading){ .complaints = 0 };
}

static uint64_t mix(uint64_t sum, struct range r)
{
	return ((sum * 31 + r.low) * 31 + r.high) * 31 + r.known;
}

/* Of all figures. */
static uint64_t digest(const struct reading *r)
{
	uint64_t sum = r->tools.count;

	for (size_t i = 0; i < r->tools.count; i++) {
		for (size_t n = 0; n < r->tools.at[i].cores; n++) {
			const struct tool_core *core = &r->tools.at[i].core[n];

			sum = mix(mix(sum * 31 + core->cpu, core->exposure_ns), core->events);
			sum = mix(mix(sum, core->max_ns), core->sum_ns);
			for (unsigned c = 0; c < TOOL_CAUSES; c++)
				sum = mix(mix(sum, core->cause[c].events), core->cause[c].ns);
		}
	}
	return sum;
}

static void refuse(struct reading *r)
{
	char text[160];

	snprintf(
		text, sizeof(text),
		"lines may be broken at %zu columns, which would change the figures: join them, or "
		"add a line that is longer",
		r->lines.widest);
	keep(r, NULL, 0, text);
	tool_free(&r->tools);
	r->tools.failed = true;
}

/* As broken at so many columns. */
static void read_as(struct reading *r, const struct tool_text *file, size_t columns)
{
	struct tool_feed *f = tool_feed_new(&r->tools, file->name, columns, keep, r);

	tool_feed(f, file->text, file->bytes);
	r->lines = tool_feed_end(f);
}

/* For another width, 0 for none, if that makes more sense. */
static void read_again(struct reading *first, const struct tool_text *file, size_t columns)
{
	struct reading again = { .tools.any_stage = first->tools.any_stage };
	bool unsure;

	read_as(&again, file, columns);
	if (sense(&again) > sense(first)) {
		forget(first);
		*first = again;
		return;
	}
	/* A line as wide as the widest may have ended there, or go on in the next one. */
	unsure = columns && again.lines.joined && sense(&again) == sense(first) &&
		 !first->tools.failed && digest(&again) != digest(first);
	forget(&again);
	if (unsure)
		refuse(first);
}

static bool has_wrong(const struct reading *r)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < r->tools.count; i++)
		wrong += r->tools.at[i].wrong;
	return wrong;
}

static void settle(struct reading *r, const struct tool_text *file)
{
	size_t widest = r->lines.widest;

	if (r->lines.joined)
		read_again(r, file, 0);
	if (widest != TOOL_WRAP_COLUMNS && widest >= TOOL_WRAP_LEAST && widest <= TOOL_WRAP_MOST)
		read_again(r, file, widest);
	/* Each line may have ended in blanks, so that none is as wide as the terminal. */
	for (size_t columns = TOOL_WRAP_LEAST; columns < TOOL_WRAP_COLUMNS && has_wrong(r);
	     columns++) {
		if (columns > widest)
			read_again(r, file, columns);
	}
}

static void read_for(struct reading *r, const struct tool_text *file)
{
	read_as(r, file, TOOL_WRAP_COLUMNS);
	settle(r, file);
}

/* ---- Several that wrote into one log ---- */

/* One complaint, of no line: there is no output. */
static bool has_nothing(const struct reading *r)
{
	return !r->tools.count && r->complaints == 1 && !r->complaint[0].line;
}

/* `one` is emptied. */
static void join(struct reading *all, struct reading *one)
{
	if (!has_nothing(one)) {
		all->tools.failed = all->tools.failed || one->tools.failed;
		for (size_t i = 0; i < one->tools.count; i++)
			*MEMORY_ADD(all->tools.at, all->tools.count) = one->tools.at[i];
		for (size_t i = 0; i < one->complaints; i++)
			*MEMORY_ADD(all->complaint, all->complaints) = one->complaint[i];
		one->tools.count = 0;
	}
	forget(one);
}

/* One by one, if that makes more sense than all as one, or as much with fewer runs. */
static void read_streams(struct reading *first, const struct tool_text *file)
{
	struct reading all = { .complaints = 0 };
	struct tool_streams s;
	char *text;

	if (!tool_streams_find(&s, file->text, file->bytes))
		return;
	text = memory_new(file->bytes, 1);
	for (size_t n = 0; n < s.count; n++) {
		struct reading one = { .tools.any_stage = first->tools.any_stage };

		tool_streams_copy(&s, n, file->text, file->bytes, text);
		read_for(&one, &(struct tool_text){ file->name, text, file->bytes });
		join(&all, &one);
	}
	free(text);
	if (!all.tools.count || sense(&all) < sense(first) ||
	    (sense(&all) == sense(first) && all.tools.count >= first->tools.count)) {
		forget(&all);
		return;
	}
	forget(first);
	*first = all;
}

/* The file has been read as a log that 80 columns broke: is there a better way? */
static void finish(struct reading *r, const struct tool_text *file)
{
	char *text = memory_new(file->bytes + 1, 1);
	const struct tool_text mail = { file->name, text,
					tool_mail_decode(file->text, file->bytes, text) };

	if (mail.bytes) {
		bool any_stage = r->tools.any_stage;

		forget(r);
		r->tools.any_stage = any_stage;
		read_for(r, &mail);
		read_streams(r, &mail);
	} else {
		settle(r, file);
		read_streams(r, file);
	}
	free(text);
}

/* In the order of the file, in which its pieces begin at number `first`. */
static void put(struct tool_list *tools, size_t first, const struct tool *piece)
{
	size_t n = tools->count;

	MEMORY_ADD(tools->at, tools->count);
	for (; n > first && tools->at[n - 1].line > piece->line; n--)
		tools->at[n] = tools->at[n - 1];
	tools->at[n] = *piece;
}

static void take(struct tool_list *tools, struct reading *r, const char *name,
		 tool_complain *complain, void *ctx)
{
	size_t first = tools->count;

	for (size_t i = 0; i < r->complaints; i++)
		complain(ctx, name, r->complaint[i].line, r->complaint[i].text);
	for (size_t i = 0; i < r->tools.count; i++)
		put(tools, first, &r->tools.at[i]);
	tools->failed = tools->failed || r->tools.failed;
	free(r->tools.at);
	free(r->complaint);
}

void tool_read_text(struct tool_list *tools, const struct tool_text *file, tool_complain *complain,
		    void *ctx)
{
	struct reading r = { .tools.any_stage = tools->any_stage };

	read_as(&r, file, TOOL_WRAP_COLUMNS);
	finish(&r, file);
	take(tools, &r, file->name, complain, ctx);
}

void tool_read(struct tool_list *tools, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES], text[AGAIN_BYTES];
	struct reading r = { .tools.any_stage = tools->any_stage };
	size_t count, bytes = 0, kept = 0;
	struct tool_feed *f;
	struct input in;

	if (!input_open(&in, path)) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
		return;
	}
	f = tool_feed_new(&r.tools, in.name, TOOL_WRAP_COLUMNS, keep, &r);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0) {
		size_t fits = arith_min(count, AGAIN_BYTES - kept);

		memcpy(text + kept, chunk, fits);
		kept += fits;
		bytes += count;
		tool_feed(f, chunk, count);
	}
	r.lines = tool_feed_end(f);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
	} else if (kept == bytes) {
		const struct tool_text file = { in.name, text, bytes };

		finish(&r, &file);
	}
	take(tools, &r, in.name, complain, ctx);
	input_close(&in);
}
