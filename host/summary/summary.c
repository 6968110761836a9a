/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts, figures and the summary of a run, line by line; only few types of records are decoded. */
#include "summary.h"

#include "host/capture/reader.h"
#include "host/capture/result.h"
#include "host/lib/text_sanitize.h"

#include "core/config/limit.h"
#include "core/config/mode.h"
#include "core/lib/arith.h"
#include "core/lib/crc32c.h"
#include "core/lib/text.h"
#include "core/records/record_field.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Facts: the worst core decides, as in the probe; the sums of a run hide it ---- */

static void read_config(struct summary *s, const char *text)
{
	struct config config;

	config_defaults(&config);
	result_apply_config(&config, text);
	s->facts.threshold_ns = config.threshold_ns;
	sha256(text, strlen(text), s->facts.config);
	if (!s->mode && mode_of(&config) != mode_at(0))
		s->mode = mode_of(&config);
}

static void facts_begin(struct summary *s, const struct record_begin *begin)
{
	struct facts *f = &s->facts;

	if (begin->version)
		text_sanitize_ascii(f->version, sizeof(f->version), begin->version);
	if (begin->config)
		read_config(s, begin->config);
	f->found = (uint32_t)arith_max(f->found, begin->cpus.found);
	f->measured = (uint32_t)arith_max(f->measured, begin->cpus.measured);
}

bool facts_config_known(const uint8_t digest[SHA256_BYTES])
{
	static const uint8_t unknown[SHA256_BYTES];

	return memcmp(digest, unknown, SHA256_BYTES) != 0;
}

static void add_stage(struct facts *f, const char *name)
{
	for (unsigned stage = 0; name && stage < STAGES; stage++)
		if (strcmp(name, config_stage_name((enum config_stage)stage)) == 0)
			f->stages |= UINT32_C(1) << stage;
}

static void facts_cpu(struct facts *f, const struct record_cpu *cpu)
{
	struct verdict_core core = { .index = 0 };

	if (cpu) {
		verdict_core_of(cpu, &core);
		add_stage(f, cpu->stage);
		f->cpus++;
	}
	for (unsigned l = 0; l < LIMITS; l++)
		if (limit_row((enum limit)l)->of & LIMIT_OF_GAPS)
			verdict_worst_add(&f->worst[l], core.value[l], core.index);
}

#define ONE UINT64_C(1000000) /* ppm */

/* CRC-32C of the record's stage, kernel and phase. */
static uint32_t work_of(const struct record_stretch *r)
{
	TEXT_DEFINE(name, 80);

	text_add(&name, "%s %s %s", r->stage ? r->stage : "", r->kernel ? r->kernel : "",
		 r->phase ? r->phase : "");
	return crc32c(name.buf, name.len);
}

static void facts_stretch(struct facts *f, const struct record_stretch *stretch)
{
	struct maybe tail = { 0, false };

	if (stretch && stretch->quanta)
		tail = (struct maybe){ arith_sum(ONE, stretch->p999), true };
	verdict_worst_add(&f->worst[LIMIT_MAX_STRETCH], tail, stretch ? stretch->cpu : 0);
	if (stretch && !f->workers)
		f->work = work_of(stretch);
	f->workers += stretch && work_of(stretch) == f->work;
	f->works++;
}

/* A service that was not called has no length, here as in the probe. */
static void facts_service(struct facts *f, const struct record_service *service)
{
	if (!service->max_ns.known)
		return;
	verdict_worst_add(&f->worst[LIMIT_SERVICE_MAX], service->max_ns, service->cpu);
	f->calls++;
}

/*
 * ---- Figures ----
 *
 * A stage has the longest gap of any core, the noise of all cores, and the SMIs of the core that
 * saw most.
 */

#define NS_IN_HOUR 3600e9
#define MILLION    1e6

