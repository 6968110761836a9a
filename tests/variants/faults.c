/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces probe/platform/cores.c: takes one exception, or hangs, at the place that the number of
 * `gaps` selects.
 */
#include "probe/app.h"

bool prepare_cores(struct cores *c);

#define cores_prepare prepare_cores
#include "probe/platform/cores.c"
#undef cores_prepare

#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "probe/platform/platform_firmware.h"

bool cores_prepare(struct cores *c);

enum place {
	IN_NONE,
	IN_PREPARING, /* boot services alive, none of the machine is ours */
	IN_STAGE,     /* on the way into the stage handoff or linux */
	IN_WINDOW,    /* measuring, on another core */
	CALL,         /* a call of firmware after the first window, which does not return */
	ON_BOOT_CORE, /* in a window */
	HANG,         /* on another core, in a window */
	HANG_ON_BOOT_CORE,
};

#define NOWHERE (UINT64_C(1) << 45) /* above all memory and devices of the machines of tests */
#define OTHER   1                   /* position of a core that is not the boot core */

#define SOON 2 /* s without a step, in a call or a window that goes on */

static enum place place;
static unsigned turns;
static void (*product_between)(struct platform *p);
static void (*product_enter)(struct platform *p, struct record_stage *stage);

static void fault(void)
{
	place = IN_NONE;
	steps_note_at("taking fault", 0x5eed);
	__builtin_trap();
}

static void never_return(void *ctx)
{
	(void)ctx;
	place = IN_NONE;
	app->last_words.limit = SOON;
	steps_go_on();
	for (;;)
		arch_relax();
}

static void fault_between(struct platform *p)
{
	/* The first time is before the first window. */
	if (turns++ && place == CALL)
		platform_firmware_call(never_return, NULL);
	product_between(p);
}

static void fault_enter(struct platform *p, struct record_stage *stage)
{
	const char *name = stage->stage;

	product_enter(p, stage);
	if (place == IN_STAGE && (!strcmp(name, "handoff") || !strcmp(name, "linux")))
		arch_mmio_read8(NOWHERE);
}

static void fault_window(struct cpu *cpu, struct platform_window *plan)
{
	probe_window_masked(cpu, plan);
	if (cpu->position == (place == ON_BOOT_CORE || place == HANG_ON_BOOT_CORE ? 0 : OTHER)) {
		if (place == IN_WINDOW || place == ON_BOOT_CORE)
			fault();
		if (place == HANG || place == HANG_ON_BOOT_CORE)
			never_return(NULL);
	}
}

bool cores_prepare(struct cores *c)
{
	struct platform *p = &app->platform;

	place = (enum place)app->options.config.gaps.value;
	if (place == IN_PREPARING)
		fault();
	if (!prepare_cores(c))
		return false;
	product_between = p->between;
	product_enter = p->enter;
	p->between = fault_between;
	p->enter = fault_enter;
	p->window = fault_window;
	return true;
}
