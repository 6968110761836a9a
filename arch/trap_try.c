/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs functions that an exception may end. */
#include "arch.h"

#include "core/kinds/fault/fault.h"
#include "core/lib/text.h"
#include "percpu.h"

/* The boot core's innermost call, whoever owns the machine; another core's is in struct percpu. */
static struct trap_escape *boot_core;

static bool is_boot_core(const struct percpu *p)
{
	return !p->cpu || p->cpu->position == 0;
}

static bool try(struct trap_escape **innermost, bool is_last, void (*fn)(void *), void *arg)
{
	struct trap_escape e = { .is_last = is_last }, *outer = *innermost;
	bool returned;

	*innermost = &e;
	returned = trap_try(fn, arg, &e);
	*innermost = outer;
	return returned;
}

static bool try_here(bool is_last, void (*fn)(void *), void *arg)
{
	struct percpu *p = percpu_self();

	return try(is_boot_core(p) ? &boot_core : &p->escape, is_last, fn, arg);
}

bool arch_try(void (*fn)(void *), void *arg)
{
	return try_here(false, fn, arg);
}

bool arch_try_last(void (*fn)(void *), void *arg)
{
	return try_here(true, fn, arg);
}

/* The call of arch_try_for(), and its limit. */
static struct timed_call {
	void (*fn)(void *);
	void *arg;
	uint64_t start, ticks;
	bool on, is_over;
} timed;

bool trap_step_goes_on(void)
{
	if (!timed.on)
		return false;
	timed.is_over = clock_now() - timed.start > timed.ticks;
	return !timed.is_over;
}

static void step_through(void *unused)
{
	(void)unused;
	trap_step_on();
	timed.fn(timed.arg);
	trap_step_off();
}

enum arch_tried arch_try_for(void (*fn)(void *), void *arg, uint64_t ticks)
{
	bool returned;

	/* A hypervisor may refuse single-stepping, or lack it: then there is no limit. */
	timed = (struct timed_call){ .fn = fn, .arg = arg, .ticks = ticks };
	timed.on = ticks && arch_try(trap_step_prepare, NULL);
	timed.start = clock_now();
	returned = timed.on ? arch_try(step_through, NULL) : arch_try(fn, arg);
	timed.on = false;
	if (returned)
		return ARCH_TRIED_RETURNED;
	return timed.is_over ? ARCH_TRIED_LATE : ARCH_TRIED_FAULTED;
}

bool arch_guard(void (*fn)(void *), void *arg)
{
	return try(&boot_core, true, fn, arg);
}

bool arch_guard_quietly(void (*fn)(void *), void *arg)
{
	return try(&boot_core, false, fn, arg);
}

const char *arch_fault_text(const struct cpu *cpu)
{
	static char buffer[160];
	const struct percpu *p = (const struct percpu *)((uintptr_t)cpu->nmi.count -
							 offsetof(struct percpu, nmi_count));
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "an exception (%s)", p->fault.what);
	fault_print_where(&t, &p->fault);
	return buffer;
}

static void (*last_words)(const struct record_fault *f);

void arch_last_words(void (*report)(const struct record_fault *f))
{
	last_words = report;
}

static __attribute__((cold)) void report_last(const struct percpu *p, struct record_fault *f)
{
	if (p && p->cpu)
		f->cpu = (struct maybe){ p->cpu->index, true };
	if (last_words)
		last_words(f);
}

const struct trap_escape *trap_way_out(const struct percpu *p, bool on_boot_core,
				       struct record_fault *f)
{
	const struct trap_escape *e = p ? p->escape : NULL;

	if (p ? is_boot_core(p) : on_boot_core)
		e = boot_core;
	if (!e || e->is_last)
		report_last(p, f);
	if (!e)
		arch_halt();
	return e;
}