static const struct figures_kind kinds[FIGURES] = {
	[FIGURE_LONGEST] = { "longest_ns", "longest gap", "us", 1e-3 },
	[FIGURE_NOISE] = { "noise_ppm", "noise", "ppm", 1 },
	[FIGURE_SMI] = { "smi_per_hour", "SMIs", "an hour", 1 },
};

const struct figures_kind *figures_kind(enum figure figure)
{
	return &kinds[figure];
}

/* Round to the 12 digits that every engine keeps, so that a run is the same everywhere. */
static double rounded(double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.12g", value);
	return strtod(digits, NULL);
}

static void summary_raise(struct figures *f, enum figure figure, double value)
{
	f->known[figure] = true;
	f->value[figure] = fmax(f->value[figure], rounded(value));
}

/* Figures are of the stage measured last. */
static void begin_stage(struct figures *f, const char *name)
{
	char stage[sizeof(f->stage)];

	text_sanitize_ascii(stage, sizeof(stage), name);
	if (strcmp(stage, f->stage) == 0)
		return;
	*f = (struct figures){ .cores = f->cores };
	strcpy(f->stage, stage);
}

static void figures_add_cpu(struct figures *f, const struct record_cpu *cpu)
{
	begin_stage(f, cpu->stage);
	f->cores++;
	f->exposure_ns = arith_sum(f->exposure_ns, cpu->exposure_ns);
	f->noise_ns = arith_sum(f->noise_ns, cpu->noise_ns);
	summary_raise(f, FIGURE_LONGEST, (double)cpu->max_ns);
	/* An SMI stops all cores: the core that counted most saw them all. */
	if (cpu->smi.known && cpu->exposure_ns)
		summary_raise(f, FIGURE_SMI,
			      (double)cpu->smi.value * NS_IN_HOUR / (double)cpu->exposure_ns);
	f->known[FIGURE_NOISE] = f->exposure_ns;
	if (f->exposure_ns)
		f->value[FIGURE_NOISE] = rounded((double)f->noise_ns * MILLION /
						 (double)f->exposure_ns);
}

static void figures_add_source(struct figures *f, const struct record_source *source)
{
	struct figures_source *to;

	begin_stage(f, source->stage);
	if (f->sources == FIGURES_SOURCES)
		return;
	to = &f->source[f->sources++];
	to->period_ns = source->period_ns;
	text_sanitize_ascii(to->cause, sizeof(to->cause),
			    source->cause ? source->cause : "unknown");
}

/* ---- The summary: each line of a decoded record adds what it has ---- */

#define COMPLAINT 256

/* Copy a text into `to`, unless it is empty or an earlier line gave one. */
static void copy_text(char *to, size_t room, const char *text, unsigned *changes)
{
	if (!text || !*text || *to)
		return;
	text_sanitize_ascii(to, room, text);
	++*changes;
}

static void copy_begin(struct summary *s, const struct record_begin *b)
{
	copy_text(s->uuid, sizeof(s->uuid), b->machine.uuid, &s->changes);
	copy_text(s->product, sizeof(s->product), b->machine.product, &s->changes);
	copy_text(s->bios, sizeof(s->bios), b->machine.bios_version, &s->changes);
	copy_text(s->began, sizeof(s->began), b->began, &s->changes);
}

static void add_bad(struct summary *s, unsigned lines)
{
	s->begin.bad += lines;
	s->lost += lines;
}

/* The `begin` will never be whole: it names no machine. */
static void break_begin(struct summary *s)
{
	*s->uuid = *s->product = *s->bios = *s->began = '\0';
	s->mode = NULL;
	s->facts = (struct facts){ .known = false };
	s->begin.more = false;
	s->changes++;
	add_bad(s, s->begin.lines);
}

/* True for the first line, and for the part that follows those taken so far. */
static bool is_next(const struct summary_begin *b, const struct line *line)
{
	if (b->lines && (!b->more || b->next != line->seq || b->lines == READER_BEGIN_PARTS_MAX))
		return false;
	return line->part.known ? line->part.value == b->lines : !b->lines && !line->more;
}

