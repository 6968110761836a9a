/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as far as its records go: kept, judged, and its flaws put into words. */
#include "shown.h"

#include "host/lib/exit.h"
#include "host/lib/list.h"
#include "host/lib/memory.h"

#include "core/lib/text.h"
#include "core/report/verdict.h"

#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX   512
#define HOLES_SAID_MAX 8

struct shown *shown_of(struct reader_run *run)
{
	struct shown *s = run->user;

	if (s)
		return s;
	s = memory_new(1, sizeof(*s));
	run->user = s;
	return s;
}

void shown_free(struct reader_run *run)
{
	struct shown *s = run->user;

	if (!s)
		return;
	for (size_t i = 0; i < s->owned; i++)
		free(s->own[i]);
	free(s->own);
	free(s->cpu);
	free(s->state);
	free(s->pause);
	free(s->log);
	stages_free(&s->stages);
	free(s);
	run->user = NULL;
}

static bool keep_cpu(struct shown *s, const union record *record)
{
	if (s->cpus == SHOWN_CPUS_MAX)
		return false;
	s->cpu = list_grow(s->cpu, s->cpus, sizeof(*s->cpu));
	s->cpu[s->cpus++] = record->cpu;
	return true;
}

static bool keep_stage(struct shown *s, const union record *record)
{
	if (s->states == SHOWN_STAGES_MAX)
		return false;
	s->state = list_grow(s->state, s->states, sizeof(*s->state));
	s->state[s->states++] = record->stage;
	return true;
}

static bool keep_pause(struct shown *s, const union record *record)
{
	if (s->pauses == SHOWN_LOGS_MAX)
		return false;
	s->pause = list_grow(s->pause, s->pauses, sizeof(*s->pause));
	s->pause[s->pauses++] = record->pause;
	return true;
}

static bool keep_log(struct shown *s, const union record *record)
{
	if (s->logs == SHOWN_LOGS_MAX)
		return false;
	s->log = list_grow(s->log, s->logs, sizeof(*s->log));
	s->log[s->logs++] = record->log;
	return true;
}

static bool keep_begin(struct shown *s, const union record *record)
{
	if (s->has_begin)
		return false;
	s->begin = record->begin;
	s->has_begin = true;
	return true;
}

static bool keep_end(struct shown *s, const union record *record)
{
	if (s->has_end)
		return false;
	s->end = record->end;
	s->has_end = true;
	return true;
}

static bool (*const keepers[RECORD_TYPES])(struct shown *s, const union record *record) = {
	[RECORD_BEGIN] = keep_begin, [RECORD_STAGE] = keep_stage, [RECORD_CPU] = keep_cpu,
	[RECORD_PAUSE] = keep_pause, [RECORD_LOG] = keep_log,     [RECORD_END] = keep_end,
};

static void keep_own(struct shown *s, void *block)
{
	if (!block)
		return;
	s->own = list_grow(s->own, s->owned, sizeof(*s->own));
	s->own[s->owned++] = block;
}

static void keep(struct shown *s, enum record_type type, union record *record)
{
	void *block = NULL;
	bool room;

	if (keepers[type] || type == RECORD_SOURCE)
		block = record_decode_own(type, record);
	room = stages_keep(&s->stages, type, record);
	if (keepers[type])
		room = keepers[type](s, record) && room;
	keep_own(s, block);
	s->left_out += !room;
}

void shown_keep(struct reader_run *run, const struct reader_record *record)
{
	union record own = *record->record;

	/* By far the largest part. */
	if (record->type == RECORD_CPU)
		own.cpu.histogram = (struct record_pairs){ 0 };
	keep(shown_of(run), record->type, &own);
}

void shown_keep_whole(struct reader_run *run, const struct reader_record *record)
{
	union record own = *record->record;
	struct shown *s = shown_of(run);

	if (record->type == RECORD_CPU && own.cpu.histogram.count > SHOWN_PAIRS_MAX - s->pairs) {
		own.cpu.histogram = (struct record_pairs){ 0 };
		s->left_out++;
	}
	if (record->type == RECORD_CPU)
		s->pairs += own.cpu.histogram.count;
	keep(s, record->type, &own);
	shown_climb(run, record);
}

static const char *stage_of(const struct record_cpu *cpu)
{
	return cpu->stage ? cpu->stage : "n/a";
}

size_t shown_stages(const struct shown *s, const char *name[STAGES_MAX], bool *left_out)
{
	size_t count = 0;

	*left_out = false;
	for (size_t i = 0; i < s->cpus; i++) {
		const char *stage = stage_of(&s->cpu[i]);
		size_t n = 0;

		while (n < count && strcmp(name[n], stage) != 0)
			n++;
		if (n < count)
			continue;
		*left_out = count == STAGES_MAX;
		if (*left_out)
			break;
		name[count++] = stage;
	}
	return count;
}

