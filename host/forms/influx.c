/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as points in InfluxDB's line protocol: measurement,tags fields time.
 *
 * Strings are tags, since VictoriaMetrics keeps no others; an absent one is left out, and so is a
 * number that is not known. Blanks, commas and equals signs in tags are escaped; a backslash, which
 * at the end would escape what follows, becomes a slash, and a control character a question mark.
 * Integers are at most 2^63 - 1. Every point of a run has the tag `run`, the sid in 16 hex digits.
 *
 * A database keeps one point of a measurement, tags and time: the later replaces the earlier. A
 * run has one info and one end; a stage has one cpu point per core, and one bucket per core and
 * below_ns. Gaps of a core and cause are distinguished by time alone.
 */
#include "show_form.h"

#include "host/capture/summary.h"
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"
#include "core/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- A point: its measurement and first tags; more tags, fields and the time, in this order ----
 */

struct point {
	FILE *to;
	char before; /* separator in front of the next field: a blank, then commas */
};

static struct point open_point(FILE *to, const char *measurement)
{
	fprintf(to, "noisefloor_%s", measurement);
	return (struct point){ to, ' ' };
}

static void put_tag(struct point *p, const char *name, const char *value)
{
	char *safe;

	if (!value || !*value)
		return;
	safe = memory_text(value);
	text_sanitize(safe);
	fprintf(p->to, ",%s=", name);
	for (const char *c = safe; *c; c++) {
		if (*c == ' ' || *c == ',' || *c == '=')
			fputc('\\', p->to);
		fputc(*c == '\\' ? '/' : *c, p->to);
	}
	free(safe);
}

static void put_tag_number(struct point *p, const char *name, uint64_t value)
{
	fprintf(p->to, ",%s=%" PRIu64, name, value);
}

static void put_field_text(struct point *p, const char *name, const char *number)
{
	fprintf(p->to, "%c%s=%s", p->before, name, number);
	p->before = ',';
}

static void put_field(struct point *p, const char *name, struct maybe m)
{
	if (!m.known)
		return;
	fprintf(p->to, "%c%s=%" PRIu64 "i", p->before, name, arith_min(m.value, INT64_MAX));
	p->before = ',';
}

static void close_point(struct point *p, uint64_t ns)
{
	fprintf(p->to, " %" PRIu64 "\n", arith_min(ns, INT64_MAX));
}

/* ---- Records ---- */

static struct point start(FILE *to, const char *measurement, uint64_t run)
{
	struct point p = open_point(to, measurement);

	fprintf(to, ",run=%016" PRIx64, run);
	return p;
}

static void put_tags(struct point *p, enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->role != FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_STRING)
			put_tag(p, record_field_series(f), record_field_string(f, record));
		else
			put_tag_number(p, record_field_series(f),
				       record_field_number(f, record).value);
	}
}

static void put_causes(struct point *p, const struct cause_sum sums[CAUSES])
{
	for (unsigned c = 0; c < CAUSES; c++) {
		const char *name = cause_name((enum cause)c);

		if (!sums[c].gaps)
			continue;
		fprintf(p->to, "%cgaps_%s=%" PRIu64 "i,ns_%s=%" PRIu64 "i", p->before, name,
			arith_min(sums[c].gaps, INT64_MAX), name, arith_min(sums[c].ns, INT64_MAX));
		p->before = ',';
	}
}

static void put_fields(struct point *p, enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->role == FIELD_ROLE_NONE || f->role == FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_CAUSES)
			put_causes(p, (const void *)((const char *)record + f->offset));
		else
			put_field(p, record_field_series(f), record_field_number(f, record));
	}
}

void influx_record(FILE *to, uint64_t run, enum record_type type, const void *record, uint64_t ns)
{
	struct point p = start(to, record_type_name(type), run);

	put_tags(&p, type, record);
	put_fields(&p, type, record);
	close_point(&p, ns);
}

void influx_info(FILE *to, uint64_t run, const struct record_begin *begin, uint64_t ns)
{
	struct point p = start(to, "info", run);

	put_tags(&p, RECORD_BEGIN, begin);
	put_field(&p, "value", (struct maybe){ 1, true });
	put_fields(&p, RECORD_BEGIN, begin);
	close_point(&p, ns);
}

