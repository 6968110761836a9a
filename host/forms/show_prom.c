/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs in Prometheus' text format: a family is gathered from all runs, then written. */
#include "show_series.h"

#include "host/lib/exit.h"
#include "host/capture/quantile.h"
#include "host/capture/run.h"
#include "host/lib/list.h"
#include "host/lib/memory.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Who a sample is of. `cpu` NULL: the whole run. */
struct subject {
	const struct run *run;
	const struct record_cpu *cpu;
};

/* A label's value: its text, escaped as the format wants it. */
static void put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, ",%s=\"", name);
	for (const unsigned char *at = (const unsigned char *)(value ? value : ""); *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', f);
		fputc(*at < 0x20 || *at == 0x7f ? '?' : *at, f);
	}
	fputc('"', f);
}

/* "name{run="...",stage="...",cpu="3"", without what closes it. */
static void start_sample(FILE *f, const char *name, const struct subject *s)
{
	fprintf(f, "%s{run=\"%016" PRIx64 "\"", name, s->run->sid);
	if (!s->cpu)
		return;
	put_label(f, "stage", s->cpu->stage ? s->cpu->stage : "n/a");
	fprintf(f, ",cpu=\"%" PRIu32 "\"", s->cpu->cpu);
}

static void put_count(FILE *f, const char *name, const struct subject *s, uint64_t value)
{
	start_sample(f, name, s);
	fprintf(f, "} %" PRIu64 "\n", value);
}

static void put_seconds(FILE *f, const char *name, const struct subject *s, uint64_t ns)
{
	start_sample(f, name, s);
	fprintf(f, "} %.9f\n", (double)ns / NS_PER_S);
}

static void put_maybe(FILE *f, const char *name, const struct subject *s, struct maybe m)
{
	if (m.known)
		put_count(f, name, s, m.value);
}

/* ---- Families of runs ---- */

static void info(FILE *f, const char *name, const struct subject *s)
{
	const struct record_begin *b = &s->run->begin;

	if (!s->run->has_begin)
		return;
	start_sample(f, name, s);
	put_label(f, "version", b->version);
	put_label(f, "vendor", b->machine.vendor);
	put_label(f, "product", b->machine.product);
	put_label(f, "bios_version", b->machine.bios_version);
	put_label(f, "bios_date", b->machine.bios_date);
	put_label(f, "uuid", b->machine.uuid);
	put_label(f, "brand", b->cpu.brand);
	put_label(f, "hypervisor", b->hypervisor);
	fputs("} 1\n", f);
}

static void verdict(FILE *f, const char *name, const struct subject *s)
{
	start_sample(f, name, s);
	put_label(f, "verdict", s->run->has_end ? s->run->end.verdict : "incomplete");
	fprintf(f, "} %d\n", run_exit_code(s->run));
}

static void complete(FILE *f, const char *name, const struct subject *s)
{
	put_count(f, name, s, run_is_whole(s->run));
}

static void watched(FILE *f, const char *name, const struct subject *s)
{
	if (!s->run->has_end || !s->run->end.watched_ppm.known)
		return;
	start_sample(f, name, s);
	fprintf(f, "} %.6f\n", (double)s->run->end.watched_ppm.value / 1e6);
}

/* ---- Families of cores ---- */

static void exposure(FILE *f, const char *name, const struct subject *s)
{
	put_seconds(f, name, s, s->cpu->exposure_ns);
}

static void noise(FILE *f, const char *name, const struct subject *s)
{
	put_seconds(f, name, s, s->cpu->noise_ns);
}

static void longest(FILE *f, const char *name, const struct subject *s)
{
	put_seconds(f, name, s, s->cpu->max_ns);
}

static void gaps(FILE *f, const char *name, const struct subject *s)
{
	put_count(f, name, s, s->cpu->gaps);
}

static void smis(FILE *f, const char *name, const struct subject *s)
{
	put_maybe(f, name, s, s->cpu->smi);
}

static void nmis(FILE *f, const char *name, const struct subject *s)
{
	put_maybe(f, name, s, s->cpu->nmi);
}

static void mces(FILE *f, const char *name, const struct subject *s)
{
	put_maybe(f, name, s, s->cpu->mce);
}

static void cause_gaps(FILE *f, const char *name, const struct subject *s)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		if (!s->cpu->cause[c].gaps)
			continue;
		start_sample(f, name, s);
		put_label(f, "cause", cause_name((enum cause)c));
		fprintf(f, "} %" PRIu64 "\n", s->cpu->cause[c].gaps);
	}
}

static void cause_seconds(FILE *f, const char *name, const struct subject *s)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		if (!s->cpu->cause[c].gaps)
			continue;
		start_sample(f, name, s);
		put_label(f, "cause", cause_name((enum cause)c));
		fprintf(f, "} %.9f\n", (double)s->cpu->cause[c].ns / NS_PER_S);
	}
}

