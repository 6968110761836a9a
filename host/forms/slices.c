/* SPDX-License-Identifier: BSD-2-Clause */
/* Collecting them as their records come. */
#include "slices.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/events/event.h"
#include "core/lib/arith.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_TEXT_MAX 64

static struct slices *slices_of(struct result *run)
{
	if (!run->user)
		run->user = memory_new(1, sizeof(struct slices));
	return run->user;
}

/* The list's own copy of a stage's name. */
static const char *stage_name(struct slices *s, const char *name)
{
	char safe[STAGE_TEXT_MAX];
	size_t n = 0;

	text_sanitize_ascii(safe, sizeof(safe), name);
	while (n < RESULT_STAGES_MAX - 1 && s->stage[n] && strcmp(s->stage[n], safe) != 0)
		n++;
	if (!s->stage[n])
		s->stage[n] = memory_text(safe);
	return s->stage[n];
}

/* One more, unless it is at no time. */
static struct slice *add(struct slices *s, enum slice_kind kind, const char *stage, uint64_t t_ns,
			 uint64_t len_ns)
{
	uint64_t end_ns = arith_sum(t_ns, len_ns);
	struct slice *slice;

	if (end_ns > INT64_MAX || s->count >= RESULT_GAPS_MAX) {
		s->left_out++;
		return NULL;
	}
	slice = MEMORY_ADD(s->slice, s->count);
	*slice = (struct slice){
		.kind = kind, .t_ns = t_ns, .end_ns = end_ns, .stage = stage_name(s, stage)
	};
	return slice;
}

static enum cause cause_of(const char *name)
{
	enum cause cause = CAUSE_UNKNOWN;

	return name && cause_parse(name, &cause) ? cause : CAUSE_UNKNOWN;
}

static const char *scope_of(const char *name)
{
	for (unsigned n = 0; name && n < SCOPE_UNKNOWN; n++) {
		const char *known = event_scope_name((enum event_scope)n);

		if (strcmp(name, known) == 0)
			return known;
	}
	return NULL;
}

static void add_gap(struct slices *s, const struct record_gap *g)
{
	struct slice *slice = add(s, SLICE_GAP, g->stage, g->t_ns, g->len_ns);

	if (!slice)
		return;
	slice->cpu = g->cpu;
	slice->cause = cause_of(g->cause);
	slice->smi = g->smi;
	slice->nmi = g->nmi;
	slice->mce = g->mce;
}

static void add_event(struct slices *s, const struct record_event *e)
{
	struct slice *slice = add(s, SLICE_EVENT, e->stage, e->t_ns, e->len_ns);

	if (!slice)
		return;
	slice->cpu = e->first;
	slice->last = e->last;
	slice->cpus = e->cpus;
	slice->cause = cause_of(e->cause);
	slice->skew_ns = e->skew_ns;
	slice->scope = scope_of(e->scope);
}

void slices_record(struct result *run, const struct reader_record *record)
{
	const union record *r = record->record;

	if (record->type == RECORD_GAP)
		add_gap(slices_of(run), &r->gap);
	else if (record->type == RECORD_EVENT)
		add_event(slices_of(run), &r->event);
	else if (record->type == RECORD_WINDOW)
		add(slices_of(run), SLICE_WINDOW, r->window.stage, r->window.start_ns,
		    r->window.len_ns);
}

static int by_place(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;
	int order = ORDER(x->kind, y->kind);

	if (!order && x->kind == SLICE_GAP)
		order = ORDER(x->cpu, y->cpu);
	return order ?: ORDER(x->t_ns, y->t_ns) ?: ORDER(x->end_ns, y->end_ns);
}

struct slices *slices_take(struct result *run, const char *file)
{
	struct slices *s = slices_of(run);

	run->user = NULL;
	ORDER_SORT(s->slice, s->count, by_place);
	if (s->left_out)
		fprintf(stderr,
			"%s: run %016" PRIx64 ": %" PRIu64 " windows, events and gaps left out: "
			"too many, or at no possible time\n",
			file, run->sid, s->left_out);
	return s;
}

void slices_free(struct slices *s)
{
	for (size_t n = 0; n < RESULT_STAGES_MAX; n++)
		free(s->stage[n]);
	free(s->slice);
	free(s);
}
