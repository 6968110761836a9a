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

/* ---- A point: its measurement, tags, fields and time, in this order ---- */

static char before; /* separator in front of the next field: a blank, then commas */

static void put_tag(const char *name, const char *value)
{
	char *safe;

	if (!value || !*value)
		return;
	safe = memory_text(value);
	text_sanitize(safe);
	printf(",%s=", name);
	for (const char *c = safe; *c; c++) {
		if (*c == ' ' || *c == ',' || *c == '=')
			putchar('\\');
		putchar(*c == '\\' ? '/' : *c);
	}
	free(safe);
}

static void put_tag_number(const char *name, uint64_t value)
{
	printf(",%s=%" PRIu64, name, value);
}

static void put_number(const char *name, uint64_t value)
{
	printf("%c%s=%" PRIu64 "i", before, name, arith_min(value, INT64_MAX));
	before = ',';
}

static void close_point(uint64_t ns)
{
	printf(" %" PRIu64 "\n", arith_min(ns, INT64_MAX));
}

/* ---- Records ---- */

static void put_tags(enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->role != FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_STRING)
			put_tag(f->name, record_field_string(f, record));
		else
			put_tag_number(f->name, record_field_number(f, record).value);
	}
}

static void put_causes(const struct cause_sum sums[CAUSES])
{
	for (unsigned c = 0; c < CAUSES; c++) {
		const char *name = cause_name((enum cause)c);

		if (!sums[c].gaps)
			continue;
		printf("%cgaps_%s=%" PRIu64 "i,ns_%s=%" PRIu64 "i", before, name,
		       arith_min(sums[c].gaps, INT64_MAX), name, arith_min(sums[c].ns, INT64_MAX));
		before = ',';
	}
}

static void put_fields(enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		struct maybe m;

		if (f->role == FIELD_ROLE_NONE || f->role == FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_CAUSES) {
			put_causes((const void *)((const char *)record + f->offset));
			continue;
		}
		m = record_field_number(f, record);
		if (m.known)
			put_number(f->name, m.value);
	}
}

/*
 * ---- Runs ----
 *
 * Measurements noisefloor_info, _cpu, _gap, _hist and _end, and one for each kind whose records are
 * series, with integers below 2^63 and wall times in ns. Gaps have their own time, all else that of
 * the run's end. The same capture gives the same lines, so sending it twice stores it once. Absent
 * evidence is an absent field.
 */

/* The run being printed. */
struct line_run {
	const struct result *run;
	uint64_t began_ns, end_ns;  /* wall times */
	const enum verdict *judged; /* NULL: by no policy */
};

static void influx_start(const struct line_run *r, const char *measurement)
{
	printf("noisefloor_%s,run=%016" PRIx64, measurement, r->run->sid);
	before = ' ';
}

static void put_record(const struct line_run *r, enum record_type type, const void *record,
		       uint64_t ns)
{
	influx_start(r, record_type_name(type));
	put_tags(type, record);
	put_fields(type, record);
	close_point(ns);
}

static void put_info(const struct line_run *r)
{
	const struct record_begin *begin = &r->run->begin;

	influx_start(r, "info");
	put_tags(RECORD_BEGIN, begin);
	put_number("value", 1);
	put_fields(RECORD_BEGIN, begin);
	close_point(r->end_ns);
}

/* The next of 1, 2, 5, 10 ... us above a length: few series, whatever the lengths are. */
static uint64_t edge_above(uint64_t ns)
{
	uint64_t edge = 1000;

	for (unsigned step = 0; edge <= ns && edge < UINT64_MAX / 5; step++)
		edge = step % 3 == 1 ? edge / 2 * 5 : edge * 2;
	return edge > ns ? edge : UINT64_MAX;
}

/* The pairs from the n-th on that are below its edge; returns the first that is not. */
static size_t put_bucket(const struct line_run *r, const struct record_cpu *cpu, size_t n)
{
	const struct record_pairs *pairs = &cpu->histogram;
	uint64_t edge = edge_above(pairs->at[n][0]), count = 0;

	do
		count = arith_sum(count, pairs->at[n][1]);
	while (++n < pairs->count && pairs->at[n][0] < edge);
	influx_start(r, "hist");
	put_tag("stage", cpu->stage);
	put_tag_number("cpu", cpu->cpu);
	put_tag_number("below_ns", edge);
	put_number("count", count);
	close_point(r->end_ns);
	return n;
}

static void put_cpu(struct line_run *r, const struct record_cpu *cpu)
{
	put_record(r, RECORD_CPU, cpu, r->end_ns);
	for (size_t n = 0; n < cpu->histogram.count;)
		n = put_bucket(r, cpu, n);
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

/* A policy's verdict stands in place of the run's own, which is then beside it. */
static void put_end(const struct line_run *r)
{
	const struct result *run = r->run;
	const char *own = run->has_end ? run->end.verdict : "incomplete";
	struct record_end end = run->end;

	end.verdict = r->judged ? verdict_name(*r->judged) : own;
	if (r->judged)
		end.remark = NULL;
	influx_start(r, "end");
	put_tags(RECORD_END, &end);
	put_tag("node_verdict", r->judged ? own : NULL);
	put_number("exit_code",
		   r->judged ? verdict_exit_code(*r->judged) : (uint64_t)result_exit_code(run));
	put_number("whole", result_is_whole(run));
	if (run->has_end)
		put_fields(RECORD_END, &end);
	close_point(r->end_ns);
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
	struct line_run r = { .run = run, .judged = o->judged };
	const struct record_cpu *cpu;

	r.began_ns = began(o, c, run, length);
	r.end_ns = length > INT64_MAX ? INT64_MAX : r.began_ns + length;
	if (run->has_begin)
		put_info(&r);
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		put_cpu(&r, cpu);
	for (size_t i = 0; i < run->stages; i++) {
		const struct result_stage *stage = &run->stage[i];

		for (size_t n = 0; n < stage->gaps; n++)
			put_gap(&r, stage->name, &stage->gap[n]);
		put_kinds(&r, stage);
	}
	put_end(&r);
}

const struct show_form show_form_influx = {
	.keep = RESULT_ALL,
	.run = put_run,
	.wants_began = true,
};