/* Upper edges of buckets; counts are those of lengths whose own bucket begins below. */
static const uint64_t edges_ns[] = {
	1000,     2000,      5000,      10000,     20000,      50000,    100000,
	200000,   500000,    1000000,   2000000,   5000000,    10000000, 20000000,
	50000000, 100000000, 200000000, 500000000, 1000000000,
};

static void lengths(FILE *f, const char *name, const struct subject *s)
{
	const struct record_pairs *h = &s->cpu->histogram;

	for (size_t i = 0; i < sizeof(edges_ns) / sizeof(edges_ns[0]); i++) {
		fputs(name, f);
		start_sample(f, "_bucket", s);
		fprintf(f, ",le=\"%g\"} %" PRIu64 "\n", (double)edges_ns[i] / NS_PER_S,
			quantile_below(h, edges_ns[i]));
	}
	fputs(name, f);
	start_sample(f, "_bucket", s);
	fprintf(f, ",le=\"+Inf\"} %" PRIu64 "\n", quantile_count(h));
	fputs(name, f);
	put_seconds(f, "_sum", s, s->cpu->noise_ns);
	fputs(name, f);
	put_count(f, "_count", s, quantile_count(h));
}

static struct family {
	const char *name, *type, *help;
	void (*put)(FILE *f, const char *name, const struct subject *s);
	bool of_cpus;
	FILE *to;
	char *text;
	size_t bytes;
} families[] = {
	{ "noisefloor_info", "gauge", "The machine of a run.", info, .of_cpus = false },
	{ "noisefloor_verdict", "gauge", "0 pass or none, 1 fail, 2 error, 3 incomplete.", verdict,
	  .of_cpus = false },
	{ "noisefloor_complete", "gauge", "1 where all records of the run are there.", complete,
	  .of_cpus = false },
	{ "noisefloor_watched_ratio", "gauge", "Share of the time that was sampled.", watched,
	  .of_cpus = false },
	{ "noisefloor_exposure_seconds", "gauge", "Time the core sampled.", exposure,
	  .of_cpus = true },
	{ "noisefloor_noise_seconds", "gauge", "Sum of all gaps.", noise, .of_cpus = true },
	{ "noisefloor_max_gap_seconds", "gauge", "The longest gap.", longest, .of_cpus = true },
	{ "noisefloor_gaps", "gauge", "Number of gaps.", gaps, .of_cpus = true },
	{ "noisefloor_smis", "gauge", "System management interrupts.", smis, .of_cpus = true },
	{ "noisefloor_nmis", "gauge", "Non-maskable interrupts.", nmis, .of_cpus = true },
	{ "noisefloor_mces", "gauge", "Machine checks.", mces, .of_cpus = true },
	{ "noisefloor_cause_gaps", "gauge", "Number of gaps by cause.", cause_gaps,
	  .of_cpus = true },
	{ "noisefloor_cause_seconds", "gauge", "Sum of gaps by cause.", cause_seconds,
	  .of_cpus = true },
	{ "noisefloor_gap_length_seconds", "histogram", "Lengths of gaps, edges within 1.6 %.",
	  lengths, .of_cpus = true },
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Runs told so far. */
static uint64_t *told;
static size_t tolds;

void show_prom_start(void)
{
	tolds = 0;
	for (size_t i = 0; i < FAMILIES; i++) {
		families[i].to = memory_need(open_memstream(&families[i].text, &families[i].bytes));
	}
}

/* A series that comes twice spoils the whole file. */
static bool is_first(uint64_t sid)
{
	for (size_t i = 0; i < tolds; i++) {
		if (told[i] == sid)
			return false;
	}
	told = list_grow(told, tolds, sizeof(*told));
	told[tolds++] = sid;
	return true;
}

static void put_cpu(struct subject *subject, const struct record_cpu *cpu)
{
	subject->cpu = cpu;
	for (size_t n = 0; n < FAMILIES; n++) {
		if (families[n].of_cpus)
			families[n].put(families[n].to, families[n].name, subject);
	}
}

static void put_run(const struct run *run)
{
	struct subject subject = { .run = run };
	const struct record_cpu *cpu;

	for (size_t n = 0; n < FAMILIES; n++) {
		if (!families[n].of_cpus)
			families[n].put(families[n].to, families[n].name, &subject);
	}
	for (size_t n = 0; (cpu = run_cpu(run, n)); n++)
		put_cpu(&subject, cpu);
}

bool show_prom_capture(const struct show_options *o, const struct capture *c)
{
	(void)o;
	for (size_t n = 0; n < c->runs; n++) {
		const struct run *run = c->run[n];

		if (is_first(run->sid))
			put_run(run);
		else
			fprintf(stderr,
				"%s: run %016" PRIx64 " was there already and is left out\n",
				c->name, run->sid);
	}
	return true;
}

void show_prom_finish(void)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		struct family *f = &families[i];

		if (fclose(f->to) != 0)
			memory_exhausted();
		if (f->bytes)
			printf("# HELP %s %s\n# TYPE %s %s\n%s", f->name, f->help, f->name, f->type,
			       f->text);
		free(f->text);
	}
	free(told);
	told = NULL;
}
