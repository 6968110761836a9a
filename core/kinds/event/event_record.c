/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `event`. */
#include "core/cause/cause.h"
#include "core/lib/arith.h"
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#define HEAD "     TIME(s)    LENGTH(us)   CPUS  SCOPE     CAUSE    FIRST   LAST    SKEW(us)"

static void add_us(struct text *out, uint64_t ns, unsigned width)
{
	text_fixed(out, arith_rounded(ns, 100), 1, width);
}

/* Add a word that fills its column, with a mark after it. */
static void add_marked(struct text *out, const char *word, bool mark, unsigned width)
{
	size_t from = out->len;

	text_add(out, "%s%s", word, mark ? "+" : "");
	while (out->len - from < width && !out->overflow)
		text_char(out, ' ');
}

/*
 * TIME is since the begin, SKEW between the first and the last core to enter. A scope with a + may
 * be wider: gaps are missing there.
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_event *e = record;
	struct text *t = &out->out;

	(void)of;
	text_fixed(t, arith_rounded(e->t_ns, 1000), 6, 12);
	text_add(t, "  ");
	add_us(t, e->len_ns, 12);
	text_add(t, "  %5u  ", e->cpus);
	add_marked(t, e->scope ? e->scope : "n/a", e->partial, 8);
	text_add(t, "  %-7s  %5u  %5u  ", e->cause, e->first, e->last);
	add_us(t, e->skew_ns, 10);
	lines_end(out);
}

const struct record_kind event_record_kind = { .head = HEAD, .text = put_text };