/* The next of 1, 2, 5, 10 ... us above a length: few series, whatever the lengths are. */
static uint64_t edge_above(uint64_t ns)
{
	uint64_t edge = 1000;

	for (unsigned step = 0; edge <= ns && edge < UINT64_MAX / 5; step++)
		edge = step % 3 == 1 ? edge / 2 * 5 : edge * 2;
	return edge > ns ? edge : UINT64_MAX;
}

size_t influx_bucket(FILE *to, uint64_t run, const struct record_cpu *cpu, size_t n, uint64_t ns)
{
	const struct record_pairs *pairs = &cpu->histogram;
	uint64_t edge = edge_above(pairs->at[n][0]), count = 0;
	struct point p = start(to, "hist", run);

	do
		count = arith_sum(count, pairs->at[n][1]);
	while (++n < pairs->count && pairs->at[n][0] < edge);
	put_tag(&p, "stage", cpu->stage);
	put_tag_number(&p, "cpu", cpu->cpu);
	put_tag_number(&p, "below_ns", edge);
	put_field(&p, "count", (struct maybe){ count, true });
	close_point(&p, ns);
	return n;
}

void influx_end(FILE *to, uint64_t run, const struct influx_end *end, uint64_t ns)
{
	struct point p = start(to, "end", run);

	if (end->record)
		put_tags(&p, RECORD_END, end->record);
	else
		put_tag(&p, "verdict", "incomplete");
	put_field(&p, "exit_code", (struct maybe){ end->exit_code, true });
	put_field(&p, "whole", (struct maybe){ end->whole, true });
	if (end->record)
		put_fields(&p, RECORD_END, end->record);
	close_point(&p, ns);
}

/*
 * ---- Runs ----
 *
 * Measurements noisefloor_info, _cpu, _gap, _hist, _end, _node and _node_source, and one for each
 * kind whose records are series, with integers below 2^63 and wall times in ns. Gaps have their own
 * time, all else that of the run's end. The same capture gives the same lines, so sending it twice
 * stores it once. Absent evidence is an absent field.
 */

/* The run being printed. */
struct line_run {
	const struct result *run;
	uint64_t began_ns, end_ns; /* wall times */
	struct summary summary;    /* by the policy, if there is one */
};

static void put_record(struct line_run *r, enum record_type type, const void *record, uint64_t ns)
{
	influx_record(stdout, r->run->sid, type, record, ns);
}

static void put_cpu(struct line_run *r, const struct record_cpu *cpu)
{
	put_record(r, RECORD_CPU, cpu, r->end_ns);
	for (size_t n = 0; n < cpu->histogram.count;)
		n = influx_bucket(stdout, r->run->sid, cpu, n, r->end_ns);
}

/* Print the records of kinds that are series. */
static void put_kinds(struct line_run *r, const struct result_stage *stage)
{
	const struct host_kind *kind;

	for (size_t i = 0; (kind = host_kind_at(i)); i++)
		for (size_t n = 0; kind->series && n < stage->kept[kind->type].count; n++)
			put_record(r, kind->type, result_stage_record(stage, kind->type, n),
				   r->end_ns);
}

static void put_gap(struct line_run *r, const char *stage, const struct result_gap *g)
{
	const struct record_gap gap = {
		.stage = stage,
		.cpu = g->cpu,
		.cause = cause_name(g->cause),
		.len_ns = g->len_ns,
	};

	put_record(r, RECORD_GAP, &gap, g->t_ns > INT64_MAX ? INT64_MAX : r->began_ns + g->t_ns);
}

static void put_end(struct line_run *r)
{
	const struct result *run = r->run;
	const struct influx_end end = {
		.record = run->has_end ? &run->end : NULL,
		.exit_code = (uint64_t)result_exit_code(run),
		.whole = result_is_whole(run),
	};

	influx_end(stdout, run->sid, &end, r->end_ns);
}

/*
 * The machine's state for queries of an engine, by the summary that a collector stores: the tags
 * are few, whatever the number of runs, so the run's id is two numbers, each exact in floating
 * point. Fields of an earlier run stay where this one has none, so `known` and `sources` have what
 * counts.
 */

static struct point open_node(struct line_run *r, const char *measurement)
{
	struct point p = open_point(stdout, measurement);
	const struct summary *s = &r->summary;
	char sid[20];

