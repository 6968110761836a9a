/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: stores its records, and answers questions about it. */
#define _GNU_SOURCE /* strptime, timegm, tm_gmtoff */
#include "result.h"

#include "host/kinds/host_kind.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/config/config.h"
#include "core/config/limit.h"
#include "core/lib/lines.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"
#include "core/records/record_kind.h"
#include "core/report/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct result *result_new(uint64_t sid)
{
	struct result *run = memory_new(1, sizeof(*run));

	run->sid = sid;
	return run;
}

void result_free(struct result *run)
{
	for (size_t i = 0; i < run->stages; i++)
		result_stage_free(&run->stage[i]);
	record_decode_free(&run->joint.decode);
	seqset_free(&run->seen);
	record_decode_disown(&run->own, 0);
	free(run->stage);
	free(run->pause);
	free(run->log);
	free(run->fault);
	free(run);
}

/* ---- Records ---- */

static bool keep_one(bool *has, void *to, const union record *from, size_t bytes)
{
	if (*has)
		return false;
	memcpy(to, from, bytes);
	return *has = true;
}

#define KEEP_ONE(run, name, from) \
	keep_one(&(run)->has_##name, &(run)->name, from, sizeof((run)->name))

/* Records of the run that belong to no stage. */
#define KEEP_ANOTHER(run, name, from)        \
	((run)->name##s < RESULT_LOGS_MAX && \
	 (*MEMORY_ADD((run)->name, (run)->name##s) = (from)->name, true))

static bool result_keep_record(struct result *run, enum record_type type,
			       const union record *record)
{
	switch (type) {
	case RECORD_BEGIN:
		run->no_smi = record_no_smi(&record->begin);
		return KEEP_ONE(run, begin, record);
	case RECORD_END:
		return KEEP_ONE(run, end, record);
	case RECORD_SUMMARY:
		return KEEP_ONE(run, summary, record);
	case RECORD_ATTEST:
		return KEEP_ONE(run, attest, record);
	case RECORD_PAUSE:
		return KEEP_ANOTHER(run, pause, record);
	case RECORD_LOG:
		return KEEP_ANOTHER(run, log, record);
	case RECORD_FAULT:
		return KEEP_ANOTHER(run, fault, record);
	default:
		return result_stage_keep(run, type, record);
	}
}

/* There are many of these, so their strings are not kept. */
#define WITHOUT_STRINGS (1u << RECORD_WINDOW | 1u << RECORD_GAP | 1u << RECORD_EVENT)

static void keep_own(struct result *run, enum record_type type, union record *record)
{
	size_t before = run->own.count;

	record_decode_own(&run->own, type, record);
	if (result_keep_record(run, type, record))
		return;
	run->left_out++;
	record_decode_disown(&run->own, before);
}

/* Histograms are by far the largest part of a record. */
static void limit_pairs(struct result *run, struct record_pairs *pairs, bool histograms)
{
	bool fits = pairs->count <= RESULT_PAIRS_MAX - run->pairs;

	run->left_out += histograms && !fits;
	if (!histograms || !fits)
		*pairs = (struct record_pairs){ 0 };
	run->pairs += pairs->count;
}

static void keep_with_strings(struct result *run, enum record_type type, union record own,
			      bool histograms)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_PAIRS)
			limit_pairs(run, (void *)((char *)&own + f->offset), histograms);
	}
	keep_own(run, type, &own);
}

void result_keep(struct result *run, enum record_type type, const union record *record,
		 bool histograms)
{
	if (WITHOUT_STRINGS >> type & 1)
		run->left_out += !result_keep_record(run, type, record);
	else
		keep_with_strings(run, type, *record, histograms);
}

static ORDER_BY(by_number, struct record_cpu, cpu);
static ORDER_BY(by_time, struct record_event, t_ns);

void result_sort(struct result *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		struct result_stage *stage = &run->stage[i];

		ORDER_SORT(stage->cpu, stage->cpus, by_number);
		ORDER_SORT(stage->longest, stage->listed, by_time);
	}
}

