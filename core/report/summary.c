/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in one record. */
#include "summary.h"

#include "core/lib/mem.h"
#include "core/lib/units.h"
#include "core/records/record_field.h"

/* ---- Made of other records ---- */

void summary_begin(struct report_summary *s, const struct record_begin *begin,
		   const struct config *config)
{
	struct text t;

	memset(s, 0, sizeof(*s));
	text_init(&t, s->limits, sizeof(s->limits));
	config_print_limits(config, &t);
	s->record = (struct record_summary){
		.version = begin->version,
		.arch = begin->arch,
		.began = begin->began,
		.machine = begin->machine,
		.cpu = begin->cpu.brand,
		.microcode = begin->cpu.microcode,
		.hypervisor = begin->hypervisor,
		.os = begin->os,
		.found = begin->cpus.found,
		.measured = begin->cpus.measured,
		.limits = t.len ? s->limits : NULL,
		.threshold_ns = config->threshold_ns,
	};
	record_total_start(RECORD_CPU, &s->all);
	s->no_smi = record_no_smi(begin);
}

void summary_stage(struct report_summary *s, const char *stage)
{
	size_t used = strlen(s->stages);
	struct text t;

	text_init(&t, s->stages + used, sizeof(s->stages) - used);
	text_add(&t, "%s%s", used ? "," : "", stage);
	s->record.stages = s->stages;
	if (s->totals == STAGES)
		return;
	s->total[s->totals] = (struct record_cpu){ .stage = stage };
	record_total_start(RECORD_CPU, &s->total[s->totals++]);
}

static void add_longest(struct record_summary *r, const struct record_cpu *record,
			const struct cpu *cpu)
{
	if (record->max_ns <= r->longest_ns.value)
		return;
	r->longest_ns = (struct maybe){ record->max_ns, true };
	r->longest_cpu = (struct maybe){ record->cpu, true };
	r->longest_stage = record->stage;
	r->longest_cause = cpu->worst.ticks == cpu->stage.max
				   ? cause_name((enum cause)cpu->worst.cause)
				   : NULL;
}

void summary_cpu(struct report_summary *s, const struct record_cpu *record, const struct cpu *cpu)
{
	struct record_summary *r = &s->record;

	record_total_add(RECORD_CPU, &s->all, record);
	if (s->totals)
		record_total_add(RECORD_CPU, &s->total[s->totals - 1], record);
	r->exposure_ns = (struct maybe){ s->all.exposure_ns, true };
	r->gaps = (struct maybe){ s->all.gaps, true };
	r->noise_ns = (struct maybe){ s->all.noise_ns, true };
#define COUNTED(id, name, ...) r->name = s->all.name;
#include "core/cause/counted_rows.h"
	memcpy(r->cause, s->all.cause, sizeof(r->cause));
	add_longest(r, record, cpu);
}

void summary_end(struct report_summary *s, const struct record_end *end)
{
	s->record.verdict = end->verdict;
	s->record.remark = end->remark;
	s->record.sampled_ns = end->sampled_ns;
}

/* ---- For people ---- */

static void print_limits(struct lines *p, const struct record_summary *s)
{
	if (s->limits)
		text_add(&p->out, "limits: %s", s->limits);
	else
		text_add(&p->out, "no limits were set: the verdict is none");
	lines_end(p);
}

static void print_sampled(struct lines *p, const struct record_summary *s)
{
	if (!s->sampled_ns.known)
		return;
	text_add(&p->out, "sampled: ");
	text_duration(&p->out, s->sampled_ns.value);
	text_add(&p->out, " in each stage, %u of %u cores, stages %s, gaps from ",
		 (unsigned)s->measured, (unsigned)s->found, s->stages);
	units_print_ns(&p->out, s->threshold_ns);
	text_add(&p->out, " on");
	lines_end(p);
}

