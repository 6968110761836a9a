/* SPDX-License-Identifier: BSD-2-Clause */
/* A line that comes whole is not copied. */
#include "line_splitter.h"

#include "core/lib/arith.h"

#include <string.h>

static void end_line(struct line_splitter *s)
{
	s->line(s->ctx, s->text, s->held, false);
	s->held = 0;
	s->goes_on = false;
}

static void make_room(struct line_splitter *s)
{
	size_t keep = s->line(s->ctx, s->text, s->held, true);

	memmove(s->text, s->text + s->held - keep, keep);
	s->held = keep;
	s->goes_on = true;
}

void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t count)
{
	const char *end = bytes + count;

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t run = (size_t)((newline ? newline : end) - bytes);

		if (newline && run < s->room && !s->held && !s->goes_on) {
			s->line(s->ctx, bytes, run, false);
			bytes = newline + 1;
			continue;
		}
		run = arith_min(run, s->room - s->held);
		memcpy(s->text + s->held, bytes, run);
		s->held += run;
		bytes += run;
		if (bytes == newline) {
			end_line(s);
			bytes++;
		} else if (s->held == s->room) {
			make_room(s);
		}
	}
}

void line_splitter_end(struct line_splitter *s)
{
	if (s->held || s->goes_on)
		end_line(s);
}
