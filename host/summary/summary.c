/* SPDX-License-Identifier: BSD-2-Clause */
/* A table has what each type of record adds; records of other types are not decoded. */
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

bool facts_config_known(const uint8_t digest[SHA256_BYTES])
{
	static const uint8_t unknown[SHA256_BYTES];

	return memcmp(digest, unknown, SHA256_BYTES) != 0;
}

/*
 * ---- Figures ----
 *
 * A stage has the longest gap of any core, the noise of all cores, and the SMIs of the core that
 * saw most.
 */

#define NS_IN_HOUR 3600e9
#define MILLION    1e6

const struct figures_kind figures_kinds[FIGURES] = {
	[FIGURE_LONGEST] = { "longest_ns", "longest gap", "us", 1e-3 },
	[FIGURE_NOISE] = { "noise_ppm", "noise", "ppm", 1 },
	[FIGURE_SMI] = { "smi_per_hour", "SMIs", "an hour", 1 },
};

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

/* ---- `begin`, whose lines follow each other ---- */

#define COMPLAINT 256

/* Copy a text into `to`, unless it is empty or an earlier line gave one. */
static void copy_text(char *to, size_t room, const char *text, unsigned *changes)
{
	if (!text || !*text || *to)
		return;
	text_sanitize_ascii(to, room, text);
	++*changes;
}

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

static void copy_begin(struct summary *s, const struct record_begin *b)
{
	struct facts *f = &s->facts;

	copy_text(s->uuid, sizeof(s->uuid), b->machine.uuid, &s->changes);
	copy_text(s->product, sizeof(s->product), b->machine.product, &s->changes);
	copy_text(s->bios, sizeof(s->bios), b->machine.bios_version, &s->changes);
	copy_text(s->began, sizeof(s->began), b->began, &s->changes);
	if (b->version)
		text_sanitize_ascii(f->version, sizeof(f->version), b->version);
	if (b->config)
		read_config(s, b->config);
	f->found = (uint32_t)arith_max(f->found, b->cpus.found);
	f->measured = (uint32_t)arith_max(f->measured, b->cpus.measured);
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
	s->facts = (struct facts){ .found = 0 };
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
	b->next = line->seq + 1;
	b->rows = d->rows;
	b->lines++;
	b->evidence = (uint8_t)count_evidence(&d->record.begin);
	b->more = line->more;
}

/* ---- Other types of records ---- */

static void take_window(struct summary *s, const union record *r)
{
	uint64_t end = r->window.start_ns + r->window.len_ns;

	/* A sum that wraps is not a time. */
	if (end >= r->window.start_ns)
		s->length_ns = arith_max(s->length_ns, end);
}

static void add_stage(struct facts *f, const char *name)
{
	for (unsigned stage = 0; name && stage < STAGES; stage++)
		if (strcmp(name, config_stage_name((enum config_stage)stage)) == 0)
			f->stages |= UINT32_C(1) << stage;
}

static void add_figures(struct figures *f, const struct record_cpu *cpu)
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

/* The worst core decides, as in the probe: the sums of a run hide it. */
static void take_cpu(struct summary *s, const union record *r)
{
	struct verdict_core core = { .index = 0 };

	if (r) {
		verdict_core_of(&r->cpu, &core);
		add_stage(&s->facts, r->cpu.stage);
		add_figures(&s->figures, &r->cpu);
		s->facts.cpus++;
	}
	for (unsigned l = 0; l < LIMITS; l++)
		if (limit_row((enum limit)l)->of & LIMIT_OF_GAPS)
			verdict_worst_add(&s->facts.worst[l], core.value[l], core.index);
}

static void take_pause(struct summary *s, const union record *r)
{
	verdict_clock_faults_add(&s->facts.clock, &r->pause);
}