	put_tag(&p, "uuid", s->uuid);
	/* Without a UUID each run is a machine of its own. */
	snprintf(sid, sizeof(sid), "%016" PRIx64, r->run->sid);
	if (!*s->uuid)
		put_tag(&p, "run", sid);
	return p;
}

static void put_number(struct point *p, const char *name, uint64_t value)
{
	put_field(p, name, (struct maybe){ value, true });
}

static void put_node(struct line_run *r, const struct figures *f)
{
	const struct summary *s = &r->summary;
	struct point p = open_node(r, "node");
	uint64_t began_s = result_began_ns(r->run) / NS_PER_S, known = began_s ? FIGURES_BEGAN : 0;
	char number[32];

	put_tag(&p, "product", s->product);
	put_tag(&p, "bios", s->bios);
	put_tag(&p, "stage", f->stage);
	put_number(&p, "sid_high", r->run->sid >> 32);
	put_number(&p, "sid_low", r->run->sid & UINT32_MAX);
	put_number(&p, "ended_ms", r->end_ns / (NS_PER_S / 1000));
	put_number(&p, "verdict", summary_outcome(s));
	put_number(&p, "lines", r->run->received->seen.members);
	put_number(&p, "lost", s->lost);
	put_number(&p, "cores", f->cores);
	put_number(&p, "sources", f->sources);
	if (began_s)
		put_number(&p, "began_s", began_s);
	for (unsigned n = 0; n < FIGURES; n++) {
		if (!f->known[n])
			continue;
		known |= 1u << n;
		snprintf(number, sizeof(number), "%.12g", f->value[n]);
		put_field_text(&p, figures_kind((enum figure)n)->name, number);
	}
	for (unsigned n = 1; host_mode_at(n); n++)
		known |= result_mode(r->run) == host_mode_at(n) ? FIGURES_MODE(n) : 0;
	if (*summary_remark(s))
		known |= FIGURES_SHORT;
	put_number(&p, "known", known);
	close_point(&p, r->end_ns);
}

static void put_node_source(struct line_run *r, const struct figures_source *source, size_t n)
{
	struct point p = open_node(r, "node_source");

	put_tag_number(&p, "source", n);
	put_tag(&p, "cause", source->cause);
	put_number(&p, "period_ns", source->period_ns);
	put_number(&p, "sid_low", r->run->sid & UINT32_MAX);
	close_point(&p, r->end_ns);
}

/* A run that has not ended is not yet a machine's state. */
static void put_machine(struct line_run *r)
{
	struct figures f = { 0 };

	if (!r->run->has_end)
		return;
	if (r->run->stages)
		figures_read(&f, r->run);
	put_node(r, &f);
	for (size_t n = 0; n < f.sources; n++)
		put_node_source(r, &f.source[n], n);
}

/* When a file was last written, ns since 1970; 0: unknown. */
static uint64_t written_ns(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

/*
 * When the run began, ns since 1970: as requested, else as recorded, else by its length and the
 * time at which the capture was last written, when the run ended.
 */
static uint64_t began(const struct show_options *o, const struct capture *c,
		      const struct result *run, uint64_t length)
{
	uint64_t recorded = result_began_ns(run), changed;

	if (o->has_began || recorded)
		return o->has_began ? o->began_ns : recorded;
	changed = written_ns(c->name);
	return changed > length ? changed - length : 0;
}

static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	uint64_t length = result_length_ns(run);
	struct line_run r = { .run = run };
	const struct record_cpu *cpu;

	summary_of_run(&r.summary, run);
	if (o->judge)
		o->judge(&r.summary);
	r.began_ns = began(o, c, run, length);
	r.end_ns = length > INT64_MAX ? INT64_MAX : r.began_ns + length;
	if (run->has_begin)
		influx_info(stdout, run->sid, &run->begin, r.end_ns);
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		put_cpu(&r, cpu);
	for (size_t i = 0; i < run->stages; i++) {
		const struct result_stage *stage = &run->stage[i];

		for (size_t n = 0; n < stage->gaps; n++)
			put_gap(&r, stage->name, &stage->gap[n]);
		put_kinds(&r, stage);
	}
	put_machine(&r);
	put_end(&r);
}

const struct show_form show_form_influx = {
	.keep = RESULT_ALL,
	.run = put_run,
	.flaws_apart = true,
	.wants_began = true,
};
