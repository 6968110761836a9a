/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage in mode=gaps: window by window. */
#include "core/config/mode.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"
#include "core/run/run.h"

#include <stdatomic.h>

/* From "go" to the first tick: the cores must have seen it, and left their PAUSE. */
#define LEAD_NS            50000
#define LEAD_NS_PER_CPU    1000 /* a line that all read goes from one to the next */
#define LEAD_NS_HYPERVISOR 2000000
#define START_TRIES        3

struct window_order {
	struct team *team;
	struct platform_window *plan;
	uint64_t length; /* ticks */
	uint64_t lead;
};

static void set_bounds(const struct platform *p, struct platform_window *plan, uint64_t start,
		       uint64_t end)
{
	plan->start = start;
	atomic_store(&plan->end, end);
	/* The others wait for the team's word, which is stored after these. */
	for (uint32_t i = 0; i < plan->cpus; i++)
		if (p->cpu[i].tsc_offset)
			atomic_store_explicit(&p->cpu[i].end, end + (uint64_t)p->cpu[i].tsc_offset,
					      memory_order_relaxed);
}

/* What holds up the boot core while it sets the bounds must not make the others late. */
static void choose_start(struct team *team, void *arg)
{
	struct window_order *o = arg;
	struct platform *p = team->platform;
	unsigned tries = START_TRIES;
	uint64_t lead = o->lead / 2;
	uint64_t start;

	do {
		lead *= 2;
		start = p->now() + lead;
		set_bounds(p, o->plan, start, start + o->length);
		p->before_window(&p->cpu[0]);
	} while ((int64_t)(start - p->now()) < (int64_t)(lead / 2) && --tries);
}

static void gather(struct cpu *cpu, void *ctx)
{
	struct window_order *o = ctx;

	team_gather(o->team, cpu, choose_start, o);
}

static void window_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct window_order *o = arg;

	if (cpu->measured) {
		team->platform->window(cpu, o->plan);
		return;
	}
	gather(cpu, o);
	while (cpu->position == 0 && team->platform->now() < atomic_load(&o->plan->end))
		team->platform->relax();
}

/* Why sampling ended inside the window, for the verdict. */
static void explain_stop(struct run *r)
{
	const struct platform *p = r->platform;
	TEXT_DEFINE(took, 40);

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];
		bool one = cpu->window.max >= r->plan.stop;

		if (!one && cpu->window.noise < r->plan.stop_total)
			continue;
		text_reset(&took);
		text_duration(&took, ticks_to_ns(one ? cpu->window.max : cpu->window.noise, p->hz));
		verdict_reason(&r->reasons, "%s: %s of %s on cpu %u ended the run",
			       one ? "stop" : "stop_total", one ? "a gap" : "noise", took.buf,
			       (unsigned)cpu->index);
	}
	verdict_cut_short(&r->reasons);
}

/* Between windows: shall there be another? */
static bool ended_early(struct run *r)
{
	bool stopped = atomic_load(&r->plan.end) == 0;

	if (stopped)
		explain_stop(r);
	return run_stop_requested(r) || stopped;
}

/* Seen by the n-th clock. */
static void report_one_pause(struct run *r, unsigned n, const struct clockwatch_pause *pause)
{
	const struct platform *p = r->platform;
	struct record_pause record = {
		.from_ns = ticks_to_ns(pause->from - p->begin_tsc, p->hz),
		.until_ns = ticks_to_ns(pause->until - p->begin_tsc, p->hz),
		.least_ns = pause->least,
		.most_ns = pause->most,
		.pauses = 1,
		.worst_ns = pause->least,
		.forward = pause->forward,
		.clock = pause->clock,
	};

	verdict_clock_faults_add(&r->clock_faults, &record);
	if (pauses_add(&r->pauses, n, &record))
		report_pause(r->report, &record);
}

static void report_other_pauses(struct run *r)
{
	struct record_pause record;

	while (pauses_take(&r->pauses, &record))
		report_pause(r->report, &record);
}

