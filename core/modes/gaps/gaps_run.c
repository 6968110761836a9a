/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage in mode=gaps: window by window. */
#include "core/config/mode.h"
#include "core/lib/arith.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"
#include "core/run/run.h"
#include "core/run/window.h"

#include <stdatomic.h>

static void window_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct run *r = arg;

	if (cpu->measured) {
		team->platform->window(cpu, &r->plan);
		return;
	}
	window_gather(cpu, r);
	while (cpu->position == 0 && team->platform->now() < atomic_load(&r->plan.end))
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
		verdict_cut_short(&r->reasons, "%s: %s of %s on cpu %u ended the run",
				  one ? "stop" : "stop_total", one ? "a gap" : "noise", took.buf,
				  (unsigned)cpu->index);
	}
}

/* Called between windows. True if there is to be no further window. */
static bool ended_early(struct run *r)
{
	bool stopped = atomic_load(&r->plan.end) == 0;

	if (stopped)
		explain_stop(r);
	return run_stop_requested(r) || stopped;
}

/* Handle a pause that the n-th clock shows. */
static void take_pause(struct run *r, unsigned n, struct record_pause *pause)
{
	struct run_pauses *p = &r->pauses;
	struct record_pause *rest = &p->rest[n][pause->forward];

	if (!pause->forward && p->hidden < RUN_PAUSES_SINGLE) {
		p->hidden++;
		report_record(r->report, RECORD_PAUSE, pause);
	} else if (!rest->pauses) {
		*rest = *pause;
	} else {
		rest->pauses++;
		rest->until_ns = pause->until_ns;
		rest->least_ns += pause->least_ns;
		rest->most_ns += pause->most_ns;
		rest->worst_ns = arith_max(rest->worst_ns, pause->worst_ns);
	}
}

static void see_pause(struct run *r, unsigned n, const struct clockwatch_pause *pause)
{
	const struct platform *p = r->platform;
	struct record_pause record = {
		.stage = r->report->stage,
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
	take_pause(r, n, &record);
}

static void report_other_pauses(struct run *r)
{
	struct run_pauses *p = &r->pauses;

	for (unsigned i = 0; i < 2 * CLOCKWATCH_MAX; i++)
		if (p->rest[i / 2][i % 2].pauses)
			report_record(r->report, RECORD_PAUSE, &p->rest[i / 2][i % 2]);
}

/* Compare the TSC with the other clocks; of those that show a pause, the finest reports it. */
static void watch_clocks(struct run *r)
{
	struct platform *p = r->platform;
	struct clockwatch_reading reading;
	struct clockwatch_pause pause;

	for (unsigned i = 0; i < p->clocks; i++) {
		if (!p->read_clock(p, i, &reading) ||
		    !clockwatch_read(&r->watch[i], &reading, &pause))
			continue;
		see_pause(r, i, &pause);
		for (unsigned k = i + 1; k < p->clocks; k++)
			clockwatch_reported(&r->watch[k], &pause);
	}
}

/* The end of the window on the last core to leave it, by the boot core's clock. */
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

/* Check that interrupts are masked: otherwise a timer tick would look like noise of the machine. */
static void check_masked(struct run *r, const char *stage)
{
	struct platform *p = r->platform;

	for (uint32_t i = 0; i < p->cpus && !p->unmasked; i++) {
		if (!p->cpu[i].unmasked)
			continue;
		verdict_cut_short(&r->reasons,
				  "interrupts were enabled while cpu %u measured stage %s",
				  (unsigned)p->cpu[i].index, stage);
		p->cpu[i].unmasked = false;
	}
}

static uint64_t limit_ticks(const struct config_limit *l, uint64_t hz)
{
	return l->set ? ticks_from_ns(l->value, hz) : UINT64_MAX;
}

static void measure_window(struct run *r, uint64_t n)
{
	run_count(r, false);
	steps_note_at("sampling in window", n);
	team_do(&r->team, window_task, r, r->plan.length);
	run_count(r, true);
	watch_clocks(r);
	report_window(r->report, n, r->plan.start, window_end(r));
	run_between(r);
}

static void gaps_run_measure(struct run *r, const struct record_stage *state)
{
	const struct config *c = r->config;
	const struct platform *p = r->platform;
	uint64_t window_ns = c->quiet ? c->duration_ns : c->window_ns, left = c->duration_ns;

	window_plan(r);
	r->plan.stop = limit_ticks(&c->stop_ns, p->hz);
	r->plan.stop_total = limit_ticks(&c->stop_total_ns, p->hz);
	report_stage(r->report, state, (left + window_ns - 1) / window_ns);
	watch_clocks(r);
	run_between(r);
	for (uint64_t n = 1; left && !r->over; n++) {
		uint64_t ns = left < window_ns ? left : window_ns;

		left -= ns;
		r->plan.length = ticks_from_ns(ns, p->hz);
		measure_window(r, n);
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
	.measure = gaps_run_measure,
};
