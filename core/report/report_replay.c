/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, record by record. */
#include "report_replay.h"

#include "core/lib/lines.h"
#include "core/lib/mem.h"

struct report_replay {
	struct report *r;
	const char *note;
	uint32_t cpus, cpus_max; /* in r->cpus: of the stage, without a table so far */
	/* Where lines go once they are clean. */
	void (*line)(void *ctx, const char *line, size_t bytes);
	void *ctx;
};

/* Lines may hold what somebody else put into the firmware's store. */
static void clean_line(void *ctx, const char *line, size_t bytes)
{
	struct report_replay *a = ctx;
	char clean[LINES_MAX];
	size_t count = bytes < sizeof(clean) ? bytes : sizeof(clean);

	for (size_t i = 0; i < count; i++)
		clean[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	a->line(a->ctx, clean, count);
}

static void print_table(struct report_replay *a)
{
	report_table(a->r, a->cpus);
	a->cpus = 0;
}

static void keep_row(struct report_replay *a, const struct record_cpu *cpu)
{
	if (a->cpus == a->cpus_max)
		return;
	a->r->cpus[a->cpus] = *cpu;
	a->r->cpus[a->cpus++].histogram.count = 0;
}

static void print_note(struct report_replay *a)
{
	if (a->note)
		report_log(a->r, "info", "%s", a->note);
	a->note = NULL;
}

static void replay_all(struct report_replay *a, struct compact_reader *from)
{
	union record record;
	enum record_type type;

	from->at = COMPACT_HEAD;
	from->bad = false;
	while (compact_next(from, &type, &record) == COMPACT_OK) {
		if (type == RECORD_CPU)
			keep_row(a, &record.cpu);
		else
			print_table(a);
		if (type == RECORD_END)
			print_note(a);
		report_record(a->r, type, &record);
	}
	print_table(a);
	print_note(a);
}

void report_replay(struct report *r, struct compact_reader *from, uint32_t cpus, const char *note)
{
	struct report_replay a = {
		.r = r, .note = note, .cpus_max = cpus, .line = r->line, .ctx = r->ctx
	};

	memset(&r->summary, 0, sizeof(r->summary));
	r->stage = NULL;
	r->sources = 0;
	r->line = clean_line;
	r->ctx = &a;
	replay_all(&a, from);
	r->line = a.line;
	r->ctx = a.ctx;
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
	union record record;
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
		if (type == RECORD_END && record.end.verdict) {
			c->verdict = verdict_of(record.end.verdict);
			copy(c->remark, sizeof(c->remark), record.end.remark);
		}
	}
	c->damaged = state != COMPACT_OVER;
}
