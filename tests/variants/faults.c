/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces probe/platform/cores.c: takes one exception, at the place that the number of `gaps`
 * selects, or calls firmware that does not return.
 */
#include "probe/app.h"

bool prepare_cores(struct cores *c);

#define cores_prepare prepare_cores
#include "probe/platform/cores.c"
#undef cores_prepare

#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "efi/firmware.h"
#include "probe/platform/platform_firmware.h"

bool cores_prepare(struct cores *c);

enum place {
	IN_NONE,
	IN_PREPARING, /* boot services alive, none of the machine is ours */
	IN_STAGE,     /* on the way into the last stage */
	IN_WINDOW,    /* measuring, on another core */
	CALL,         /* Stall() after the first window, which does not return */
};

#define NOWHERE (UINT64_C(1) << 45) /* above all memory and devices of the machines of tests */
#define OTHER   1                   /* position of a core that is not the boot core */

#define SOON 2 /* s without a step, in a call that goes on */

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

static EFI_STATUS EFIAPI never(UINTN us)
{
	(void)us;
	app->last_words.limit = SOON;
	steps_go_on();
	for (;;)
		arch_relax();
	return EFI_SUCCESS;
}

static void stall(void *ctx)
{
	(void)ctx;
	firmware_boot()->Stall = never;
	firmware_boot()->Stall(1);
}

static void fault_between(struct platform *p)
{
	/* The first time is before the first window. */
	if (turns++ && place == CALL)
		platform_firmware_call(stall, NULL);
	product_between(p);
}

static void fault_enter(struct platform *p, struct record_stage *stage)
{
	product_enter(p, stage);
	if (place == IN_STAGE && !strcmp(stage->stage, "handoff"))
		arch_mmio_read8(NOWHERE);
}

static void fault_window(struct cpu *cpu, struct platform_window *plan)
{
	probe_window_masked(cpu, plan);
	if (place == IN_WINDOW && cpu->position == OTHER)
		fault();
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
