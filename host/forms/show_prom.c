/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs in Prometheus' text format, for node_exporter's textfile collector: one family of metrics
 * after the other, gathered from all runs, without times. A run that occurs twice is printed once.
 */
#include "show_form.h"

#include "host/lib/exit.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/lib/prom.h"

#include "core/lib/ticks.h"
#include "core/records/record_doc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The subject of a sample: a record of a run, or, by its `begin`, the whole run. */
struct subject {
	const struct result *run;
	enum record_type of;
	const void *record;
};

struct family;
typedef void put_family(FILE *f, const struct family *family, const struct subject *s);

struct family {
	const char *name, *type, *help;
	put_family *put;
	enum record_type of;
	void (*value)(struct prom_sample *s, uint64_t value); /* formats a number */
	const struct record_field *field;                     /* source of the family; NULL: none */
	FILE *to;
	char *text;
	size_t bytes;
};

/* "name{run="...",stage="...",cpu="3"", without the closing brace. */
static struct prom_sample show_prom_start(FILE *f, const char *name, const char *suffix,
					  const struct subject *s)
{
	struct prom_sample p = prom_open(f, name, suffix);
	char run[20];

	snprintf(run, sizeof(run), "%016" PRIx64, s->run->sid);
	prom_label(&p, "run", run);
	for (const struct record_field *r = record_fields(s->of); r->kind != FIELD_END; r++) {
		if (s->of == RECORD_BEGIN || r->role != FIELD_ROLE_TAG)
			continue;
		if (r->kind != FIELD_STRING)
			prom_label_number(&p, r->name, record_field_number(r, s->record).value);
		else if (record_field_string(r, s->record) || r->key)
			prom_label(&p, r->name, record_field_string(r, s->record) ?: "n/a");
	}
	return p;
}

/* ---- Families of runs ---- */

static void put_info(FILE *f, const struct family *family, const struct subject *s)
{
	struct prom_sample p;

	if (!s->run->has_begin)
		return;
	p = show_prom_start(f, family->name, "", s);
	for (const struct record_field *r = record_fields(RECORD_BEGIN); r->kind != FIELD_END;
	     r++) {
		if (r->role == FIELD_ROLE_TAG)
			prom_label(&p, r->name, record_field_string(r, &s->run->begin));
	}
	prom_number(&p, 1);
}

static void put_verdict(FILE *f, const struct family *family, const struct subject *s)
{
	enum verdict of = result_outcome(s->run);

	for (unsigned v = 0; v < VERDICTS; v++) {
		struct prom_sample p = show_prom_start(f, family->name, "", s);

		prom_label(&p, "verdict", verdict_name((enum verdict)v));
		prom_number(&p, of == (enum verdict)v);
	}
}

/* ---- Families of numbers ---- */

/* One that is known. */
static void put_value(FILE *f, const struct family *family, const struct subject *s,
		      struct maybe value)
{
	struct prom_sample p;

	if (!value.known)
		return;
	p = show_prom_start(f, family->name, "", s);
	family->value(&p, value.value);
}

static void put_complete(FILE *f, const struct family *family, const struct subject *s)
{
	put_value(f, family, s, (struct maybe){ result_is_whole(s->run), true });
}

static void put_watched(FILE *f, const struct family *family, const struct subject *s)
{
	put_value(f, family, s, s->run->end.watched_ppm);
}

/* A textfile has no times of its own. */
static void put_began(FILE *f, const struct family *family, const struct subject *s)
{
	uint64_t ns = result_began_ns(s->run);

	put_value(f, family, s, (struct maybe){ ns, ns != 0 });
}

static void put_duration(FILE *f, const struct family *family, const struct subject *s)
{
	uint64_t ns = result_length_ns(s->run);

	put_value(f, family, s, (struct maybe){ ns, ns != 0 });
}

static void put_field(FILE *f, const struct family *family, const struct subject *s)
{
	put_value(f, family, s, record_field_number(family->field, s->record));
}

