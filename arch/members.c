/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores that were started, or that the firmware lends, and the work that they do. */
#include "members.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <stdatomic.h>

/* Longest time between two readings of the clock; in a longer one, the core was stopped. */
#define LOOK_MAX_NS UINT64_C(1000000)

static struct members {
	const struct arch_setup *setup;
	void (*member)(struct cpu *, void *);
	void *arg;
	_Atomic bool go; /* members may begin */
	_Atomic uint32_t answers;
	_Atomic uint32_t busy; /* members that have not returned yet */
} members;

void arch_relax(void)
{
	clock_relax();
}

void members_init(const struct arch_setup *s)
{
	members.setup = s;
}

void members_take_over(void)
{
	for (uint32_t i = 0; i < members.setup->cpus; i++)
		atomic_store(&members.setup->cpu[i].state, i ? CPU_ABSENT : CPU_READY);
	atomic_store(&members.go, false);
}

bool members_absent(uint32_t i)
{
	return atomic_load(&members.setup->cpu[i].state) == CPU_ABSENT;
}

/* Time since `last`, which becomes now; at most the longest time between two readings. */
static uint64_t own_ticks(uint64_t *last, uint64_t most)
{
	uint64_t now = clock_now(), passed = now - *last;

	*last = now;
	return passed < most ? passed : most;
}

bool members_answered(uint32_t quiet_ms)
{
	const struct arch_setup *s = members.setup;
	uint64_t limit = ticks_from_ns(quiet_ms * UINT64_C(1000000), s->hz);
	uint64_t most = ticks_from_ns(LOOK_MAX_NS, s->hz);
	uint64_t last = clock_now(), quiet = 0;
	uint32_t answers = atomic_load(&members.answers), i = 1;

	while (quiet <= limit) {
		while (i < s->cpus && !members_absent(i))
			i++;
		if (i == s->cpus)
			return true;
		quiet += own_ticks(&last, most);
		if (answers != atomic_load(&members.answers))
			quiet = 0;
		answers = atomic_load(&members.answers);
		clock_relax();
	}
	return false;
}

bool members_leave_out(uint32_t i)
{
	uint32_t absent = CPU_ABSENT;

	return atomic_compare_exchange_strong(&members.setup->cpu[i].state, &absent, CPU_TOO_LATE);
}

void members_complain(const char *what)
{
	const struct arch_setup *s = members.setup;
	TEXT_DEFINE(t, 120);

	for (uint32_t i = 1; i < s->cpus; i++) {
		if (!members_absent(i) || !members_leave_out(i))
			continue;
		text_reset(&t);
		text_add(&t, "cpu %u (APIC id %u) did not answer %s; it is left out",
			 (unsigned)s->cpu[i].index, (unsigned)s->cpu[i].apic_id, what);
		s->complain(t.buf);
	}
}

static void do_work(void *ctx)
{
	members.member(ctx, members.arg);
}

void arch_serve(struct cpu *cpu)
{
	uint32_t absent = CPU_ABSENT;

	if (!atomic_compare_exchange_strong(&cpu->state, &absent, CPU_READY))
		return;
	atomic_fetch_add(&members.answers, 1);
	while (!atomic_load(&members.go))
		members.setup->idle(cpu);
	if (!arch_try_last(do_work, cpu))
		atomic_store(&cpu->state, CPU_FAULTED);
	atomic_fetch_sub(&members.busy, 1);
}

bool arch_start(struct platform *p, void (*member)(struct cpu *, void *), void *arg)
{
	uint32_t ready = 0;

	/* A core that answers later has missed the preparations of the others. */
	for (uint32_t i = 1; i < p->cpus; i++)
		ready += !members_leave_out(i) && atomic_load(&p->cpu[i].state) == CPU_READY;
	members.member = member;
	members.arg = arg;
	atomic_store(&members.busy, ready);
	atomic_store(&members.go, true);
	for (uint32_t i = 1; p->wake && i < p->cpus; i++)
		if (atomic_load(&p->cpu[i].state) == CPU_READY)
			p->wake(&p->cpu[i]);
	return ready > 0;
}

void arch_finish(struct platform *p)
{
	uint64_t start = p->now();

	/* Members leave within microseconds; ten seconds is enough for any hypervisor. */
	while (atomic_load(&members.busy) && p->now() - start < 10 * p->hz)
		p->relax();
}
