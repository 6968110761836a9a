/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring on a platform that is ready. */
#include "measure.h"

#include "app.h"

#include "arch/arch.h"

/* The stages of one platform, whose cores wait for orders. */
struct leg {
	struct app *app;
	uint32_t stages; /* bits */
};

static void begin(struct app *a)
{
	uint64_t bytes = a->cores.memory_bytes + a->network.memory_bytes +
			 a->network.sink.memory_bytes + a->save.memory_bytes;

	if (a->begun)
		return;
	a->begun = true;
	describe_begin(&a->begin, &a->machine, &a->platform, &a->options.config);
	report_record(&a->report, RECORD_BEGIN, &a->begin.record);
	report_log(&a->report, "info", "memory: %u KiB, and %u KiB of gap rings (%u gaps per core)",
		   (unsigned)(bytes / 1024), (unsigned)(a->cores.ring_bytes / 1024),
		   (unsigned)a->cores.ring_gaps);
	describe_log_busy(&a->begin, &a->report);
}

static void measure(void *ctx)
{
	struct leg *leg = ctx;
	struct run *run = &leg->app->run;

	run_prepare(run);
	begin(leg->app);
	for (unsigned s = 0; s < STAGES && !run->over; s++)
		if (leg->stages & 1u << s)
			run_stage(run, config_stage_name(s));
	run_finish(run);
}

static void finish(void *run)
{
	run_finish(run);
}

void measure_stages(struct app *a, uint32_t stages)
{
	struct leg leg = { a, stages };

	if (arch_try_last(measure, &leg))
		return;
	last_words_send(&a->last_words);
	report_log(&a->report, "error", "the boot core took %s",
		   arch_fault_text(&a->platform.cpu[0]));
	verdict_reason(&a->run.reasons, "an exception ended the run");
	verdict_cut_short(&a->run.reasons);
	a->run.over = true;
	arch_try_last(finish, &a->run);
}
