/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores on loan from the firmware. One procedure keeps all application processors for the whole
 * stage: firmware looks for finished ones only every 100 ms, so a call per window would waste most
 * of the time.
 */
#include "platform_firmware.h"

#include "probe/app.h"

#include "arch/arch.h"
#include "core/kinds/fault/fault.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"

#include <stdatomic.h>

/* The firmware's processors may be threads of a busy host, which arrive late. */
#define ARRIVE_NS         UINT64_C(10000000000)
#define ARRIVE_PER_CPU_NS UINT64_C(20000000) /* for emulated cores that start one by one */
#define RETURN_NS         UINT64_C(10000000000)

struct loan {
	uint32_t started; /* processors that the firmware runs the procedure on */
	bool open;        /* from platform_firmware_borrow() to platform_firmware_leave() */
	bool lent;        /* the firmware runs our procedure */
	bool borrowed;    /* the boot core is ours at present */
	struct arch_borrowed boot;
};

static struct loan loan;

static struct cpu *cpu_here(const struct platform *p)
{
	uint32_t id = arch_apic_id();

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].apic_id == id)
			return &p->cpu[i];
	return NULL;
}

static void on_processor(void)
{
	struct cpu *cpu = cpu_here(&app->platform);
	struct arch_borrowed saved;

	if (!cpu || cpu->index == 0)
		return;
	arch_borrow(cpu->position, &saved);
	arch_serve(cpu);
	arch_give_back(&saved);
}

/* Have the firmware run on_processor() on all other processors. False: it refuses. */
static bool platform_firmware_lend(const struct platform *p)
{
	uint32_t others;
	bool lent = door.loan->lend(on_processor, &others);

	loan.started = others < p->cpus - 1 ? others : p->cpus - 1;
	return lent;
}

/* Wait until the other cores have arrived, or no more can be expected. */
static void wait_arrivals(const struct platform *p)
{
	uint64_t start = p->now();
	uint64_t most = ticks_from_ns(ARRIVE_NS + ARRIVE_PER_CPU_NS * p->cpus, p->hz);
	uint32_t ready = 0;

	while (ready < loan.started && p->now() - start < most) {
		ready = 0;
		for (uint32_t i = 1; i < p->cpus; i++)
			ready += atomic_load(&p->cpu[i].state) == CPU_READY;
		p->relax();
	}
}

static void log_absent(const struct platform *p)
{
	uint32_t absent = 0;

	for (uint32_t i = 1; i < p->cpus; i++)
		absent += atomic_load(&p->cpu[i].state) == CPU_ABSENT;
	if (absent)
		report_log(&app->report, "warning",
			   "stage firmware: MP Services give only %u of %u cores; the others are "
			   "not measured in this stage",
			   (unsigned)(p->cpus - absent), (unsigned)p->cpus);
}

void platform_firmware_borrow(void)
{
	const struct platform *p = &app->platform;

	steps_note("borrowing the cores from the firmware");
	loan.lent = p->cpus > 1 && platform_firmware_lend(p);
	arch_borrow(0, &loan.boot);
	loan.borrowed = loan.open = true;
	atomic_store(&p->cpu[0].state, CPU_READY);
	if (loan.lent)
		wait_arrivals(p);
	log_absent(p);
}

void platform_firmware_leave(void)
{
	const struct platform *p = &app->platform;
	uint64_t begin = p->now();
	bool away = false;

	steps_note("giving the cores back to the firmware");
	arch_give_back(&loan.boot);
	loan.borrowed = loan.open = false;
	/* ExitBootServices would wait for ever for a processor that is still ours. */
	while (loan.lent && (away = door.loan->is_lent()) &&
	       p->now() - begin < ticks_from_ns(RETURN_NS, p->hz))
		arch_relax();
	if (away)
		fault_report_wait(&app->report, "the firmware's cores to return",
				  (struct maybe){ 0 });
	door.loan->end();
}

bool platform_firmware_resume(void)
{
	if (loan.open && !loan.borrowed) {
		/* The firmware needs its timer to notice that its cores are back. */
		if (door.recover)
			door.recover();
		arch_borrow(0, &loan.boot);
	}
	loan.borrowed = loan.open;
	return loan.open;
}

void platform_firmware_call(void (*call)(void *ctx), void *ctx)
{
	bool borrowed = loan.borrowed;

	/* call() may call this function again. */
	loan.borrowed = false;
	if (borrowed)
		arch_give_back(&loan.boot);
	steps_note("calling a boot service between windows");
	call(ctx);
	if (borrowed)
		arch_borrow(0, &loan.boot);
	loan.borrowed = borrowed;
}
