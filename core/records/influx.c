/* SPDX-License-Identifier: BSD-2-Clause */
/* Points, put together tag by tag and field by field. */
#include "influx.h"

#include "core/lib/arith.h"

#define ABOVE_ASCII 0x7f

/* A point under construction. */
struct point {
	struct text *out;
	char before; /* stands before the next field: a blank, then commas */
};

/* Tags */

static void put_tag(struct point *p, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	text_add(p->out, ",%s=", name);
	for (; *value; value++) {
		uint8_t c = (uint8_t)*value;

		if (c == ' ' || c == ',' || c == '=')
			text_char(p->out, '\\');
		text_char(p->out, (char)(c < ' ' || c == ABOVE_ASCII ? '?' : c == '\\' ? '/' : c));
	}
}

static void put_tag_number(struct point *p, const char *name, uint64_t value)
{
	text_add(p->out, ",%s=%llu", name, (unsigned long long)value);
}

static struct point start(struct text *out, const char *measurement, uint64_t run,
			  const char *stage)
{
	struct point p = { out, ' ' };

	text_add(out, "noisefloor_%s,run=%016llx", measurement, (unsigned long long)run);
	put_tag(&p, "stage", stage);
	return p;
}

/* Fields */

static uint64_t at_most_i64(uint64_t value)
{
	return value < INT64_MAX ? value : INT64_MAX;
}

static void put_u64(struct point *p, const char *name, uint64_t value)
{
	text_add(p->out, "%c%s=%llui", p->before, name, (unsigned long long)at_most_i64(value));
	p->before = ',';
}

static void put_i64(struct point *p, const char *name, int64_t value)
{
	text_add(p->out, "%c%s=%lldi", p->before, name, (long long)value);
	p->before = ',';
}

static void put_maybe(struct point *p, const char *name, struct maybe m)
{
	if (m.known)
		put_u64(p, name, m.value);
}

static void put_causes(struct point *p, const struct cause_sum sums[CAUSES])
{
	for (unsigned c = 0; c < CAUSES; c++) {
		const char *name = cause_name((enum cause)c);

		if (!sums[c].gaps)
			continue;
		text_add(p->out, "%cgaps_%s=%llui,ns_%s=%llui", p->before, name,
			 (unsigned long long)at_most_i64(sums[c].gaps), name,
			 (unsigned long long)at_most_i64(sums[c].ns));
		p->before = ',';
	}
}

static void finish(struct point *p, uint64_t ns)
{
	if (ns != INFLUX_NO_TIME)
		text_add(p->out, " %llu", (unsigned long long)at_most_i64(ns));
	text_char(p->out, '\n');
}

/* Records */

void influx_info(struct text *out, uint64_t run, const struct record_begin *b, uint64_t ns)
{
	struct point p = start(out, "info", run, NULL);

	put_tag(&p, "version", b->version);
	put_tag(&p, "uuid", b->machine.uuid);
	put_tag(&p, "vendor", b->machine.vendor);
	put_tag(&p, "product", b->machine.product);
	put_tag(&p, "bios_version", b->machine.bios_version);
	put_tag(&p, "bios_date", b->machine.bios_date);
	put_tag(&p, "cpu", b->cpu.brand);
	put_tag(&p, "hypervisor", b->hypervisor);
	put_u64(&p, "value", 1);
	put_u64(&p, "cpus_measured", b->cpus.measured);
	put_u64(&p, "hz", b->clock.hz);
	put_maybe(&p, "microcode", b->cpu.microcode);
	finish(&p, ns);
}

void influx_cpu(struct text *out, uint64_t run, const struct record_cpu *cpu, uint64_t ns)
{
	struct point p = start(out, "cpu", run, cpu->stage);

	put_tag_number(&p, "cpu", cpu->cpu);
	put_u64(&p, "exposure_ns", cpu->exposure_ns);
	put_u64(&p, "noise_ns", cpu->noise_ns);
	put_u64(&p, "max_ns", cpu->max_ns);
	put_u64(&p, "gaps", cpu->gaps);
	put_u64(&p, "dropped", cpu->dropped);
	put_maybe(&p, "smi", cpu->smi);
	put_maybe(&p, "nmi", cpu->nmi);
	put_maybe(&p, "mce", cpu->mce);
	put_causes(&p, cpu->cause);
	finish(&p, ns);
}

