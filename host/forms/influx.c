/* SPDX-License-Identifier: BSD-2-Clause */
/* Points, built tag by tag and field by field. */
#include "influx.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/records/record_field.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- A point ---- */

struct influx_point influx_open(FILE *to, const char *measurement)
{
	fprintf(to, "noisefloor_%s", measurement);
	return (struct influx_point){ to, ' ' };
}

void influx_tag(struct influx_point *p, const char *name, const char *value)
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

void influx_tag_number(struct influx_point *p, const char *name, uint64_t value)
{
	fprintf(p->to, ",%s=%" PRIu64, name, value);
}

void influx_field_text(struct influx_point *p, const char *name, const char *number)
{
	fprintf(p->to, "%c%s=%s", p->before, name, number);
	p->before = ',';
}

void influx_field(struct influx_point *p, const char *name, struct maybe m)
{
	if (!m.known)
		return;
	fprintf(p->to, "%c%s=%" PRIu64 "i", p->before, name, arith_min(m.value, INT64_MAX));
	p->before = ',';
}

void influx_close(struct influx_point *p, uint64_t ns)
{
	fprintf(p->to, " %" PRIu64 "\n", arith_min(ns, INT64_MAX));
}

/* ---- Records ---- */

static struct influx_point start(FILE *to, const char *measurement, uint64_t run)
{
	struct influx_point p = influx_open(to, measurement);

	fprintf(to, ",run=%016" PRIx64, run);
	return p;
}

static void put_tags(struct influx_point *p, enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->role != FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_STRING)
			influx_tag(p, record_field_series(f), record_field_string(f, record));
		else
			influx_tag_number(p, record_field_series(f),
					  record_field_number(f, record).value);
	}
}

static void put_causes(struct influx_point *p, const struct cause_sum sums[CAUSES])
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

static void put_fields(struct influx_point *p, enum record_type type, const void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->role == FIELD_ROLE_NONE || f->role == FIELD_ROLE_TAG)
			continue;
		if (f->kind == FIELD_CAUSES)
			put_causes(p, (const void *)((const char *)record + f->offset));
		else
			influx_field(p, record_field_series(f), record_field_number(f, record));
	}
}

void influx_record(FILE *to, uint64_t run, enum record_type type, const void *record, uint64_t ns)
{
	struct influx_point p = start(to, record_type_name(type), run);

	put_tags(&p, type, record);
	put_fields(&p, type, record);
	influx_close(&p, ns);
}

void influx_info(FILE *to, uint64_t run, const struct record_begin *begin, uint64_t ns)
{
	struct influx_point p = start(to, "info", run);

	put_tags(&p, RECORD_BEGIN, begin);
	influx_field(&p, "value", (struct maybe){ 1, true });
	put_fields(&p, RECORD_BEGIN, begin);
	influx_close(&p, ns);
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
	struct influx_point p = start(to, "hist", run);

	do
		count = arith_sum(count, pairs->at[n][1]);
	while (++n < pairs->count && pairs->at[n][0] < edge);
	influx_tag(&p, "stage", cpu->stage);
	influx_tag_number(&p, "cpu", cpu->cpu);
	influx_tag_number(&p, "below_ns", edge);
	influx_field(&p, "count", (struct maybe){ count, true });
	influx_close(&p, ns);
	return n;
}

void influx_end(FILE *to, uint64_t run, const struct influx_end *end, uint64_t ns)
{
	struct influx_point p = start(to, "end", run);

	if (end->record)
		put_tags(&p, RECORD_END, end->record);
	else
		influx_tag(&p, "verdict", "incomplete");
	influx_field(&p, "exit_code", (struct maybe){ end->exit_code, true });
	influx_field(&p, "whole", (struct maybe){ end->whole, true });
	if (end->record)
		put_fields(&p, RECORD_END, end->record);
	influx_close(&p, ns);
}