/* The TSC against the clocks beside it; the finest that sees a pause reports it. */
static void watch_clocks(struct run *r)
{
	struct platform *p = r->platform;
	struct clockwatch_reading reading;
	struct clockwatch_pause pause;

	for (unsigned i = 0; i < p->clocks; i++) {
		if (!p->read_clock(p, i, &reading) ||
		    !clockwatch_read(&r->watch[i], &reading, &pause))
			continue;
		report_one_pause(r, i, &pause);
		for (unsigned k = i + 1; k < p->clocks; k++)
			clockwatch_reported(&r->watch[k], &pause);
	}
}

/* When the window really ended, on the last core to end it, by the boot core's clock. */
static uint64_t window_end(const struct run *r)
{
	const struct platform *p = r->platform;
	uint64_t end = r->plan.start;

	for (uint32_t i = 0; i < p->cpus; i++) {
		uint64_t last = p->cpu[i].window_end - (uint64_t)p->cpu[i].tsc_offset;

		if (p->cpu[i].measured && last > end)
			end = last;
	}
	return end;
}

/* With interrupts enabled, a timer tick would look like noise of the machine. */
static void check_masked(struct run *r, const char *stage)
{
	struct platform *p = r->platform;

	for (uint32_t i = 0; i < p->cpus && !p->unmasked; i++) {
		if (!p->cpu[i].unmasked)
			continue;
		verdict_reason(&r->reasons,
			       "interrupts were enabled while cpu %u measured stage %s",
			       (unsigned)p->cpu[i].index, stage);
		verdict_cut_short(&r->reasons);
		p->cpu[i].unmasked = false;
	}
}

static void count(struct platform *p, bool after)
{
	if (p->count)
		p->count(p, after);
}

static void between(struct platform *p)
{
	if (p->between)
		p->between(p);
}

static uint64_t limit_ticks(const struct config_limit *l, uint64_t hz)
{
	return l->set ? ticks_from_ns(l->value, hz) : UINT64_MAX;
}

static uint64_t lead_ns(const struct platform *p)
{
	uint64_t lead = p->hypervisor && p->cpus > 1 ? LEAD_NS_HYPERVISOR : LEAD_NS;

	return lead + (uint64_t)LEAD_NS_PER_CPU * p->cpus;
}

static void plan(struct run *r, struct window_order *order)
{
	const struct config *c = r->config;
	const struct platform *p = r->platform;

	r->plan.gather = gather;
	r->plan.gather_ctx = order;
	r->plan.cpu = p->cpu;
	r->plan.cpus = p->cpus;
	r->plan.stop = limit_ticks(&c->stop_ns, p->hz);
	r->plan.stop_total = limit_ticks(&c->stop_total_ns, p->hz);
}

static void measure_window(struct run *r, struct window_order *order, uint64_t n)
{
	struct platform *p = r->platform;

	count(p, false);
	steps_note_at("sampling in window", n);
	team_do(&r->team, window_task, order, order->length);
	count(p, true);
	watch_clocks(r);
	report_window(r->report, n, r->plan.start, window_end(r));
	between(p);
}

static void measure(struct run *r, const struct record_stage *state)
{
	const struct config *c = r->config;
	struct platform *p = r->platform;
	uint64_t window_ns = c->quiet ? c->duration_ns : c->window_ns, left = c->duration_ns;
	struct window_order order = {
		.team = &r->team,
		.plan = &r->plan,
		.lead = ticks_from_ns(lead_ns(p), p->hz),
	};

	plan(r, &order);
	report_stage(r->report, state, (left + window_ns - 1) / window_ns);
	watch_clocks(r);
	between(p);
	for (uint64_t n = 1; left && !r->over; n++) {
		uint64_t ns = left < window_ns ? left : window_ns;

		left -= ns;
		order.length = ticks_from_ns(ns, p->hz);
		measure_window(r, &order, n);
		r->over = ended_early(r);
	}
	report_other_pauses(r);
	check_masked(r, state->stage);
	run_logs(r);
	report_stage_end(r->report);
}

const struct mode mode_gaps = {
	.name = "gaps",
	.keeps_gaps = true,
	.measure = measure,
};
