/* SPDX-License-Identifier: BSD-2-Clause */
/* The run, on any platform. */
#include "run.h"

#include "core/config/mode.h"
#include "core/kinds/fault/fault.h"
#include "core/lib/mem.h"
#include "core/report/report_words.h"
#include "selftest.h"
#include "core/gaps/judge.h"
#include "core/lib/ticks.h"

static void prepare_task(struct team *team, struct cpu *cpu, void *arg)
{
	(void)arg;
	team->platform->prepare(cpu);
}

static void lost(void *ctx, const struct cpu *cpu)
{
	struct run *r = ctx;

	/* Report the lost core's gaps, including those of the window in which it was lost. */
	judge_ring(&r->platform->cpu[cpu->position]);
	if (cpu->late)
		fault_report_wait(r->report, "a core that does not come back",
				  (struct maybe){ cpu->index, true });
	report_log(r->report, "error",
		   "cpu %u (APIC id %u) was lost: it took an exception or did not come back; "
		   "it is excluded from now on",
		   (unsigned)cpu->index, (unsigned)cpu->apic_id);
	verdict_cut_short(&r->reasons, "cpu %u was lost during the run", (unsigned)cpu->index);
}

void run_prepare(struct run *r)
{
	struct platform *p = r->platform;

	r->team.lost = lost;
	r->team.lost_ctx = r;
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].measured = p->cpu[i].wanted && team_member(&p->cpu[i]);
	for (unsigned i = 0; i < p->clocks; i++)
		clockwatch_begin(&r->watch[i], &p->clock[i], p->hz);
	team_start(&r->team, p);
	if (mode_of(r->config)->reads)
		return;
	team_do(&r->team, prepare_task, NULL, 10 * p->hz);
	selftest_offsets(&r->team);
	if (r->config->selftest) {
		selftest_nmi(&r->team);
		selftest_delay(&r->team);
	}
}

static void stage_clear(struct platform *p)
{
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];

		memset(&cpu->stage, 0, sizeof(cpu->stage));
		memset(&cpu->worst, 0, sizeof(cpu->worst));
		memset(&cpu->hist, 0, sizeof(cpu->hist));
		gap_ring_clear(&cpu->ring);
		cpu->rewinds = cpu->queue_full = 0;
	}
}

bool run_stop_requested(struct run *r)
{
	if (!r->platform->stop_requested(r->platform))
		return false;
	verdict_cut_short(&r->reasons, "%s ended the run",
			  r->platform->stopped_by ? r->platform->stopped_by
						  : "a key on the serial port");
	return true;
}

void run_count(struct run *r, bool after)
{
	if (r->platform->count)
		r->platform->count(r->platform, after);
}

void run_between(struct run *r)
{
	if (r->platform->between)
		r->platform->between(r->platform);
}

static void logs_task(struct team *team, struct cpu *cpu, void *arg)
{
	(void)arg;
	if (cpu->measured)
		team->platform->logs(cpu);
}

void run_logs(struct run *r)
{
	const struct platform *p = r->platform;
	TEXT_DEFINE(names, 80);

	if (!p->logs)
		return;
	/* Logs of cores that were lost have been reported. */
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].throttled = p->cpu[i].mce_banks = 0;
	team_do(&r->team, logs_task, NULL, p->hz);
	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];

		text_reset(&names);
		attribution_throttle(cpu->throttled, &names);
		if (cpu->throttled)
			report_log(r->report, "warning", "cpu %u" REPORT_THROTTLED "%s",
				   (unsigned)cpu->index, names.buf);
		for (unsigned bank = 0; bank < 32; bank++)
			if (cpu->mce_banks >> bank & 1)
				report_log(r->report, "warning",
					   "cpu %u" REPORT_BANK "%u holds a new error",
					   (unsigned)cpu->index, bank);
	}
}

void run_stage(struct run *r, const char *stage)
{
	struct platform *p = r->platform;
	struct record_stage state = { .stage = stage };

	stage_clear(p);
	memset(&r->pauses, 0, sizeof(r->pauses));
	r->plan.threshold = ticks_from_ns(r->config->threshold_ns, p->hz);
	if (p->enter)
		p->enter(p, &state);
	mode_of(r->config)->measure(r, &state);
}

void run_judge(struct run *r)
{
	verdict_judge(&r->reasons, r->config, r->platform);
	verdict_clock(&r->reasons, r->config, &r->clock_faults);
	verdict_remark(&r->reasons, r->config, report_sampled(r->report).value);
}

void run_finish(struct run *r)
{
	team_leave(&r->team);
}