static int by_number(const void *a, const void *b)
{
	const struct record_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

struct record_cpu *shown_stage_cpus(const struct shown *s, const char *stage, size_t *count)
{
	struct record_cpu *cpu = memory_new(s->cpus + 1, sizeof(*cpu));

	*count = 0;
	for (size_t i = 0; i < s->cpus; i++) {
		if (strcmp(stage_of(&s->cpu[i]), stage) == 0)
			cpu[(*count)++] = s->cpu[i];
	}
	qsort(cpu, *count, sizeof(*cpu), by_number);
	if (*count)
		return cpu;
	free(cpu);
	return NULL;
}

const struct record_stage *shown_state(const struct shown *s, const char *stage)
{
	const struct record_stage *found = NULL;

	for (size_t i = 0; i < s->states && !found; i++) {
		if (s->state[i].stage && strcmp(s->state[i].stage, stage) == 0)
			found = &s->state[i];
	}
	return found;
}

struct search_ground shown_ground(const struct shown *s, const char *stage)
{
	const struct record_stage *state = shown_state(s, stage);
	struct search_ground ground = {
		.hz = s->has_begin ? s->begin.clock.hz : 0,
		.threshold_ns = search_threshold(s->has_begin ? s->begin.config : NULL),
	};

	if (state)
		memcpy(ground.timer, state->timers, sizeof(ground.timer));
	return ground;
}

void shown_climb(struct reader_run *run, const struct reader_record *record)
{
	struct shown *s = shown_of(run);

	if (record->type == RECORD_CPU)
		ladder_add(&s->ladder, &record->record->cpu);
	if (record->type == RECORD_WINDOW)
		ladder_add_window(&s->ladder, &record->record->window);
}

int shown_exit_code(struct reader_run *run)
{
	struct shown *s = shown_of(run);
	int code = EXIT_INCOMPLETE;

	if (s->has_end)
		code = (int)verdict_exit_code(verdict_of(s->end.verdict));
	/* Nothing lost can undo a failure; it can hide one. */
	return code == EXIT_PASS && !reader_run_whole(run) ? EXIT_INCOMPLETE : code;
}

int shown_worst(int a, int b)
{
	static const int rank[] = {
		[EXIT_PASS] = 0, [EXIT_INCOMPLETE] = 1, [EXIT_FAIL] = 2, [EXIT_ERROR] = 3
	};

	return rank[a] > rank[b] ? a : b;
}

static void add_holes(struct text *t, const struct seqset *seen)
{
	struct seq_range hole;
	size_t n;

	for (n = 0; n < HOLES_SAID_MAX && seqset_hole(seen, n, &hole); n++) {
		text_add(t, "%s%llu", n ? ", " : "", (unsigned long long)hole.first);
		if (hole.last > hole.first)
			text_add(t, "-%llu", (unsigned long long)hole.last);
	}
	if (seqset_hole(seen, n, &hole))
		text_add(t, ", ...");
}

/* Each flaw adds its sentence to an empty text, or leaves it empty. */
static void flaw_no_end(const struct reader_run *run, struct text *t)
{
	if (!run->has_end)
		text_add(t, "incomplete: there is no end record; the run did not finish, or its "
			    "end was not captured");
}

static void flaw_lost(const struct reader_run *run, struct text *t)
{
	uint64_t lost = seqset_missing(&run->seen);

	if (!lost)
		return;
	text_add(t, "lost: %llu of %llu lines are missing (seq ", (unsigned long long)lost,
		 (unsigned long long)(lost + run->seen.members));
	add_holes(t, &run->seen);
	text_char(t, ')');
}

static void flaw_unusable(const struct reader_run *run, struct text *t)
{
	if (run->unusable)
		text_add(t, "unusable: %llu records or parts of them could not be read",
			 (unsigned long long)run->unusable);
}

static void flaw_totals(const struct reader_run *run, struct text *t)
{
	const char *before = "incomplete: the end record counts";

	if (!run->has_end)
		return;
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		if (run->records[i] == run->end_records[i])
			continue;
		text_add(t, "%s %llu %s records (here: %llu)", before,
			 (unsigned long long)run->end_records[i],
			 record_type_name((enum record_type)i),
			 (unsigned long long)run->records[i]);
		before = ",";
	}
}

static void flaw_duplicates(const struct reader_run *run, struct text *t)
{
	if (run->duplicates)
		text_add(t, "duplicated: %llu lines were there already and are left out",
			 (unsigned long long)run->duplicates);
}

static void flaw_unknown(const struct reader_run *run, struct text *t)
{
	if (run->unknown)
		text_add(t,
			 "unknown: %llu records of types this program does not know are left out",
			 (unsigned long long)run->unknown);
}

static void flaw_left_out(const struct reader_run *run, struct text *t)
{
	const struct shown *s = run->user;

	if (s && s->left_out)
		text_add(t, "left out: %llu records more than one run has",
			 (unsigned long long)s->left_out);
}

static void (*const flaws[])(const struct reader_run *run, struct text *t) = {
	flaw_no_end,     flaw_lost,    flaw_unusable, flaw_totals,
	flaw_duplicates, flaw_unknown, flaw_left_out,
};

void shown_flaws(struct reader_run *run, shown_say *say, void *ctx)
{
	char buf[SENTENCE_MAX];
	struct text t;

	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
		text_init(&t, buf, sizeof(buf));
		flaws[i](run, &t);
		if (t.len)
			say(ctx, buf);
	}
}

void shown_clean(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		/* U+0080 to U+009F are C2 80 to C2 9F in UTF-8. */
		bool c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;

		if (*at < 0x20 || *at == 0x7f || c1)
			*at = '?';
		if (c1)
			at[1] = '?';
	}
}
