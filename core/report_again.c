/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, record by record. */
#include "report_again.h"

#include "mem.h"
#include "stage_lines.h"
#include "table.h"
#include "table_events.h"

#define LINE_MAX_BYTES 600

struct again {
	struct report *r;
	const char *note;
	uint32_t cpus, cpus_max; /* in r->cpus: of the stage, without a table so far */
	bool any_source;
};

/* Lines may hold what somebody else put into the firmware's store. */
static void relay(void *ctx, const char *line, size_t bytes)
{
	struct report *r = ctx;
	char clean[LINE_MAX_BYTES];
	size_t count = bytes < sizeof(clean) ? bytes : sizeof(clean);

	for (size_t i = 0; i < count; i++)
		clean[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	r->line(r->ctx, clean, count);
}

static void say(struct again *a, const struct text *t)
{
	relay(a->r, t->buf, t->len);
}

static void tell_begin(struct again *a, union compact_record *record, struct text *t)
{
	table_begin(&record->begin, relay, a->r);
	table_ground(t, &record->begin);
	say(a, t);
}

static void tell_stage(struct again *a, union compact_record *record, struct text *t)
{
	text_add(t, "stage %s", record->stage.stage);
	say(a, t);
	stage_print(&record->stage, relay, a->r);
	a->any_source = false;
}

static void tell_window(struct again *a, union compact_record *record, struct text *t)
{
	(void)t;
	if (record->window.stage)
		ladder_add_window(&a->r->ladder, &record->window);
}

static void tell_cpu(struct again *a, union compact_record *record, struct text *t)
{
	(void)t;
	if (record->cpu.stage)
		ladder_add(&a->r->ladder, &record->cpu);
	if (a->cpus < a->cpus_max) {
		a->r->cpus[a->cpus] = record->cpu;
		a->r->cpus[a->cpus++].histogram.count = 0;
	}
}

static void tell_source(struct again *a, union compact_record *record, struct text *t)
{
	if (!a->any_source) {
		table_source_head(t);
		say(a, t);
		text_reset(t);
	}
	a->any_source = true;
	table_source(t, &record->source);
	say(a, t);
}

static void tell_pause(struct again *a, union compact_record *record, struct text *t)
{
	table_pause(t, &record->pause);
	say(a, t);
}

static void tell_log(struct again *a, union compact_record *record, struct text *t)
{
	text_add(t, "%s: %s", record->log.level, record->log.text);
	say(a, t);
}

static void tell_end(struct again *a, union compact_record *record, struct text *t)
{
	ladder_print(&a->r->ladder, relay, a->r);
	if (record->end.watched_ppm.known) {
		table_watched(t, &record->end);
		say(a, t);
		text_reset(t);
	}
	table_verdict(t, &record->end);
	say(a, t);
}

static void (*const tell[RECORD_TYPES])(struct again *, union compact_record *, struct text *) = {
	[RECORD_BEGIN] = tell_begin, [RECORD_STAGE] = tell_stage, [RECORD_WINDOW] = tell_window,
	[RECORD_CPU] = tell_cpu,     [RECORD_SOURCE] = tell_source, [RECORD_PAUSE] = tell_pause,
	[RECORD_LOG] = tell_log,     [RECORD_END] = tell_end,
};

static void tell_one(struct again *a, enum record_type type, union compact_record *record)
{
	char buffer[LINE_MAX_BYTES];
	struct text t;

	if (type != RECORD_CPU) {
		table_print(a->r->cpus, a->cpus, a->r->order, relay, a->r);
		a->cpus = 0;
	}
	text_init(&t, buffer, sizeof(buffer));
	if (tell[type])
		tell[type](a, record, &t);
	for (unsigned i = 0; i < a->r->links; i++)
		record_send(a->r->link[i], type, record);
}

static void tell_note(struct again *a)
{
	union compact_record log = { .log = { .level = "info", .text = a->note } };

	if (a->note)
		tell_one(a, RECORD_LOG, &log);
	a->note = NULL;
}

void report_again(struct report *r, struct compact_reader *from, uint32_t cpus, const char *note)
{
	struct again a = { .r = r, .note = note, .cpus_max = cpus };
	union compact_record record;
	enum record_type type;

	memset(&r->ladder, 0, sizeof(r->ladder));
	from->at = COMPACT_HEAD;
	from->bad = false;
	while (compact_next(from, &type, &record) == COMPACT_OK) {
		if (type == RECORD_END)
			tell_note(&a);
		tell_one(&a, type, &record);
	}
	tell_note(&a);
	table_print(r->cpus, a.cpus, r->order, relay, r);
}

static void copy(char *to, size_t cap, const char *from)
{
	struct text t;

	text_init(&t, to, cap);
	if (from)
		text_add(&t, "%s", from);
}

void report_contents(struct compact_reader *from, struct report_contents *c)
{
	union compact_record record;
	enum compact_state state;
	enum record_type type;
	uint32_t cpus = 0;

	*c = (struct report_contents){ .verdict = VERDICT_INCOMPLETE };
	from->at = COMPACT_HEAD;
	from->bad = false;
	while ((state = compact_next(from, &type, &record)) == COMPACT_OK) {
		c->records++;
		cpus = type == RECORD_CPU ? cpus + 1 : 0;
		if (cpus > c->cpus)
			c->cpus = cpus;
		if (type == RECORD_BEGIN) {
			copy(c->product, sizeof(c->product), record.begin.machine.product);
			copy(c->uuid, sizeof(c->uuid), record.begin.machine.uuid);
		}
		if (type == RECORD_END && record.end.verdict)
			c->verdict = verdict_of(record.end.verdict);
	}
	c->damaged = state != COMPACT_OVER;
}