/* ---- Questions ---- */

struct result_stage *result_find_stage(const struct result *run, const char *name)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (strcmp(run->stage[i].name, name) == 0)
			return &run->stage[i];
	}
	return NULL;
}

const struct result_stage *result_find_measured(const struct result *run, const char *name)
{
	const struct result_stage *stage = result_find_stage(run, name);

	return stage && stage->cpus ? stage : NULL;
}

struct record_cpu result_total(const struct result_stage *stage, size_t cores)
{
	struct record_cpu total = { .cpu = 0 };

	record_total_start(RECORD_CPU, &total);
	for (size_t i = 0; i < cores; i++)
		record_total_add(RECORD_CPU, &total, &stage->cpu[i]);
	return total;
}

const struct record_cpu *result_cpu(const struct result *run, size_t n)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (n < run->stage[i].cpus)
			return &run->stage[i].cpu[n];
		n -= run->stage[i].cpus;
	}
	return NULL;
}

static void result_ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

void result_apply_config(struct config *c, const char *text)
{
	static const struct config_source source = { .name = "records", .one_line = true };

	if (text)
		config_apply(c, &source, text, strlen(text), result_ignore, NULL);
}

static const struct config *config_of(const struct result *run)
{
	static struct config config;

	config_defaults(&config);
	result_apply_config(&config, run->begin.config);
	return &config;
}

uint64_t result_threshold(const struct result *run)
{
	return config_of(run)->threshold_ns;
}

bool result_is_measured(const struct result *run)
{
	size_t n = 0;

	while (n < run->stages && !result_stage_is_measured(&run->stage[n]))
		n++;
	return n < run->stages;
}

static bool has_cores(const struct result *run, const struct host_kind *kind)
{
	size_t n = 0;

	while (n < run->stages && !result_stage_cores(&run->stage[n], kind, NULL))
		n++;
	return n < run->stages;
}

/*
 * Records of any mode but the first, the default, decide before the configuration, which may be
 * lost.
 */
const struct mode *result_mode(const struct result *run)
{
	const struct host_kind *kind;

	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		if (kind->mode != mode_at(0) && has_cores(run, kind))
			return kind->mode;
	return mode_of(config_of(run));
}

static void add_word(char *to, size_t bytes, const char *word)
{
	size_t used = strlen(to);

	if (word && *word)
		snprintf(to + used, bytes - used, "%s%s", used ? " " : "", word);
	text_sanitize(to);
}

void result_identify(const struct result *run, struct result_identity *id)
{
	const struct record_begin *b = &run->begin;
	const char *uuid = b->machine.uuid;

	*id = (struct result_identity){ .machine = "" };
	add_word(id->version, sizeof(id->version), b->version);
	add_word(id->machine, sizeof(id->machine), b->machine.vendor);
	add_word(id->machine, sizeof(id->machine), b->machine.product);
	add_word(id->machine, sizeof(id->machine), b->machine.board);
	if (uuid && uuid[strspn(uuid, "0-")])
		add_word(id->uuid, sizeof(id->uuid), uuid);
}

/* ---- What the records prove, and what is missing ---- */

#define SENTENCE_MAX     512
#define HOLES_LISTED_MAX 8

bool result_is_whole(const struct result *run)
{
	return run->ended && !run->unusable && !seqset_missing(&run->seen) &&
	       memcmp(run->records, run->end_records, sizeof(run->records)) == 0;
}

enum verdict result_outcome(const struct result *run)
{
	enum verdict v = run->has_end ? verdict_of(run->end.verdict) : VERDICT_INCOMPLETE;

	/* Nothing lost can undo a failure; it can hide one. */
	return verdict_exit_code(v) == EXIT_PASS && !result_is_whole(run) ? VERDICT_INCOMPLETE : v;
}

int result_exit_code(const struct result *run)
{
	return (int)verdict_exit_code(result_outcome(run));
}

