/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In TF-A's BL31, on QEMU's virt with a GICv3: takes the boot core at the times of a schedule by
 * the secure timer's interrupt, of group 0, and logs each, for what monitor/monitor.S is without
 * TF-A. A schedule that begins at power-on is read from fw_cfg; what of it comes before inject.efi
 * asks for its log is kept in memory of level 3's own, which has none of BL32 in it. The log has
 * the handler, not TF-A's way in and out.
 *
 * Sources: Arm ARM (DDI 0487), D17; GIC architecture (IHI 0069); TF-A's documentation, "Interrupt
 * Management Framework" and "EL3 Runtime Service Writer's Guide".
 */
#include <stdbool.h>
#include <string.h>

#include <arch_helpers.h>
#include <bl31/interrupt_mgmt.h>
#include <common/debug.h>
#include <common/runtime_svc.h>
#include <drivers/arm/gicv3.h>
#include <lib/mmio.h>
#include <lib/xlat_tables/xlat_tables_v2.h>
#include <plat/common/platform.h>
#include <platform_def.h>

#include "tests/inject/aarch64/monitor/monitor.h"
#include "tests/inject/fwcfg.h"
#include "tests/inject/layout.h"
#include "tests/inject/plan_file.h"

#define SECURE_TIMER 29 /* its interrupt: BSA's PPI 29 */
#define TIMER_ON     1

#define FWCFG_DATA   0x09020000 /* QEMU, docs/specs/fw_cfg.txt */
#define FWCFG_SELECT 0x09020008

#define NS_MEMORY       NS_DRAM0_BASE
#define NS_MEMORY_BYTES 0x40000000 /* injection.py's machine has as much */

struct own {
	struct core core;
	struct span log[LOG_MAX];
	struct step schedule[PLAN_MAX];
	struct plan plan;
	struct plan_smi smis[PLAN_MAX]; /* the plan's, behind it */
};

_Static_assert(sizeof(struct own) <= SEC_DRAM_SIZE, "struct own");

static struct own *const own = (struct own *)SEC_DRAM_BASE;
static struct core *core;

void fwcfg_select(uint16_t item)
{
	mmio_write_16(FWCFG_SELECT, __builtin_bswap16(item));
}

void fwcfg_bytes(void *buffer, uint32_t bytes)
{
	uint8_t *at = buffer;

	while (bytes--)
		*at++ = mmio_read_8(FWCFG_DATA);
}

static uint64_t now(void)
{
	isb();
	return read_cntpct_el0();
}

static uint64_t ticks(uint64_t ns)
{
	return ns * read_cntfrq_el0() / 1000000000;
}

static void arm(uint64_t at)
{
	write_cntps_cval_el1(at);
	write_cntps_ctl_el1(TIMER_ON);
}

static void disarm(void)
{
	write_cntps_ctl_el1(0);
}

/*
 * Spend time until a tick, which is as quick to emulate as spend.inc. Returns the tick at the end.
 */
static uint64_t burn(uint64_t until)
{
	uint64_t at;

	while ((at = now()) < until)
		for (uint64_t n = (until - at) / 4; n; n--)
			__asm__ volatile("");
	return at;
}

/* Sets the timer for the next; returns the tick to leave at. */
static uint64_t take_step(uint64_t entry)
{
	const struct step *step = (struct step *)(uintptr_t)core->schedule + core->next;

	if (core->next >= core->planned) {
		core->unplanned++;
		disarm();
		return entry;
	}
	core->next++;
	if (core->next < core->planned)
		arm(entry + step->rearm);
	else
		disarm();
	return entry + step->length;
}

static void spend(uint64_t entry)
{
	struct span *span = (struct span *)(uintptr_t)core->log + core->count;

	if (core->count >= core->capacity) {
		core->lost++;
		disarm();
		return;
	}
	span->entry = entry;
	span->exit = burn(take_step(entry));
	core->count++;
}

