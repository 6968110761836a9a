/* SPDX-License-Identifier: BSD-2-Clause */
/* The last page as text. */
#include "end_text.h"

#include "core/lib/mem.h"
#include "core/records/record_kind.h"

static void print(lines_put *line, void *ctx, const char *text)
{
	line(ctx, text, strlen(text));
}

void end_text_print(const struct record_begin *begin, const struct report *report,
		    const struct screen_end *end, lines_put *line, void *ctx)
{
	const struct verdict_reasons *r = end->reasons;
	struct lines lines;
	TEXT_DEFINE(t, 40);

	lines_init(&lines, line, ctx);
	if (end->about)
		lines_split(end->about, line, ctx);
	else if (report->stage)
		record_kind_of(RECORD_BEGIN)->text(&lines, begin, &(struct record_context){ 0 });
	text_add(&t, "verdict: %s", verdict_name(r->verdict));
	print(line, ctx, t.buf);
	if (r->remark[0])
		print(line, ctx, r->remark);
	for (unsigned i = 0; i < r->count; i++)
		print(line, ctx, r->text[i]);
	for (unsigned i = 0; end->notes && end->notes[i]; i++)
		print(line, ctx, end->notes[i]);
	screen_end_facts(report, end, line, ctx);
	print(line, ctx, end->what_next);
}