static void take_source(struct summary *s, const union record *r)
{
	struct figures *f = &s->figures;
	struct figures_source *to;

	begin_stage(f, r->source.stage);
	if (f->sources == FIGURES_SOURCES)
		return;
	to = &f->source[f->sources++];
	to->period_ns = r->source.period_ns;
	text_sanitize_ascii(to->cause, sizeof(to->cause),
			    r->source.cause ? r->source.cause : "unknown");
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

static void take_stretch(struct summary *s, const union record *r)
{
	const struct record_stretch *stretch = r ? &r->stretch : NULL;
	struct facts *f = &s->facts;
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
static void take_service(struct summary *s, const union record *r)
{
	if (!r->service.max_ns.known)
		return;
	verdict_worst_add(&s->facts.worst[LIMIT_SERVICE_MAX], r->service.max_ns, r->service.cpu);
	s->facts.calls++;
}

static void take_end(struct summary *s, const union record *r)
{
	const struct record_end *end = &r->end;

	copy_text(s->verdict, sizeof(s->verdict), end->verdict, &s->changes);
	copy_text(s->reason, sizeof(s->reason), end->reasons[0], &s->changes);
	copy_text(s->remark, sizeof(s->remark), end->remark, &s->changes);
	if (end->sampled_ns.known)
		s->facts.sampled_ns = end->sampled_ns;
}

#define NEEDS_MAX             3
#define NEEDS(record, member) offsetof(struct record_##record, member)

static const struct type {
	/* NULL: a record that cannot be read, or lacks a field, of a type that `counts` those. */
	void (*take)(struct summary *s, const union record *r);
	bool counts;
	bool is_in_first; /* all is in the first line of a record: the others continue histograms */
	unsigned needs;   /* fields that a record must have, by their offsets */
	size_t needed[NEEDS_MAX];
	const struct mode *mode; /* the mode of its runs, as their `begin` may be lost */
} types[RECORD_TYPES] = {
	[RECORD_WINDOW] = { .take = take_window },
	[RECORD_PAUSE] = { .take = take_pause },
	[RECORD_END] = { .take = take_end },
	[RECORD_CPU] = {
		.take = take_cpu,
		.counts = true,
		.is_in_first = true,
		.needs = 3,
		.needed = { NEEDS(cpu, exposure_ns), NEEDS(cpu, noise_ns), NEEDS(cpu, max_ns) },
	},
	[RECORD_SOURCE] = {
		.take = take_source,
		.is_in_first = true,
		.needs = 1,
		.needed = { NEEDS(source, period_ns) },
	},
	[RECORD_STRETCH] = {
		.take = take_stretch,
		.counts = true,
		.is_in_first = true,
		.needs = 3,
		.needed = { NEEDS(stretch, cpu), NEEDS(stretch, quanta), NEEDS(stretch, p999) },
		.mode = &mode_stretch,
	},
	[RECORD_SERVICE] = {
		.take = take_service,
		.is_in_first = true,
		.mode = &mode_services,
	},
};

/* True if the line has the fields that its type needs. */
static bool has_fields(const struct record_decode *d, const struct type *type)
{
	unsigned had = 0;

	for (unsigned row = 0; d->fields[row].kind != FIELD_END; row++)
		for (unsigned n = 0; n < type->needs; n++)
			had += d->fields[row].offset == type->needed[n] && d->rows >> row & 1;
	return had == type->needs;
}

static void take_other(struct summary *s, const struct type *type, struct record_decode *d,
		       const struct line *line, struct text *why)
{
	bool is_read = record_decode_line(d, line, why), is_first;

	is_first = !line->part.known || !line->part.value;
	if (is_read && !s->mode)
		s->mode = type->mode;
	if (is_read && type->is_in_first && !is_first)
		return;
	is_read = is_read && has_fields(d, type);
	if (is_read || type->counts)
		type->take(s, is_read ? &d->record : NULL);
	if (is_read && d->type == RECORD_END && !line->more && !s->ended) {
		s->ended = true;
		s->changes++;
	}
}

void summary_line(struct summary *s, const struct line *line)
{
	enum record_type type;
	TEXT_DEFINE(why, COMPLAINT);

	s->lines++;
	/* Most lines are gaps, which end here. */
	if (!record_decode_type(line->type, line->type_bytes, &type) ||
	    (type != RECORD_BEGIN && !types[type].take))
		return;

	struct record_decode d = { .room = 0 };

	if (type != RECORD_BEGIN && s->begin.more)
		break_begin(s);
	record_decode_start(&d, type);
	if (type == RECORD_BEGIN)
		take_begin(s, &d, line, &why);
	else
		take_other(s, &types[type], &d, line, &why);
	record_decode_free(&d);
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
		other = name ? !is_uuid(name, uuid) : !line->part.known || !line->part.value;
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
