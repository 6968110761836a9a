/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threshold must be above the loop's own interval: else each sample is a gap. It must exceed it
 * by more than a step of the clock: else an iteration that takes the slow path now and then is a
 * gap, too.
 */
#include "options.h"

#include "probe/door.h"

#include "arch/arch.h"
#include "arch/probe.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

static void threshold_refuse(const struct config *config, uint64_t interval_ns,
			     config_complaint *complain, void *ctx)
{
	struct config_place where = config_where(config, "threshold");
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t, "threshold=");
	units_print_ns(&t, config->threshold_ns);
	text_add(&t,
		 " is not above the loop's own interval; accepted: more than %lluns, its 99.9th "
		 "percentile and a step of the clock",
		 (unsigned long long)interval_ns);
	complain(ctx, where.source ? where.source : "default", where.line, t.buf);
}

/* The start screen may call this again: the memory is allocated once. */
unsigned options_check_threshold(const struct config *config, uint64_t hz,
				 config_complaint *complain, void *ctx)
{
	static struct cpu *cpu;
	static uint64_t *scratch;
	bool masked = arch_interrupts_masked();
	uint64_t wanted = ticks_from_ns(config->threshold_ns, hz);
	uint64_t least;

	if (!cpu)
		cpu = door.pages(sizeof(*cpu), 0);
	if (!scratch)
		scratch = door.pages(CALIBRATE_INTERVALS * sizeof(*scratch), 0);
	if (!cpu || !scratch)
		return 0;
	arch_mask_interrupts();
	least = calibrate_floor(cpu, scratch, wanted);
	arch_mask_as(masked);
	if (wanted > least)
		return 0;
	threshold_refuse(config, ticks_to_ns(least, hz), complain, ctx);
	return 1;
}