/* ---- Families of cores ---- */

/* Put a sample for each cause that has gaps. */
static void put_causes(FILE *f, const struct family *family, const struct subject *s)
{
	const struct record_cpu *cpu = s->record;

	for (unsigned c = 0; c < CAUSES; c++) {
		const struct cause_sum *sum = &cpu->cause[c];
		struct prom_sample p;

		if (!sum->gaps)
			continue;
		p = show_prom_start(f, family->name, "", s);
		prom_label(&p, "cause", cause_name((enum cause)c));
		family->value(&p, family->value == prom_seconds ? sum->ns : sum->gaps);
	}
}

/* Upper edges of buckets; counts are those of lengths whose own bucket begins below. */
static const uint64_t edges_ns[] = {
	1000,     2000,      5000,      10000,     20000,      50000,    100000,
	200000,   500000,    1000000,   2000000,   5000000,    10000000, 20000000,
	50000000, 100000000, 200000000, 500000000, 1000000000,
};

static void put_lengths(FILE *f, const struct family *family, const struct subject *s)
{
	const struct record_cpu *cpu = s->record;
	const struct record_pairs *h = &cpu->histogram;
	struct prom_sample p;
	char edge[24];

	for (size_t i = 0; i < sizeof(edges_ns) / sizeof(edges_ns[0]); i++) {
		p = show_prom_start(f, family->name, "_bucket", s);
		snprintf(edge, sizeof(edge), "%g", (double)edges_ns[i] / NS_PER_S);
		prom_label(&p, "le", edge);
		prom_number(&p, quantile_below(h, edges_ns[i]));
	}
	p = show_prom_start(f, family->name, "_bucket", s);
	prom_label(&p, "le", "+Inf");
	prom_number(&p, quantile_count(h));
	p = show_prom_start(f, family->name, "_sum", s);
	prom_seconds(&p, cpu->noise_ns);
	p = show_prom_start(f, family->name, "_count", s);
	prom_number(&p, quantile_count(h));
}

/* Families that are more than a field of a record. */
static const struct family of_runs[] = {
	{ "noisefloor_info", "gauge", "The machine of a run.", put_info, .of = RECORD_BEGIN },
	{ "noisefloor_verdict", "gauge", "1 for the verdict of the run, else 0.", put_verdict,
	  .of = RECORD_BEGIN },
	{ "noisefloor_complete", "gauge", "1 if all records of the run were received.",
	  put_complete, RECORD_BEGIN, .value = prom_number },
	{ "noisefloor_began_seconds", "gauge", "When the run began, s since 1970.", put_began,
	  RECORD_BEGIN, .value = prom_seconds },
	{ "noisefloor_duration_seconds", "gauge", "From its begin to the end of its last window.",
	  put_duration, RECORD_BEGIN, .value = prom_seconds },
	{ "noisefloor_watched_ratio", "gauge", "Share of the time that was sampled.", put_watched,
	  RECORD_BEGIN, .value = prom_millionths },
};

static const struct family of_cpus[] = {
	{ "noisefloor_cause_gaps", "gauge", "Number of gaps by cause.", put_causes, RECORD_CPU,
	  .value = prom_number },
	{ "noisefloor_cause_seconds", "gauge", "Sum of gaps by cause.", put_causes, RECORD_CPU,
	  .value = prom_seconds },
	{ "noisefloor_gap_length_seconds", "histogram", "Lengths of gaps, edges within 1.6 %.",
	  put_lengths, .of = RECORD_CPU },
};

#define NAME_MAX_BYTES 64

#define FAMILIES_MAX (2 * RECORD_FIELDS_MAX)

static char names[FAMILIES_MAX][NAME_MAX_BYTES];
static struct family families[FAMILIES_MAX];
static size_t family_count;

static void add_families(const struct family *family, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct family *f = &families[family_count++];

		*f = family[i];
		f->to = memory_need(open_memstream(&f->text, &f->bytes));
	}
}

