/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits, one row each, against every measured core. */
#include "verdict.h"

#include "text.h"
#include "ticks.h"

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

/* What one limit looks at on one core. */
static struct maybe longest_gap(const struct cpu *cpu, uint64_t hz)
{
	return (struct maybe){ ticks_to_ns(cpu->stage.max, hz), true };
}

static struct maybe smi_count(const struct cpu *cpu, uint64_t hz)
{
	(void)hz;
	return (struct maybe){ cpu->stage.smi, cpu->smi.moved };
}

static struct maybe noise_ppm(const struct cpu *cpu, uint64_t hz)
{
	uint64_t exposure = cpu->stage.length - cpu->stage.slow;
	uint64_t ppm;
	bool exact;

	(void)hz;
	if (!exposure)
		return (struct maybe){ 0, false };
	ppm = ticks_ppm(cpu->stage.noise, exposure, &exact);
	/* Rounded up: noise above the limit never rounds down to it. */
	return (struct maybe){ ppm + !exact, true };
}

static void print_ns(struct text *t, uint64_t value)
{
	text_duration(t, value);
}

static void print_count(struct text *t, uint64_t value)
{
	text_add(t, "%llu", (unsigned long long)value);
}

static const struct limit_row {
	const char *key, *what;
	size_t offset; /* of the struct limit in struct config */
	struct maybe (*of)(const struct cpu *cpu, uint64_t hz);
	void (*print)(struct text *t, uint64_t value);
} limits[] = {
	{ "max", "longest gap", offsetof(struct config, max_ns), longest_gap, print_ns },
	{ "max_smi", "SMIs", offsetof(struct config, max_smi), smi_count, print_count },
	{ "max_noise", "noise in ppm", offsetof(struct config, max_noise_ppm), noise_ppm,
	  print_count },
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static void raise(struct verdict_reasons *r, enum verdict v)
{
	/* A failure stays one, whatever else could not be told. */
	if (r->verdict != VERDICT_FAIL)
		r->verdict = v;
}

static void judge(struct verdict_reasons *r, const struct limit_row *row, uint64_t limit,
		  const struct platform *p)
{
	const struct cpu *worst = NULL;
	uint64_t value = 0;
	char number[2][40];
	struct text t;

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];
		struct maybe m = row->of(cpu, p->hz);

		if (!cpu->measured)
			continue;
		if (!m.known) {
			verdict_reason(r, "%s cannot be judged: no such counter was seen to move",
				       row->key);
			raise(r, VERDICT_INCOMPLETE);
			return;
		}
		if (!worst || m.value > value) {
			worst = cpu;
			value = m.value;
		}
	}
	if (!worst || value <= limit)
		return;
	text_init(&t, number[0], sizeof(number[0]));
	row->print(&t, value);
	text_init(&t, number[1], sizeof(number[1]));
	row->print(&t, limit);
	verdict_reason(r, "%s: %s %s on cpu %u is over the limit of %s", row->key, row->what,
		       number[0], (unsigned)worst->index, number[1]);
	r->verdict = VERDICT_FAIL;
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

	/* However much was told before: each limit that fails finds room for its reason. */
	if (r->count > RECORD_STRINGS - 1 - LIMITS)
		r->count = RECORD_STRINGS - 1 - LIMITS;
	for (size_t i = 0; i < LIMITS; i++) {
		const struct limit *l = (const struct limit *)(const void *)((const char *)c +
									     limits[i].offset);

		if (!l->set)
			continue;
		limited = true;
		raise(r, r->verdict == VERDICT_NONE ? VERDICT_PASS : r->verdict);
		judge(r, &limits[i], l->value, p);
	}
	if (limited)
		judge_missing(r, p);
}

void verdict_hidden(struct verdict_reasons *r, const struct config *c, uint64_t hidden_ns)
{
	char size[40];
	struct text t;

	if (!hidden_ns || r->verdict == VERDICT_NONE)
		return;
	text_init(&t, size, sizeof(size));
	text_duration(&t, hidden_ns);
	verdict_reason(r, "a hidden pause of at least %s: the TSC is not to be trusted", size);
	raise(r, c->max_ns.set && hidden_ns > c->max_ns.value ? VERDICT_FAIL : VERDICT_INCOMPLETE);
}

void verdict_cut_short(struct verdict_reasons *r)
{
	raise(r, VERDICT_INCOMPLETE);
}
