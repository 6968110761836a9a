/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `window`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

static void add_length(struct text *out, const char *label, uint64_t ns)
{
	text_add(out, "  %s ", label);
	text_duration(out, ns);
}

static void put_count(struct text *out, const char *name, struct maybe count,
		      const struct record_context *of)
{
	if (of->no_smi)
		return;
	text_add(out, "  %s ", name);
	text_maybe(out, count);
}

/* "  3/10  4 gaps in 1.00 s  max 152 us  summed noise 312 us  smi 2  nmi 0" */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_window *w = record;
	struct text *t = &out->out;

	text_add(t, "  %llu", (unsigned long long)w->n);
	if (w->windows > 1)
		text_add(t, "-%llu", (unsigned long long)w->n + w->windows - 1);
	if (of->windows)
		text_add(t, "/%llu", (unsigned long long)of->windows);
	text_add(t, "  %llu %s in ", (unsigned long long)w->gaps, w->gaps == 1 ? "gap" : "gaps");
	text_duration(t, w->len_ns);
	if (w->gaps) {
		add_length(t, "max", w->max_ns);
		add_length(t, "summed noise", w->noise_ns);
	}
#define TEXT_INTERRUPT(name) put_count(t, #name, w->name, of);
#define TEXT_ERROR(name)
#define COUNTED(id, name, from, kind, ...) TEXT_##kind(name)
#include "core/cause/counted_rows.h"
	lines_end(out);
}

const struct record_kind window_record_kind = { .text = put_text };
