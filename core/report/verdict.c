/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges the measured cores by the limits. */
#include "verdict.h"

#include "core/config/config_keys.h"
#include "core/config/mode.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/ratio.h"

#include <stdarg.h>

static const struct {
	const char *name;
	unsigned exit_code;
} verdicts[] = {
	[VERDICT_NONE] = { "none", 0 },   [VERDICT_PASS] = { "pass", 0 },
	[VERDICT_FAIL] = { "fail", 1 },   [VERDICT_INCOMPLETE] = { "incomplete", 3 },
	[VERDICT_ERROR] = { "error", 2 },
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

enum verdict verdict_of(const char *name)
{
	for (unsigned v = 0; name && v < sizeof(verdicts) / sizeof(verdicts[0]); v++)
		if (strcmp(name, verdicts[v].name) == 0)
			return (enum verdict)v;
	return VERDICT_ERROR;
}

unsigned verdict_exit_code(enum verdict v)
{
	return verdicts[v].exit_code;
}

static void add_reason(struct verdict_reasons *r, const char *format, va_list args)
{
	struct text t;

	if (r->count == RECORD_STRINGS - 1)
		return;
	text_init(&t, r->text[r->count++], VERDICT_REASON_MAX);
	text_vadd(&t, format, args);
}

void verdict_reason(struct verdict_reasons *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_reason(r, format, args);
	va_end(args);
}

static void verdict_raise(struct verdict_reasons *r, enum verdict v)
{
	/* A fail is final, whatever else is unknown. */
	if (r->verdict != VERDICT_FAIL)
		r->verdict = v;
	if (r->verdict != VERDICT_PASS)
		r->remark[0] = '\0';
}

void verdict_cut_short(struct verdict_reasons *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_reason(r, format, args);
	va_end(args);
	verdict_raise(r, VERDICT_INCOMPLETE);
}

static void verdict_fail(struct verdict_reasons *r, const struct limit_row *row, uint64_t limit,
			 uint64_t value, uint32_t index)
{
	TEXT_DEFINE(seen, 40);
	TEXT_DEFINE(allowed, 40);

	row->unit->print_rounded(&seen, value);
	row->unit->print_rounded(&allowed, limit);
	/* The difference is less than the printed digits show. */
	if (strcmp(seen.buf, allowed.buf) == 0) {
		text_reset(&seen);
		text_reset(&allowed);
		row->unit->print(&seen, value);
		row->unit->print(&allowed, limit);
	}
	verdict_reason(r, "%s: %s %s on cpu %u exceeds the limit of %s", row->name, row->what,
		       seen.buf, (unsigned)index, allowed.buf);
	r->verdict = VERDICT_FAIL;
}

void verdict_worst_add(struct verdict_worst *worst, struct maybe value, uint32_t cpu)
{
	worst->unknown |= !value.known;
	if (!value.known || value.value <= worst->value)
		return;
	worst->value = value.value;
	worst->cpu = cpu;
}

void verdict_worst_add_core(struct verdict_worst worst[LIMITS], const struct verdict_core *core)
{
	for (unsigned l = 0; l < LIMITS; l++)
		verdict_worst_add(&worst[l], core->value[l], core->index);
}

/* A core over the limit fails the run, even if others are unknown. */
static void verdict_judge_limit(struct verdict_reasons *r, const struct config *c, enum limit limit,
				const struct verdict_worst *worst)
{
	const struct limit_row *row = limit_row(limit);

	if (limit_exceeded(c, limit, (struct maybe){ worst->value, true }))
		verdict_fail(r, row, c->limit[limit].value, worst->value, worst->cpu);
	else if (worst->unknown)
		verdict_cut_short(r, "%s cannot be judged: no such counter was seen to count",
				  row->name);
}

void verdict_judge_worst(struct verdict_reasons *r, const struct config *c,
			 const struct verdict_worst worst[LIMITS])
{
	/* Each exceeded limit needs room for its own reason, however many others there are. */
	if (r->count > RECORD_STRINGS - 1 - LIMITS)
		r->count = RECORD_STRINGS - 1 - LIMITS;
	for (unsigned l = 0; l < LIMITS; l++) {
		if (!c->limit[l].set)
			continue;
		verdict_raise(r, r->verdict == VERDICT_NONE ? VERDICT_PASS : r->verdict);
		verdict_judge_limit(r, c, (enum limit)l, &worst[l]);
	}
}

void verdict_judge_core(struct verdict_reasons *r, const struct config *c,
			const struct verdict_core *core)
{
	struct verdict_worst worst[LIMITS] = { 0 };

	*r = (struct verdict_reasons){ .verdict = VERDICT_NONE };
	verdict_worst_add_core(worst, core);
	verdict_judge_worst(r, c, worst);
}

struct maybe verdict_noise_ppm(uint64_t noise, uint64_t exposure)
{
	if (!exposure)
		return (struct maybe){ 0, false };
	return (struct maybe){ ratio_share(noise, exposure, RATIO_PPM, true), true };
}

/* Noise is not computed for an exposure that no real run has. */
#define EXPOSURE_MAX (UINT64_MAX / 10)

static struct maybe noise_of_record(const struct record_cpu *cpu)
{
	return verdict_noise_ppm(cpu->noise_ns,
				 cpu->exposure_ns <= EXPOSURE_MAX ? cpu->exposure_ns : 0);
}

/* The values in the columns `record` and `core` of limit_rows.h. */
#define IF(is_known, number)         \
	{                            \
		(number), (is_known) \
	}
#define KNOWN(number) IF(true, number)
#define NOT_THERE     IF(false, 0)

void verdict_core_of(const struct record_cpu *cpu, struct verdict_core *core)
{
	*core = (struct verdict_core){
		.index = cpu->cpu,
		.value = {
#define LIMIT(id, name, where, accepted, help, what, unit, of, record, ...) [LIMIT_##id] = record,
#include "core/config/limit_rows.h"
		},
	};
}

void verdict_core_of_cpu(const struct cpu *cpu, uint64_t hz, struct verdict_core *core)
{
	*core = (struct verdict_core){
		.index = cpu->index,
		.value = {
#define LIMIT(id, name, where, accepted, help, what, unit, of, record, core, ...) \
	[LIMIT_##id] = core,
#include "core/config/limit_rows.h"
		},
	};
}

/* Limits must hold for all requested cores; if one is missing, that is unknown. */
static void judge_missing(struct verdict_reasons *r, const struct platform *p)
{
	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].wanted || p->cpu[i].measured)
			continue;
		verdict_cut_short(r, "cpu %u was not measured", (unsigned)p->cpu[i].index);
	}
}

