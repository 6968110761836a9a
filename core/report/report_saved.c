/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, record by record. */
#include "report_saved.h"

#include "core/lib/arith.h"
#include "core/lib/lines.h"
#include "core/lib/mem.h"
#include "core/records/record_kind.h"

#define NS_HZ UINT64_C(1000000000)

/* ---- As a state ---- */

struct cpu *report_restore_core(struct report_restored *out, uint32_t index)
{
	struct platform *p = &out->platform;
	uint32_t i = 0;

	while (i < p->cpus && p->cpu[i].index != index)
		i++;
	if (i == out->cpus_max)
		return NULL;
	if (i == p->cpus) {
		p->cpu[i].index = index;
		p->cpu[i].position = p->cpus++;
		p->cpu[i].measured = true;
	}
	return &p->cpu[i];
}

static void drop_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)line, (void)bytes;
}

bool report_restore(struct compact_reader *from, struct cpu *cpu, uint32_t cpus_max,
		    struct report_restored *out)
{
	enum compact_state state;
	enum record_type type;
	union record record;
	uint32_t cpus = 0;

	memset(out, 0, sizeof(*out));
	out->platform.cpu = cpu;
	out->platform.hz = NS_HZ;
	out->cpus_max = cpus_max;
	out->report.config = &out->config;
	out->report.platform = &out->platform;
	out->report.line = drop_line;
	out->reasons.verdict = VERDICT_INCOMPLETE;
	out->sid = from->head.sid;
	from->at = COMPACT_HEAD;
	from->bad = false;
	while ((state = compact_next(from, &type, &record)) == COMPACT_OK) {
		out->records++;
		out->begun |= type == RECORD_BEGIN;
		cpus = type == RECORD_CPU ? cpus + 1 : 0;
		out->cpus = arith_max(out->cpus, cpus);
		if (record_kind_of(type)->restore)
			record_kind_of(type)->restore(out, &record);
		if (record_kind_of(type)->report)
			record_kind_of(type)->report(&out->report, &record);
	}
	return state == COMPACT_OVER;
}

/* ---- Once more ---- */

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