static void print_run(struct lines *p, const struct record_summary *s, uint64_t sid)
{
	if (s->hypervisor && *s->hypervisor) {
		text_add(&p->out, "hypervisor: %s", s->hypervisor);
		lines_end(p);
	}
	text_add(&p->out, "run %016llx of %s", (unsigned long long)sid,
		 s->began ? s->began : "an unknown time: the clock was not set");
	lines_end(p);
}

static void print_longest(struct lines *p, const struct record_summary *s)
{
	if (!s->longest_ns.known)
		return;
	text_add(&p->out, "longest gap: ");
	text_duration(&p->out, s->longest_ns.value);
	if (s->longest_cause)
		text_add(&p->out, ", %s", s->longest_cause);
	text_add(&p->out, ", cpu %u, stage %s", (unsigned)s->longest_cpu.value, s->longest_stage);
	lines_end(p);
}

static void print_cause(struct lines *p, const struct record_summary *s, enum cause c)
{
	if (!s->cause[c].gaps && !s->cause[c].ns)
		return;
	text_add(&p->out, "%s: %llu gap%s, ", cause_name(c), (unsigned long long)s->cause[c].gaps,
		 s->cause[c].gaps == 1 ? "" : "s");
	text_duration(&p->out, s->cause[c].ns);
	text_add(&p->out, " in all");
	lines_end(p);
}

void summary_print(const struct record_summary *s, uint64_t sid, lines_put *line, void *ctx)
{
	struct lines p;

	lines_init(&p, line, ctx);
	print_limits(&p, s);
	print_sampled(&p, s);
	print_run(&p, s, sid);
	print_longest(&p, s);
	for (unsigned c = 0; c < CAUSES; c++)
		print_cause(&p, s, (enum cause)c);
}

static void print_stage(struct lines *p, const struct record_cpu *total, bool no_smi)
{
	struct text *t = &p->out;
	TEXT_DEFINE(max, 24);
	TEXT_DEFINE(smi, 24);

	text_duration(&max, total->max_ns);
	text_maybe(&smi, total->smi);
	if (!total->exposure_ns)
		text_add(t, "%-9s n/a", total->stage);
	else
		text_add(t, "%-9s longest %8s  %10llu gaps", total->stage, max.buf,
			 (unsigned long long)total->gaps);
	if (total->exposure_ns && !no_smi)
		text_add(t, "  %8s SMI", smi.buf);
	lines_end(p);
}

void summary_print_stages(const struct report_summary *s, lines_put *line, void *ctx)
{
	struct lines p;

	lines_init(&p, line, ctx);
	for (unsigned i = 0; s->totals > 1 && i < s->totals; i++)
		print_stage(&p, &s->total[i], s->no_smi);
}

/* ---- Sentences of it ---- */

void summary_print_platform(struct text *out, const struct record_begin *begin)
{
	const char *hypervisor = begin->hypervisor;

	if (begin->os)
		text_add(out,
			 "Measured from inside %s, interrupts on: gaps come from the OS and below.",
			 begin->os);
	else if (hypervisor && *hypervisor)
		text_add(out,
			 "A hypervisor (%s) is underneath: gaps of unknown cause are likely the "
			 "host's.",
			 hypervisor);
	else
		text_add(out,
			 "No hypervisor announces itself: gaps come from hardware or firmware.");
}

void summary_print_watched(struct text *out, const struct record_end *end)
{
	text_add(out, "watched ");
	if (end->watched_ppm.known)
		text_fixed(out, end->watched_ppm.value, 4, 0);
	else
		text_add(out, "n/a");
	text_add(out, " %% of the time, first to last window");
}

void summary_print_verdict(struct text *out, const struct record_end *end)
{
	const char *before = " (";
	size_t i;

	text_add(out, "verdict: %s", end->verdict);
	for (i = 0; i < RECORD_STRINGS && end->reasons[i]; i++) {
		text_add(out, "%s%s", before, end->reasons[i]);
		before = "; ";
	}
	if (i)
		text_char(out, ')');
	if (end->remark)
		text_add(out, ", but %s", end->remark);
}
