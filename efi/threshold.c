/* SPDX-License-Identifier: BSD-2-Clause */
/* A threshold below the loop's own interval would make each sample a gap. */
#include "threshold.h"

#include "arch/calibrate.h"
#include "core/text.h"
#include "core/ticks.h"
#include "core/units.h"
#include "options.h"

static void complain(struct app *app, uint64_t interval_ns)
{
	struct config_place where = config_where(&app->config, "threshold");
	char buffer[CONFIG_COMPLAINT_MAX];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "threshold=");
	units_print_ns(&t, app->config.threshold_ns);
	text_add(&t,
		 " is not above the sampling loop's own interval; accepted: more than %lluns, its "
		 "99.9th percentile on this machine",
		 (unsigned long long)interval_ns);
	options_complain(app, where.source ? where.source : "default", where.line, buffer);
}

unsigned threshold_check(struct app *app)
{
	struct cpu *cpu = firmware_pages(sizeof(*cpu), 0);
	uint64_t *scratch = firmware_pages(CALIBRATE_INTERVALS * sizeof(*scratch), 0);
	uint64_t hz = app->clock.hz;
	bool masked = arch_interrupts_masked();

	if (!cpu || !scratch)
		return 0;
	arch_mask_interrupts();
	calibrate_loop(cpu, scratch);
	firmware_mask_as(masked);
	if (ns_to_ticks(app->config.threshold_ns, hz) > cpu->interval_floor)
		return 0;
	complain(app, ticks_to_ns(cpu->interval_floor, hz));
	return 1;
}