static void add_holes(struct text *t, const struct seqset *seen)
{
	struct seqset_range hole;
	size_t n;

	for (n = 0; n < HOLES_LISTED_MAX && seqset_hole(seen, n, &hole); n++) {
		text_add(t, "%s%llu", n ? ", " : "", (unsigned long long)hole.first);
		if (hole.last > hole.first)
			text_add(t, "-%llu", (unsigned long long)hole.last);
	}
	if (seqset_hole(seen, n, &hole))
		text_add(t, ", ...");
}

/* Each flaw adds its sentence to an empty text, or leaves it empty. */
static void flaw_no_end(const struct result *run, struct text *t)
{
	if (!run->ended)
		text_add(t, "incomplete: there is no end record; the run did not finish, or its "
			    "end was not captured");
}

static void flaw_lost(const struct result *run, struct text *t)
{
	uint64_t lost = seqset_missing(&run->seen);

	if (!lost)
		return;
	text_add(t, "lost: %llu of %llu lines are missing (seq ", (unsigned long long)lost,
		 (unsigned long long)(lost + run->seen.members));
	add_holes(t, &run->seen);
	text_char(t, ')');
}

static void flaw_totals(const struct result *run, struct text *t)
{
	const char *before = "incomplete: the end record counts";

	if (!run->ended)
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

void result_flaws(const struct result *run, result_report *report, void *ctx)
{
	TEXT_DEFINE(t, SENTENCE_MAX);
	const struct {
		void (*add)(const struct result *run, struct text *t);
		const char *counts;
		uint64_t records;
	} flaws[] = {
		{ .add = flaw_no_end },
		{ .add = flaw_lost },
		{ NULL, "unusable: %llu records or parts of them could not be read",
		  run->unusable },
		{ .add = flaw_totals },
		{ NULL, "duplicated: %llu lines were seen before and are left out",
		  run->duplicates },
		{ NULL, "unknown: %llu records of types this program does not know are left out",
		  run->unknown },
		{ NULL, "left out: %llu records beyond the maximum of a run", run->left_out },
	};

	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
		text_reset(&t);
		if (flaws[i].add)
			flaws[i].add(run, &t);
		else if (flaws[i].records)
			text_add(&t, flaws[i].counts, (unsigned long long)flaws[i].records);
		if (t.len)
			report(ctx, t.buf);
	}
}

uint64_t result_began_ns(const struct result *run)
{
	const char *text = run->has_begin ? run->begin.began : NULL;
	struct tm tm = { .tm_gmtoff = 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	long ahead;
	time_t s;

	if (end && *end)
		end = strptime(end, "%z", &tm);
	ahead = tm.tm_gmtoff;
	s = end && !*end ? timegm(&tm) - ahead : 0;

	return s > 0 && s < INT64_MAX / (time_t)NS_PER_S ? (uint64_t)s * NS_PER_S : 0;
}

uint64_t result_length_ns(const struct result *run)
{
	uint64_t length = 0;

	for (size_t i = 0; i < run->stages; i++) {
		for (size_t n = 0; n < run->stage[i].windows; n++) {
			const struct result_window *w = &run->stage[i].window[n];
			uint64_t end = w->start_ns + w->len_ns;

			/* A sum that wraps is not a time. */
			if (end >= w->start_ns && end > length)
				length = end;
		}
	}
	return length;
}

void result_record_text(const struct result *run, enum record_type type, const void *record)
{
	const struct record_context of = { .hz = run->begin.clock.hz, .no_smi = run->no_smi };
	struct lines lines;

	lines_init(&lines, text_sanitize_line, NULL);
	record_kind_of(type)->text(&lines, record, &of);
}

/* ---- Judged by the limits of a preset, or of the run's configuration ---- */

/* A preset cannot judge gaps shorter than those recorded. */
static void judge_threshold(struct result_verdict *v, const struct result *run)
{
	uint64_t wanted = limit_shortest_ns(&v->limits), own = result_threshold(run);
	TEXT_DEFINE(judged, 24);
	TEXT_DEFINE(recorded, 24);

	if (!run->has_begin) {
		verdict_cut_short(&v->reasons,
				  "the threshold of the run is unknown: there is no begin record");
		return;
	}
	if (own <= wanted)
		return;
	text_duration(&judged, wanted);
	text_duration(&recorded, own);
	verdict_cut_short(
		&v->reasons,
		"gaps of %s and more are judged, but only those of %s and more were recorded",
		judged.buf, recorded.buf);
}

static void judge_preset(struct result_verdict *v, const struct result *run)
{
	struct verdict_worst worst[LIMITS] = { 0 };
	struct verdict_clock_faults faults = { 0 };
	const struct record_cpu *cpu;
	struct verdict_core core;

	for (uint32_t n = 0; (cpu = result_cpu(run, n)); n++) {
		verdict_core_of(cpu, &core);
		verdict_worst_add_core(worst, &core);
	}
	verdict_judge_worst(&v->reasons, &v->limits, worst);
	for (size_t i = 0; i < run->pauses; i++)
		verdict_clock_faults_add(&faults, &run->pause[i]);
	verdict_clock(&v->reasons, &v->limits, &faults);
	judge_threshold(v, run);
	if (!run->cpus)
		verdict_cut_short(&v->reasons, "there is no cpu record");
	verdict_remark(&v->reasons, &v->limits, v->sampled_ns);
}

/* Old end records lack it: then the least exposure of a core, which is a little less. */
static uint64_t sampled_ns(const struct result *run)
{
	const struct record_cpu *cpu;
	uint64_t least = 0;

	if (run->has_end && run->end.sampled_ns.known)
		return run->end.sampled_ns.value;
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++) {
		if (!n || cpu->exposure_ns < least)
			least = cpu->exposure_ns;
	}
	return least;
}