void verdict_judge(struct verdict_reasons *r, const struct config *c, const struct platform *p)
{
	struct verdict_worst worst[LIMITS] = { 0 };
	struct verdict_core core;

	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured)
			continue;
		verdict_core_of_cpu(&p->cpu[i], p->hz, &core);
		verdict_worst_add_core(worst, &core);
	}
	verdict_judge_worst(r, c, worst);
	if (limit_any(c, LIMIT_OF_ALL))
		judge_missing(r, p);
}

void verdict_clock_faults_add(struct verdict_clock_faults *f, const struct record_pause *pause)
{
	uint64_t *worst = pause->forward ? &f->ahead_ns : &f->hidden_ns;
	uint64_t ns = pause->pauses > 1 ? pause->worst_ns : pause->least_ns;

	if (ns > *worst)
		*worst = ns;
}

static void distrust(struct verdict_reasons *r, const char *what, uint64_t ns)
{
	TEXT_DEFINE(size, 40);

	text_duration(&size, ns);
	verdict_reason(r, "%s at least %s: the TSC cannot be trusted", what, size.buf);
}

void verdict_clock(struct verdict_reasons *r, const struct config *c,
		   const struct verdict_clock_faults *f)
{
	if (r->verdict == VERDICT_NONE)
		return;
	if (f->hidden_ns) {
		distrust(r, "a hidden pause of", f->hidden_ns);
		verdict_raise(r, limit_exceeded(c, LIMIT_MAX, (struct maybe){ f->hidden_ns, true })
					 ? VERDICT_FAIL
					 : VERDICT_INCOMPLETE);
	}
	if (f->ahead_ns && limit_any(c, LIMIT_ON_CLOCK)) {
		distrust(r, "the TSC ran ahead of another clock by", f->ahead_ns);
		verdict_raise(r, VERDICT_INCOMPLETE);
	}
}

void verdict_remark(struct verdict_reasons *r, const struct config *c, uint64_t sampled_ns)
{
	struct text t;

	text_init(&t, r->remark, sizeof(r->remark));
	if (r->verdict == VERDICT_PASS && mode_of(c)->keeps_gaps && c->preset &&
	    preset_is_short(c->preset, sampled_ns))
		preset_shortfall(c->preset, sampled_ns, &t);
}