static unsigned count_evidence(const struct record_begin *b)
{
	unsigned n = 0;

	while (n < RECORD_STRINGS && b->evidence[n])
		n++;
	return n;
}

static bool read_begin(const struct summary_begin *b, struct record_decode *d,
		       const struct line *line, struct text *why)
{
	/* These rows are of earlier lines, which are not kept. */
	d->rows = b->rows;
	for (unsigned n = 0; n < b->evidence; n++)
		d->record.begin.evidence[n] = "";
	return is_next(b, line) && record_decode_line(d, line, why) &&
	       (line->more || record_decode_finish(d, why));
}

static void take_begin(struct summary *s, struct record_decode *d, const struct line *line,
		       struct text *why)
{
	struct summary_begin *b = &s->begin;

	if (!read_begin(b, d, line, why)) {
		if (b->more)
			break_begin(s);
		add_bad(s, 1);
		if (!b->lines)
			b->lines = 1;
		return;
	}
	copy_begin(s, &d->record.begin);
	facts_begin(s, &d->record.begin);
	s->facts.known = !line->more;
	b->next = line->seq + 1;
	b->rows = d->rows;
	b->lines++;
	b->evidence = (uint8_t)count_evidence(&d->record.begin);
	b->more = line->more;
}

static void copy_end(struct summary *s, const struct record_end *end)
{
	copy_text(s->verdict, sizeof(s->verdict), end->verdict, &s->changes);
	copy_text(s->reason, sizeof(s->reason), end->reasons[0], &s->changes);
	copy_text(s->remark, sizeof(s->remark), end->remark, &s->changes);
}

static void take_end(struct summary *s, const struct record_end *end, const struct line *line)
{
	copy_end(s, end);
	if (end->sampled_ns.known)
		s->facts.sampled_ns = end->sampled_ns;
	if (!line->more && !s->ended) {
		s->ended = true;
		s->changes++;
	}
}

static void take_window(struct summary *s, const struct record_window *w)
{
	uint64_t end = w->start_ns + w->len_ns;

	/* A sum that wraps is not a time. */
	if (end >= w->start_ns)
		s->length_ns = arith_max(s->length_ns, end);
}

/* True for a record's first line, which has all that counts: the others continue histograms. */
static bool is_first(const struct line *line)
{
	return !line->part.known || !line->part.value;
}

/* True if the line has the fields at these offsets of the struct. */
static bool has_fields(const struct record_decode *d, const size_t *needed, size_t count)
{
	size_t had = 0;

	for (unsigned row = 0; d->fields[row].kind != FIELD_END; row++)
		for (size_t n = 0; n < count; n++)
			had += d->fields[row].offset == needed[n] && d->rows >> row & 1;
	return had == count;
}

static void take_cpu(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_cpu, exposure_ns),
					 offsetof(struct record_cpu, noise_ns),
					 offsetof(struct record_cpu, max_ns) };

	bool is_whole = has_fields(d, needed, 3);

	facts_cpu(&s->facts, is_whole ? &d->record.cpu : NULL);
	if (is_whole)
		figures_add_cpu(&s->figures, &d->record.cpu);
}

static void take_source(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_source, period_ns) };

	if (has_fields(d, needed, 1))
		figures_add_source(&s->figures, &d->record.source);
}

static void take_stretch(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_stretch, cpu),
					 offsetof(struct record_stretch, quanta),
					 offsetof(struct record_stretch, p999) };

	facts_stretch(&s->facts, has_fields(d, needed, 3) ? &d->record.stretch : NULL);
}

#define WANTED                                                                              \
	(1u << RECORD_BEGIN | 1u << RECORD_CPU | 1u << RECORD_PAUSE | 1u << RECORD_SOURCE | \
	 1u << RECORD_STRETCH | 1u << RECORD_SERVICE | 1u << RECORD_END)

bool summary_wants(const struct line *line)
{
	enum record_type type;

	return record_decode_type(line->type, line->type_bytes, &type) && WANTED >> type & 1;
}

