/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces probe/platform/cores.c: takes one exception, at the place that the number of `gaps`
 * selects, or calls firmware that does not return.
 */
#include "probe/platform/cores.h"

bool prepare_cores(struct cores *c);

#define cores_prepare prepare_cores
#include "probe/platform/cores.c"
#undef cores_prepare

#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "efi/firmware.h"
#include "probe/app.h"
#include "probe/platform/platform_firmware.h"

bool cores_prepare(struct cores *c);

enum place {
	IN_NONE,
	IN_PREPARING, /* boot services alive, none of the machine is ours */
	IN_CALL,      /* the cores are lent, and the boot core is back for a call */
	IN_LENT,      /* measuring, on the boot core */
	IN_STAGE,     /* on the way into the last stage */
	IN_WINDOW,    /* measuring, on another core */
	IN_END,       /* what was measured is being reported */
	STALL,        /* Stall() before the machine is ours, which does not return */
	CALL,         /* the same after the first window */
	CLOSE_EVENT,  /* CloseEvent() once the cores are given back */
	RESET,        /* ResetSystem() */
	LONG_CALL,    /* the same as CALL, but it returns when it was reported */
	NO_CALL,      /* all of them return */
};

#define NOWHERE (UINT64_C(1) << 45) /* above all memory and devices of the machines of tests */
#define OTHER   1                   /* position of a core that is not the boot core */

#define SOON 2  /* s without a step, in a call that goes on */
#define LATE 10 /* the same in a run in which none does */

static enum place place;
static struct last_words *words;
static unsigned turns;
static void (*product_between)(struct platform *p);
static void (*product_enter)(struct platform *p, struct record_stage *stage);

static void fault(void *ctx)
{
	(void)ctx;
	place = IN_NONE;
	steps_note_at("taking fault", 0x5eed);
	__builtin_trap();
}

/* In place of a service, whatever its arguments are. */
static EFI_STATUS EFIAPI never(void)
{
	uint32_t limit = words->limit;

	words->limit = SOON;
	steps_go_on();
	while (place != LONG_CALL || !atomic_load(&words->count))
		arch_relax();
	words->limit = limit;
	return EFI_SUCCESS;
}

static void stall(void *ctx)
{
	EFI_BOOT_SERVICES *bs = firmware_boot();
	EFI_STALL product = bs->Stall;

	(void)ctx;
	bs->Stall = (EFI_STALL)(void *)never;
	bs->Stall(1);
	bs->Stall = product;
	place = IN_NONE;
}

static void fault_between(struct platform *p)
{
	if (place == IN_CALL)
		platform_firmware_call(fault, NULL);
	/* The first time is before the first window. */
	if (turns++ && (place == CALL || place == LONG_CALL))
		platform_firmware_call(stall, NULL);
	if (place == CLOSE_EVENT)
		firmware_boot()->CloseEvent = (EFI_CLOSE_EVENT)(void *)never;
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
	if ((place == IN_LENT && cpu->position == 0) ||
	    (place == IN_WINDOW && cpu->position == OTHER))
		fault(NULL);
}

static void fault_logs(struct cpu *cpu)
{
	arch_evidence_logs(cpu);
	if (place == IN_END && cpu->position == 0)
		fault(NULL);
}

bool cores_prepare(struct cores *c)
{
	struct platform *p = c->platform;

	place = (enum place)c->config->gaps.value;
	words = &((struct app *)c->services_ctx)->last_words;
	if (place == IN_PREPARING)
		fault(NULL);
	if (place == STALL)
		stall(NULL);
	if (place == RESET)
		firmware_runtime()->ResetSystem = (EFI_RESET_SYSTEM)(void *)never;
	if (place == NO_CALL)
		words->limit = LATE;
	if (!prepare_cores(c))
		return false;
	product_between = p->between;
	product_enter = p->enter;
	p->between = fault_between;
	p->enter = fault_enter;
	p->window = fault_window;
	p->logs = fault_logs;
	return true;
}