size_t influx_bucket(struct text *out, uint64_t run, const struct record_cpu *cpu, size_t n,
		     uint64_t ns)
{
	const struct record_pairs *pairs = &cpu->histogram;
	uint64_t low = pairs->at[n][0], count = 0;
	struct point p = start(out, "hist", run, cpu->stage);

	/* Buckets of single ticks may be finer than a ns. */
	for (; n < pairs->count && pairs->at[n][0] == low; n++)
		count = arith_sum(count, pairs->at[n][1]);
	put_tag_number(&p, "cpu", cpu->cpu);
	put_tag_number(&p, "low_ns", low);
	put_u64(&p, "count", count);
	finish(&p, ns);
	return n;
}

void influx_gap(struct text *out, uint64_t run, const struct record_gap *gap, uint64_t ns)
{
	struct point p = start(out, "gap", run, gap->stage);

	put_tag_number(&p, "cpu", gap->cpu);
	put_tag(&p, "cause", gap->cause);
	put_u64(&p, "len_ns", gap->len_ns);
	finish(&p, ns);
}

void influx_window(struct text *out, uint64_t run, const struct record_window *w, uint64_t ns)
{
	struct point p = start(out, "window", run, w->stage);

	put_u64(&p, "windows", w->windows);
	put_u64(&p, "len_ns", w->len_ns);
	put_u64(&p, "gaps", w->gaps);
	put_u64(&p, "noise_ns", w->noise_ns);
	put_u64(&p, "max_ns", w->max_ns);
	put_maybe(&p, "smi", w->smi);
	put_maybe(&p, "nmi", w->nmi);
	put_maybe(&p, "smi_out", w->smi_out);
	put_maybe(&p, "nmi_out", w->nmi_out);
	finish(&p, ns);
}

void influx_event(struct text *out, uint64_t run, const struct record_event *e, uint64_t ns)
{
	struct point p = start(out, "event", run, e->stage);

	put_tag(&p, "cause", e->cause);
	put_tag(&p, "scope", e->scope);
	put_u64(&p, "len_ns", e->len_ns);
	put_u64(&p, "gaps", e->gaps);
	put_u64(&p, "cpus", e->cpus);
	put_u64(&p, "first", e->first);
	put_u64(&p, "last", e->last);
	put_u64(&p, "skew_ns", e->skew_ns);
	put_u64(&p, "end_skew_ns", e->end_skew_ns);
	finish(&p, ns);
}

void influx_pause(struct text *out, uint64_t run, const struct record_pause *pause, uint64_t ns)
{
	struct point p = start(out, "pause", run, pause->stage);

	put_tag(&p, "clock", pause->clock);
	put_u64(&p, "least_ns", pause->least_ns);
	put_u64(&p, "most_ns", pause->most_ns);
	put_u64(&p, "pauses", pause->pauses);
	put_u64(&p, "worst_ns", pause->worst_ns);
	put_u64(&p, "forward", pause->forward);
	finish(&p, ns);
}

void influx_source(struct text *out, uint64_t run, const struct record_source *s, unsigned n,
		   uint64_t ns)
{
	struct point p = start(out, "source", run, s->stage);

	put_tag_number(&p, "source", n);
	put_tag(&p, "cause", s->cause);
	put_tag(&p, "origin", s->origin);
	put_u64(&p, "period_ns", s->period_ns);
	put_u64(&p, "jitter_ns", s->jitter_ns);
	put_u64(&p, "fill_ppm", s->fill_ppm);
	put_u64(&p, "events", s->events);
	put_i64(&p, "chance_milli", s->chance_milli);
	finish(&p, ns);
}

void influx_end(struct text *out, uint64_t run, const struct influx_end *end, uint64_t ns)
{
	struct point p = start(out, "end", run, NULL);

	put_tag(&p, "verdict", end->verdict);
	put_u64(&p, "exit_code", end->exit_code);
	put_maybe(&p, "whole", end->whole);
	put_maybe(&p, "gaps_unsent", end->gaps_unsent);
	put_maybe(&p, "watched_ppm", end->watched_ppm);
	finish(&p, ns);
}