/* Take the mode from a record's type, as the run's `begin` may be lost. */
static void take_mode(struct summary *s, enum record_type type)
{
	if (!s->mode && type == RECORD_STRETCH)
		s->mode = &mode_stretch;
	else if (!s->mode && type == RECORD_SERVICE)
		s->mode = &mode_services;
}

static void summary_take(struct summary *s, enum record_type type, struct record_decode *d,
			 const struct line *line)
{
	TEXT_DEFINE(why, COMPLAINT);

	if (type == RECORD_BEGIN) {
		take_begin(s, d, line, &why);
		return;
	}
	if (!record_decode_line(d, line, &why)) {
		if (type == RECORD_CPU)
			facts_cpu(&s->facts, NULL);
		else if (type == RECORD_STRETCH)
			facts_stretch(&s->facts, NULL);
		return;
	}
	take_mode(s, type);
	if (type == RECORD_WINDOW)
		take_window(s, &d->record.window);
	else if (type == RECORD_PAUSE)
		verdict_clock_faults_add(&s->facts.clock, &d->record.pause);
	else if (type == RECORD_END)
		take_end(s, &d->record.end, line);
	else if (!is_first(line))
		return;
	else if (type == RECORD_CPU)
		take_cpu(s, d);
	else if (type == RECORD_SOURCE)
		take_source(s, d);
	else if (type == RECORD_STRETCH)
		take_stretch(s, d);
	else if (type == RECORD_SERVICE)
		facts_service(&s->facts, &d->record.service);
}

void summary_line(struct summary *s, const struct line *line)
{
	struct record_decode decode = { .room = 0 };
	enum record_type type;

	s->lines++;
	if (!record_decode_type(line->type, line->type_bytes, &type) ||
	    !((WANTED | 1u << RECORD_WINDOW) >> type & 1))
		return;
	if (type != RECORD_BEGIN && s->begin.more)
		break_begin(s);
	record_decode_start(&decode, type);
	summary_take(s, type, &decode, line);
	record_decode_free(&decode);
}

static bool is_uuid(const char *text, const uint8_t uuid[UUID_BYTES])
{
	uint8_t named[UUID_BYTES];

	return uuid_parse(text, named) && memcmp(named, uuid, UUID_BYTES) == 0;
}

bool summary_names_other(const struct line *line, const uint8_t uuid[UUID_BYTES])
{
	struct record_decode d = { .room = 0 };
	enum record_type type;
	bool other = false;
	const char *name;
	TEXT_DEFINE(why, COMPLAINT);

	if (!record_decode_type(line->type, line->type_bytes, &type) || type != RECORD_BEGIN)
		return false;
	record_decode_start(&d, type);
	if (record_decode_line(&d, line, &why)) {
		name = d.record.begin.machine.uuid;
		other = name ? !is_uuid(name, uuid) : is_first(line);
	}
	record_decode_free(&d);
	return other;
}

bool summary_complete(const struct summary *s)
{
	return s->ended && !s->lost;
}

enum verdict summary_own_outcome(const struct summary *s)
{
	return summary_complete(s) ? verdict_of(s->verdict) : VERDICT_INCOMPLETE;
}

enum verdict summary_outcome(const struct summary *s)
{
	return s->judged.set ? s->judged.verdict : summary_own_outcome(s);
}

const char *summary_reason(const struct summary *s)
{
	return s->judged.set ? s->judged.reason : s->reason;
}

const char *summary_node_verdict(const struct summary *s)
{
	return s->judged.set ? verdict_name(summary_own_outcome(s)) : NULL;
}

const char *summary_verdict(const struct summary *s)
{
	return verdict_name(summary_outcome(s));
}

const char *summary_remark(const struct summary *s)
{
	return !s->judged.set && summary_outcome(s) == VERDICT_PASS ? s->remark : "";
}

int summary_exit_code(const struct summary *s)
{
	return (int)verdict_exit_code(summary_outcome(s));
}