/* The outcome and the remark are those of the probe. */
static void read_own(struct result_verdict *v, const struct result *run)
{
	struct text t;

	v->reasons.verdict = result_outcome(run);
	verdict_remark(&v->reasons, &v->limits, v->sampled_ns);
	if (!run->has_end || !run->end.remark || v->reasons.verdict != VERDICT_PASS)
		return;
	text_init(&t, v->reasons.remark, sizeof(v->reasons.remark));
	text_add(&t, "%s", run->end.remark);
}

void result_verdict_read(struct result_verdict *v, const struct result *run,
			 const struct preset *asked)
{
	TEXT_DEFINE(own, 40);

	*v = (struct result_verdict){ .asked = asked != NULL };
	config_defaults(&v->limits);
	if (asked)
		text_add(&own, "preset=%s", asked->name);
	result_apply_config(&v->limits, asked            ? own.buf
					: run->has_begin ? run->begin.config
							 : NULL);
	v->preset = v->limits.preset;
	v->sampled_ns = sampled_ns(run);
	if (asked)
		judge_preset(v, run);
	else
		read_own(v, run);
}

static void add_outcome(const struct result_verdict *v, struct text *t)
{
	text_add(t, "%s", verdict_name(v->reasons.verdict));
	for (unsigned i = 0; i < v->reasons.count; i++)
		text_add(t, "%s%s", i ? "; " : " (", v->reasons.text[i]);
	text_add(t, "%s", v->reasons.count ? ")" : "");
}

void result_verdict_sentence(const struct result_verdict *v, struct text *t)
{
	const char *after = v->asked ? "; " : "";

	if (!v->preset)
		return;
	text_add(t, "preset %s: ", v->preset->name);
	if (v->asked)
		add_outcome(v, t);
	if (v->reasons.verdict == VERDICT_PASS) {
		bool is_short = v->reasons.remark[0];

		text_add(t, "%s%s",
			 !v->asked  ? ""
			 : is_short ? ", but "
				    : ", ",
			 is_short ? v->reasons.remark : "long enough");
		after = "; ";
	}
	text_add(t, "%s%s", after, v->preset->source);
}

int result_verdict_exit_code(const struct result_verdict *v)
{
	return v->asked ? (int)verdict_exit_code(v->reasons.verdict) : EXIT_PASS;
}