static uint64_t interrupt(uint32_t id, uint32_t flags, void *handle, void *cookie)
{
	uint64_t entry = now();

	id = plat_ic_acknowledge_interrupt();
	if (id == SECURE_TIMER)
		spend(entry);
	plat_ic_end_of_interrupt(id);
	return 0;
}

static void make_schedule(const struct plan *plan, struct step *step)
{
	const struct plan_smi *smi = plan_smis(plan);

	for (uint32_t i = 0; i < plan->count; i++) {
		uint64_t pause = i + 1 < plan->count ? smi[i + 1].pause_ns : 0;
		uint64_t rearm = pause ? ticks(smi[i].length_ns + pause) : 0;

		step[i].length = ticks(smi[i].length_ns);
		step[i].rearm = rearm > STEP_REARM_MIN ? rearm : STEP_REARM_MIN;
	}
}

static bool wants_to_begin(const struct plan *plan, uint32_t bytes)
{
	return bytes >= sizeof(*plan) && plan->magic == PLAN_MAGIC &&
	       plan->version == PLAN_VERSION && plan->effects >> EFFECT_POWER_ON & 1 &&
	       plan->count && plan->count <= PLAN_MAX;
}

static void begin_at_power_on(void)
{
	struct plan *plan = &own->plan;

	if (!wants_to_begin(plan, fwcfg_read(PLAN_FWCFG, plan, sizeof(*plan) + sizeof(own->smis))))
		return;
	make_schedule(plan, own->schedule);
	memset(&own->core, 0, sizeof(own->core));
	own->core.log = (uintptr_t)own->log;
	own->core.capacity = LOG_MAX;
	own->core.schedule = (uintptr_t)own->schedule;
	own->core.planned = plan->count;
	core = &own->core;
	NOTICE("inject: %u times from now on\n", plan->count);
	arm(now() + ticks(plan->start_ns + plan_smis(plan)->pause_ns));
}

static bool has_begun(void)
{
	return core && core->effects >> EFFECT_POWER_ON & 1;
}

/* The log so far goes to inject.efi's, which also has the schedule. */
static void take(struct core *to)
{
	if (core == &own->core) {
		memcpy((void *)(uintptr_t)to->log, own->log, core->count * sizeof(*own->log));
		to->count = core->count;
		to->lost = core->lost;
		to->unplanned = core->unplanned;
		to->next = core->next;
	}
	core = to;
}

static uintptr_t call(uint32_t function, u_register_t number, u_register_t x2, u_register_t x3,
		      u_register_t x4, void *cookie, void *handle, u_register_t flags)
{
	switch (function) {
	case MONITOR_TAKE:
		take((struct core *)number);
		SMC_RET1(handle, 0);
	case MONITOR_ARM:
		if (!has_begun())
			arm(number);
		SMC_RET1(handle, 0);
	default:
		SMC_RET1(handle, SMC_UNK);
	}
}

static void route_timer(void)
{
	unsigned int me = plat_my_core_pos();

	disarm();
	gicv3_set_interrupt_type(SECURE_TIMER, me, INTR_GROUP0);
	gicv3_set_interrupt_priority(SECURE_TIMER, me, GIC_HIGHEST_SEC_PRIORITY);
	gicv3_enable_interrupt(SECURE_TIMER, me);
	mmio_setbits_32(GICD_BASE + GICD_CTLR, CTLR_ENABLE_G0_BIT);
}

static int32_t setup(void)
{
	uint32_t flags = 0;
	int fault = mmap_add_dynamic_region(NS_MEMORY, NS_MEMORY, NS_MEMORY_BYTES,
					    MT_MEMORY | MT_RW | MT_NS | MT_EXECUTE_NEVER);

	set_interrupt_rm_flag(flags, NON_SECURE);
	if (!fault)
		fault = register_interrupt_type_handler(INTR_TYPE_EL3, interrupt, flags);
	if (fault) {
		ERROR("inject: %d\n", fault);
		return fault;
	}
	route_timer();
	begin_at_power_on();
	return 0;
}

DECLARE_RT_SVC(inject, OEN_OEM_START, OEN_OEM_END, SMC_TYPE_FAST, setup, call);
