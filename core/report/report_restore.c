/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, taken in record by record. */
#include "report_restore.h"

#include "core/lib/arith.h"
#include "core/lib/mem.h"

#define NS_HZ UINT64_C(1000000000)

static void ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

/* A key of another version is none of this page's business. */
static void take_config(struct config *c, const char *text)
{
	static const struct config_source source = { "the saved run", false };

	config_defaults(c);
	if (text)
		config_apply(c, &source, text, strlen(text), ignore, NULL);
}

static void take_begin(struct report_restored *out, const struct record_begin *begin)
{
	out->begin = *begin;
	take_config(&out->config, begin->config);
	out->report.ladder.no_smi = record_no_smi(begin);
	summary_begin(&out->report.summary, begin, &out->config);
}

static void take_stage(struct report_restored *out, const struct record_stage *stage)
{
	out->report.stage = stage->stage;
	summary_stage(&out->report.summary, stage->stage);
	memset(out->platform.cpu, 0, out->cpus_max * sizeof(*out->platform.cpu));
	out->platform.cpus = 0;
}

/* A bucket's low edge may be a little below the shortest gap that was recorded. */
static void take_histogram(struct hist *hist, const struct record_pairs *pairs, uint64_t least)
{
	for (size_t i = 0; i < pairs->count; i++)
		hist->count[hist_bucket(arith_max(pairs->at[i][0], least))] += pairs->at[i][1];
}

/* The core of that number, which may be new; NULL: there is no room for it. */
static struct cpu *core(struct report_restored *out, uint32_t index)
{
	struct platform *p = &out->platform;
	uint32_t i = 0;

	while (i < p->cpus && p->cpu[i].index != index)
		i++;
	if (i == out->cpus_max)
		return NULL;
	if (i == p->cpus) {
		p->cpu[i].index = index;
		p->cpu[i].position = p->cpus++;
		p->cpu[i].measured = true;
	}
	return &p->cpu[i];
}

static void take_cpu(struct report_restored *out, const struct record_cpu *record)
{
	struct cpu *cpu = core(out, record->cpu);

	ladder_add(&out->report.ladder, record);
	summary_cpu(&out->report.summary, record);
	if (!cpu)
		return;
	cpu->smi.moved = record->smi.known;
	cpu->stage = (struct cpu_sums){ .length = record->exposure_ns,
					.gaps = record->gaps,
					.noise = record->noise_ns,
					.max = record->max_ns,
					.smi = record->smi.value };
	take_histogram(&cpu->hist, &record->histogram, out->config.threshold_ns);
}

/* The worst of all kernels and phases. */
static void take_stretch(struct report_restored *out, const struct record_stretch *record)
{
	struct cpu *cpu = core(out, record->cpu);
	uint64_t tail = arith_sum(1000000, record->p999);

	summary_stretch(&out->report.summary, record);
	if (cpu && (!cpu->tail.known || tail > cpu->tail.value))
		cpu->tail = (struct maybe){ tail, true };
}

static void take_end(struct report_restored *out, const struct record_end *end)
{
	struct verdict_reasons *r = &out->reasons;
	struct text remark;

	text_init(&remark, r->remark, sizeof(r->remark));
	r->verdict = verdict_of(end->verdict);
	for (unsigned i = 0; i < RECORD_STRINGS && end->reasons[i]; i++)
		verdict_reason(r, "%s", end->reasons[i]);
	if (end->remark)
		text_add(&remark, "%s", end->remark);
}

static void take(struct report_restored *out, enum record_type type, const union record *record)
{
	switch (type) {
	case RECORD_BEGIN:
		take_begin(out, &record->begin);
		break;
	case RECORD_STAGE:
		take_stage(out, &record->stage);
		break;
	case RECORD_WINDOW:
		if (record->window.stage)
			ladder_add_window(&out->report.ladder, &record->window);
		break;
	case RECORD_CPU:
		if (record->cpu.stage)
			take_cpu(out, &record->cpu);
		break;
	case RECORD_STRETCH:
		take_stretch(out, &record->stretch);
		break;
	case RECORD_SUMMARY:
		out->report.summary.record = record->summary;
		break;
	case RECORD_END:
		take_end(out, &record->end);
		break;
	default:
		break;
	}
}

bool report_restore(struct compact_reader *from, struct cpu *cpu, uint32_t cpus_max,
		    struct report_restored *out)
{
	enum record_type type;
	union record record;
	bool begun = false;

	memset(out, 0, sizeof(*out));
	out->platform.cpu = cpu;
	out->platform.hz = NS_HZ;
	out->cpus_max = cpus_max;
	out->report.config = &out->config;
	out->report.platform = &out->platform;
	out->reasons.verdict = VERDICT_INCOMPLETE;
	out->sid = from->head.sid;
	from->at = COMPACT_HEAD;
	from->bad = false;
	while (compact_next(from, &type, &record) == COMPACT_OK) {
		begun = begun || type == RECORD_BEGIN;
		if (begun)
			take(out, type, &record);
	}
	return begun;
}
