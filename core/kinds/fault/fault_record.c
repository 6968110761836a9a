/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `fault`. */
#include "fault.h"

#include "core/lib/lines.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "core/records/record_kind.h"
#include "core/report/report.h"

void fault_take_steps(struct fault_words *w)
{
	struct text t;
	unsigned n = 0;

	text_init(&t, w->doing, sizeof(w->doing));
	w->record.doing = steps_print(0, &t) ? w->doing : NULL;
	for (bool any = w->record.doing; any && n < RECORD_STRINGS; n++) {
		text_init(&t, w->step[n], sizeof(w->step[n]));
		any = steps_print(n + 1, &t);
		w->record.steps[n] = any ? w->step[n] : NULL;
	}
}

void fault_report_wait(struct report *r, const char *what, struct maybe cpu)
{
	struct fault_words w = {
		.record = { .stage = r->stage, .kind = "wait", .what = what, .cpu = cpu },
	};

	fault_take_steps(&w);
	report_record(r, RECORD_FAULT, &w.record);
}

static void put_hex(struct text *t, const char *name, struct maybe m)
{
	if (m.known)
		text_add(t, "%s 0x%llx", name, (unsigned long long)m.value);
}

void fault_print_name(struct text *t, const struct record_fault *f)
{
	text_add(t, "fault: %s%s", f->kind && !strcmp(f->kind, "wait") ? "waited in vain for " : "",
		 f->what);
}

void fault_print_where(struct text *t, const struct record_fault *f)
{
	put_hex(t, ", at", f->pc);
	if (f->pc.known && f->image.known)
		text_add(t, " (image + 0x%llx)",
			 (unsigned long long)(f->pc.value - f->image.value));
	put_hex(t, ", address", f->address);
	if (f->vector.known)
		text_add(t, ", vector %llu", (unsigned long long)f->vector.value);
	put_hex(t, ", syndrome", f->syndrome);
}

static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_fault *f = record;

	(void)of;
	fault_print_name(&out->out, f);
	if (f->cpu.known)
		text_add(&out->out, " on cpu %llu", (unsigned long long)f->cpu.value);
	fault_print_where(&out->out, f);
	lines_end(out);
	text_add(&out->out, "  stage %s; last step: %s", f->stage ? f->stage : "none yet",
		 f->doing ? f->doing : "none");
	lines_end(out);
	for (unsigned n = 0; n < RECORD_STRINGS && f->steps[n]; n++) {
		text_add(&out->out, "  before: %s", f->steps[n]);
		lines_end(out);
	}
}

const struct record_kind fault_record_kind = { .text = put_text, .printed = true };
