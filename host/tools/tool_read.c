/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file is read as a log that a terminal of 80 columns broke at most. If lines make no sense so,
 * and all are within another width, it is read once more for that; the better reading counts.
 */
#include "host/lib/input.h"
#include "host/lib/memory.h"
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
	struct {
		uint64_t line;
		char text[512];
	} * complaint;
	size_t complaints, widest;
};

static void keep(void *ctx, const char *file, uint64_t line, const char *text)
{
	struct reading *r = ctx;

	(void)file;
	r->complaint = memory_grow(r->complaint, r->complaints, sizeof(*r->complaint));
	r->complaint[r->complaints].line = line;
	snprintf(r->complaint[r->complaints++].text, sizeof(r->complaint->text), "%s", text);
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
	*r = (struct reading){ .widest = 0 };
}

/* For another width, if that makes more sense. */
static void read_again(struct reading *first, const char *name, const char *text, size_t bytes)
{
	struct reading again = { .widest = 0 };
	struct tool_feed *f;

	if (first->widest == TOOL_WRAP_COLUMNS || first->widest < TOOL_WRAP_LEAST ||
	    first->widest > TOOL_WRAP_MOST)
		return;
	f = tool_feed_new(&again.tools, name, first->widest, keep, &again);
	tool_feed(f, text, bytes);
	tool_feed_end(f);
	if (sense(&again) > sense(first)) {
		forget(first);
		*first = again;
	} else {
		forget(&again);
	}
}

static void take(struct tool_list *tools, struct reading *r, const char *name,
		 tool_complain *complain, void *ctx)
{
	for (size_t i = 0; i < r->complaints; i++)
		complain(ctx, name, r->complaint[i].line, r->complaint[i].text);
	for (size_t i = 0; i < r->tools.count; i++) {
		tools->at = memory_grow(tools->at, tools->count, sizeof(*tools->at));
		tools->at[tools->count++] = r->tools.at[i];
	}
	tools->failed = tools->failed || r->tools.failed;
	free(r->tools.at);
	r->tools = (struct tool_list){ 0 };
	forget(r);
}

void tool_read_bytes(struct tool_list *tools, const char *name, const char *text, size_t bytes,
		     tool_complain *complain, void *ctx)
{
	struct reading r = { .widest = 0 };
	struct tool_feed *f = tool_feed_new(&r.tools, name, TOOL_WRAP_COLUMNS, keep, &r);

	tool_feed(f, text, bytes);
	r.widest = tool_feed_end(f);
	read_again(&r, name, text, bytes);
	take(tools, &r, name, complain, ctx);
}

void tool_read(struct tool_list *tools, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES], text[AGAIN_BYTES];
	struct reading r = { .widest = 0 };
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
	r.widest = tool_feed_end(f);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
	} else if (kept == bytes) {
		read_again(&r, in.name, text, bytes);
	}
	take(tools, &r, in.name, complain, ctx);
	input_close(&in);
}
