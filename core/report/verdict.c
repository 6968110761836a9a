/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits, one row each, against every measured core. */
#include "verdict.h"

#include "core/config/mode.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <stdarg.h>
#include <stddef.h>

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

void verdict_reason(struct verdict_reasons *r, const char *format, ...)
{
	struct text t;
	va_list args;

	if (r->count == RECORD_STRINGS - 1)
		return;
	text_init(&t, r->text[r->count++], VERDICT_REASON_MAX);
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
}

static void print_count(struct text *t, uint64_t value)
{
	text_add(t, "%llu", (unsigned long long)value);
}

static void print_factor(struct text *t, uint64_t value)
{
	text_fixed(t, value, 6, 0);
}

static const struct limit_row {
	const char *key, *what;
	size_t offset; /* of the struct config_limit in struct config */
	size_t of;     /* of the value in struct verdict_core */
	void (*print)(struct text *t, uint64_t value);
	void (*exact)(struct text *t, uint64_t value);
} limits[] = {
	{ "max", "longest gap", offsetof(struct config, max_ns),
	  offsetof(struct verdict_core, max_ns), text_duration, units_print_ns },
	{ "max_smi", "SMIs", offsetof(struct config, max_smi), offsetof(struct verdict_core, smi),
	  print_count, print_count },
	{ "max_noise", "noise in ppm", offsetof(struct config, max_noise_ppm),
	  offsetof(struct verdict_core, noise_ppm), print_count, print_count },
	{ "max_stretch", "p99.9 of stretch", offsetof(struct config, max_stretch),
	  offsetof(struct verdict_core, tail), print_factor, print_factor },
	{ "service_max", "longest call", offsetof(struct config, service_max_ns),
	  offsetof(struct verdict_core, call_ns), text_duration, units_print_ns },
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static void raise(struct verdict_reasons *r, enum verdict v)
{
	/* A failure stays one, whatever else is not known. */
	if (r->verdict != VERDICT_FAIL)
		r->verdict = v;
	if (r->verdict != VERDICT_PASS)
		r->remark[0] = '\0';
}

#define NUMBER_MAX 40

static void print_pair(void (*print)(struct text *t, uint64_t value), uint64_t a, uint64_t b,
		       char number[2][NUMBER_MAX])
{
	struct text t;

	text_init(&t, number[0], NUMBER_MAX);
	print(&t, a);
	text_init(&t, number[1], NUMBER_MAX);
	print(&t, b);
}

static void fail(struct verdict_reasons *r, const struct limit_row *row, uint64_t limit,
		 uint64_t value, uint32_t index)
{
	char number[2][NUMBER_MAX];

	print_pair(row->print, value, limit, number);
	/* Just over, and by less than is printed. */
	if (strcmp(number[0], number[1]) == 0)
		print_pair(row->exact, value, limit, number);
	verdict_reason(r, "%s: %s %s on cpu %u exceeds the limit of %s", row->key, row->what,
		       number[0], (unsigned)index, number[1]);
	r->verdict = VERDICT_FAIL;
}

static const struct maybe *value_of(const struct verdict_core *core, const struct limit_row *row)
{
	return (const void *)((const char *)core + row->of);
}

static void judge(struct verdict_reasons *r, const struct limit_row *row,
		  const struct config_limit *limit, verdict_core_at *at, const void *ctx)
{
	struct verdict_core core;
	bool unknown = false;
	uint32_t worst = 0;
	uint64_t value = 0;

	for (uint32_t n = 0; at(ctx, n, &core); n++) {
		const struct maybe *m = value_of(&core, row);

		unknown = unknown || !m->known;
		if (m->known && m->value > value) {
			worst = core.index;
			value = m->value;
		}
	}
	/* A core over the limit fails the run, whatever is known of the others. */
	if (config_limit_exceeded(limit, value)) {
		fail(r, row, limit->value, value, worst);
	} else if (unknown) {
		verdict_reason(r, "%s cannot be judged: no such counter was seen to count",
			       row->key);
		raise(r, VERDICT_INCOMPLETE);
	}
}

static const struct config_limit *limit_of(const struct config *c, const struct limit_row *row)
{
	return (const void *)((const char *)c + row->offset);
}

void verdict_judge_cores(struct verdict_reasons *r, const struct config *c, verdict_core_at *at,
			 const void *ctx)
{
	/* However many reasons there are: each limit that is exceeded finds room for its own. */
	if (r->count > RECORD_STRINGS - 1 - LIMITS)
		r->count = RECORD_STRINGS - 1 - LIMITS;
	for (size_t i = 0; i < LIMITS; i++) {
		const struct config_limit *l = limit_of(c, &limits[i]);

		if (!l->set)
			continue;
		raise(r, r->verdict == VERDICT_NONE ? VERDICT_PASS : r->verdict);
		judge(r, &limits[i], l, at, ctx);
	}
}

bool verdict_core_exceeds(const struct config *c, const struct verdict_core *core)
{
	for (size_t i = 0; i < LIMITS; i++) {
		const struct maybe *m = value_of(core, &limits[i]);

		if (m->known && config_limit_exceeded(limit_of(c, &limits[i]), m->value))
			return true;
	}
	return false;
}

struct maybe verdict_noise_ppm(uint64_t noise, uint64_t exposure)
{
	uint64_t ppm;
	bool exact;

	if (!exposure)
		return (struct maybe){ 0, false };
	ppm = ticks_ppm(noise, exposure, &exact);
	return (struct maybe){ ppm + !exact, true };
}

/* Noise is not computed for an exposure that no real run has. */
#define EXPOSURE_MAX (UINT64_MAX / 10)

void verdict_core_of(const struct record_cpu *cpu, struct verdict_core *core)
{
	*core = (struct verdict_core){ .index = cpu->cpu,
				       .max_ns = { cpu->max_ns, true },
				       .smi = cpu->smi };
	if (cpu->exposure_ns <= EXPOSURE_MAX)
		core->noise_ppm = verdict_noise_ppm(cpu->noise_ns, cpu->exposure_ns);
}

static bool core_alone(const void *ctx, uint32_t n, struct verdict_core *core)
{
	if (!n)
		verdict_core_of(ctx, core);
	return !n;
}

void verdict_judge_core(struct verdict_reasons *r, const struct config *c,
			const struct record_cpu *cpu)
{
	*r = (struct verdict_reasons){ .verdict = VERDICT_NONE };
	verdict_judge_cores(r, c, core_alone, cpu);
}

void verdict_core_of_cpu(const struct cpu *cpu, uint64_t hz, struct verdict_core *core)
{
	*core = (struct verdict_core){ .index = cpu->index,
				       .max_ns = { ticks_to_ns(cpu->stage.max, hz), true },
				       .smi = { cpu->stage.smi, cpu->smi.moved },
				       .tail = cpu->tail,
				       .call_ns = cpu->call };
	core->noise_ppm = verdict_noise_ppm(cpu->stage.noise, cpu->stage.length - cpu->stage.slow);
}

/* The n-th measured core of a platform. */
static bool measured_core(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct platform *p = ctx;

	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured || n--)
			continue;
		verdict_core_of_cpu(&p->cpu[i], p->hz, core);
		return true;
	}
	return false;
}

/* Limits hold for the cores that were asked for, or nobody knows. */
static void judge_missing(struct verdict_reasons *r, const struct platform *p)
{
	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].wanted || p->cpu[i].measured)
			continue;
		verdict_reason(r, "cpu %u was not measured", (unsigned)p->cpu[i].index);
		raise(r, VERDICT_INCOMPLETE);
	}
}

void verdict_judge(struct verdict_reasons *r, const struct config *c, const struct platform *p)
{
	bool limited = false;

	verdict_judge_cores(r, c, measured_core, p);
	for (size_t i = 0; i < LIMITS; i++)
		limited = limited || limit_of(c, &limits[i])->set;
	if (limited)
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
		raise(r, config_limit_exceeded(&c->max_ns, f->hidden_ns) ? VERDICT_FAIL
									 : VERDICT_INCOMPLETE);
	}
	if (f->ahead_ns && (c->max_ns.set || c->max_noise_ppm.set)) {
		distrust(r, "the TSC ran ahead of another clock by", f->ahead_ns);
		raise(r, VERDICT_INCOMPLETE);
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

void verdict_cut_short(struct verdict_reasons *r)
{
	raise(r, VERDICT_INCOMPLETE);
}