static void add_field(enum record_type of, const struct record_field *f, const char *help)
{
	bool time = f->role == FIELD_ROLE_TIME;

	add_families(&(struct family){ names[family_count], "gauge", help, put_field, of,
				       time ? prom_seconds : prom_number, .field = f },
		     1);
}

static void add_fields(void)
{
	const struct record_field *f = record_fields(RECORD_CPU);
	const struct record_doc *doc = record_docs(RECORD_CPU);

	for (size_t i = 0; f[i].kind != FIELD_END; i++) {
		if (!doc[i].family)
			continue;
		snprintf(names[family_count], NAME_MAX_BYTES, "noisefloor_%s%s", doc[i].family,
			 f[i].role == FIELD_ROLE_TIME ? "_seconds" : "");
		add_field(RECORD_CPU, &f[i], doc[i].help);
	}
}

/* All counts and values of a type, in the unit of its record. */
static void add_type(enum record_type type)
{
	const struct record_field *f = record_fields(type);
	const struct record_doc *doc = record_docs(type);

	for (size_t i = 0; f[i].kind != FIELD_END; i++) {
		if (f[i].role != FIELD_ROLE_COUNT && f[i].role != FIELD_ROLE_VALUE)
			continue;
		snprintf(names[family_count], NAME_MAX_BYTES, "noisefloor_%s_%s%s",
			 record_type_name(type), f[i].name,
			 f[i].unit == FIELD_UNIT_PPM ? "_ppm" : "");
		add_field(type, &f[i], doc[i].help);
	}
}

/* Runs printed so far. */
static uint64_t *reported;
static size_t reported_count;

static void show_prom_begin(enum form form)
{
	const struct host_kind *kind;

	(void)form;
	reported_count = 0;
	family_count = 0;
	add_families(of_runs, sizeof(of_runs) / sizeof(of_runs[0]));
	add_fields();
	add_families(of_cpus, sizeof(of_cpus) / sizeof(of_cpus[0]));
	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		if (kind->series)
			add_type(kind->type);
}

/* A duplicate series makes the whole file invalid. */
static bool is_first(uint64_t sid)
{
	for (size_t i = 0; i < reported_count; i++) {
		if (reported[i] == sid)
			return false;
	}
	*MEMORY_ADD(reported, reported_count) = sid;
	return true;
}

/* Put the families of a record type. */
static void put_families(const struct result *run, enum record_type of, const void *record)
{
	const struct subject subject = { run, of, record };

	for (size_t n = 0; n < family_count; n++) {
		if (families[n].of == of)
			families[n].put(families[n].to, &families[n], &subject);
	}
}

static void put_kinds(const struct result *run, const struct result_stage *stage)
{
	const struct host_kind *kind;

	for (size_t i = 0; (kind = host_kind_at(i)); i++)
		for (size_t n = 0; kind->series && n < stage->kept[kind->type].count; n++)
			put_families(run, kind->type, result_stage_record(stage, kind->type, n));
}

static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	const struct record_cpu *cpu;

	(void)o;
	if (!is_first(run->sid)) {
		fprintf(stderr, "%s: run %016" PRIx64 " was seen before and is left out\n", c->name,
			run->sid);
		return;
	}
	put_families(run, RECORD_BEGIN, &run->begin);
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		put_families(run, RECORD_CPU, cpu);
	for (size_t i = 0; i < run->stages; i++)
		put_kinds(run, &run->stage[i]);
}

static int show_prom_finish(void)
{
	for (size_t i = 0; i < family_count; i++) {
		struct family *f = &families[i];

		if (fclose(f->to) != 0)
			memory_exhausted();
		if (f->bytes)
			prom_family(stdout, f->name, f->type, f->help);
		fputs(f->text, stdout);
		free(f->text);
	}
	free(reported);
	reported = NULL;
	return EXIT_PASS;
}

const struct show_form show_form_prom = {
	.keep = RESULT_ALL,
	.start = show_prom_begin,
	.run = put_run,
	.finish = show_prom_finish,
};
