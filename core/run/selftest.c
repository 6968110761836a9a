/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TSC offsets by ping-pong: the boot core stamps, the other answers with its own
 * stamp, the boot core stamps again. The tightest exchange of many gives the
 * offset; half its width bounds the error (Cristian 1989).
 */
#include "selftest.h"

#include "core/lib/mem.h"
#include "core/lib/ticks.h"

#include <stdatomic.h>
#include <stddef.h>

#define EXCHANGES                256
#define EXCHANGES_NS             20000000 /* at most, per core */
#define ANSWER_TURNS             4096     /* without a ping, before the partner relaxes once */
#define NMI_ANSWER_NS            100000000
#define DELAY_NS                 20000
#define PROVED_NMI               "nmi"
#define NMI_ANSWER_NS_HYPERVISOR UINT64_C(10000000000)

struct exchange {
	struct cpu *partner;
	_Atomic uint32_t over;
	_Atomic uint64_t ping, pong;
	_Atomic uint64_t stamp;
};

/* Wait for `*word` to be `value`; false when it took too long. */
static bool await(const struct platform *p, const _Atomic uint64_t *word, uint64_t value,
		  uint64_t until)
{
	while (atomic_load(word) != value)
		if (p->now() > until)
			return false;
	return true;
}

static void answer(struct team *team, struct exchange *x)
{
	const struct platform *p = team->platform;
	uint64_t seen = 0;

	/* Relaxing delays an answer, so there is none in an uninterrupted exchange. */
	for (uint32_t turns = 1; !atomic_load(&x->over); turns++) {
		uint64_t ping = atomic_load(&x->ping);

		if (ping == seen) {
			if (turns % ANSWER_TURNS == 0)
				p->relax();
			continue;
		}
		turns = 0;
		atomic_store(&x->stamp, p->now());
		atomic_store(&x->pong, ping);
		seen = ping;
	}
}

static void selftest_ask(struct team *team, struct exchange *x)
{
	const struct platform *p = team->platform;
	struct cpu *cpu = x->partner;
	/* The partner may have to wake up first. */
	uint64_t until = p->now() + p->hz;
	uint64_t tightest = UINT64_MAX;

	for (uint64_t i = 1; i <= EXCHANGES; i++) {
		uint64_t before = p->now();

		atomic_store(&x->ping, i);
		if (!await(p, &x->pong, i, until))
			break;
		if (i == 1)
			until = p->now() + ticks_from_ns(EXCHANGES_NS, p->hz);

		uint64_t width = p->now() - before;

		if (width >= tightest)
			continue;
		tightest = width;
		cpu->tsc_offset = (int64_t)(atomic_load(&x->stamp) - (before + width / 2));
	}
	if (tightest == UINT64_MAX)
		return;
	cpu->tsc_offset_bound = (struct maybe){ (tightest + 1) / 2, true };

	uint64_t size = (uint64_t)(cpu->tsc_offset < 0 ? -cpu->tsc_offset : cpu->tsc_offset);

	if (size <= cpu->tsc_offset_bound.value)
		cpu->tsc_offset = 0;
}

static void offset_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct exchange *x = arg;

	if (cpu->position != 0) {
		answer(team, x);
		return;
	}
	selftest_ask(team, x);
	atomic_store(&x->over, 1);
}

static bool is_partner(const struct cpu *cpu, const void *arg)
{
	const struct exchange *x = arg;

	return cpu == x->partner;
}

void selftest_offsets(struct team *team)
{
	struct platform *p = team->platform;

	p->cpu[0].tsc_offset_bound = (struct maybe){ 0, true };
	for (uint32_t i = 1; i < p->cpus; i++) {
		struct exchange x = { .partner = &p->cpu[i] };

		if (team_member(&p->cpu[i]))
			team_do_some(team, is_partner, offset_task, &x, p->hz);
	}
}

/* True if the test NMI was counted. nmi.last is the count before it was sent. */
static bool proved(const struct cpu *cpu)
{
	return (uint32_t)*cpu->nmi.count != cpu->nmi.last;
}

static bool all_proved(const struct platform *p)
{
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].measured && !proved(&p->cpu[i]))
			return false;
	return true;
}

void selftest_nmi(struct team *team)
{
	struct platform *p = team->platform;
	uint64_t until;

	if (!p->send_nmi)
		return;
	/* The other cores rest meanwhile: an NMI reaches them anyway. */
	for (uint32_t i = 0; i < p->cpus; i++) {
		p->cpu[i].nmi.last = (uint32_t)*p->cpu[i].nmi.count;
		if (p->cpu[i].measured)
			p->send_nmi(&p->cpu[i]);
	}
	until = p->now() +
		ticks_from_ns(p->hypervisor ? NMI_ANSWER_NS_HYPERVISOR : NMI_ANSWER_NS, p->hz);
	while (!all_proved(p) && p->now() < until)
		p->relax();
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];

		if (cpu->measured)
			cpu->proved = proved(cpu) ? PROVED_NMI : "test NMI was not counted";
		cpu->nmi.last = (uint32_t)*cpu->nmi.count;
	}
}

static void delay_task(struct team *team, struct cpu *cpu, void *arg)
{
	const struct platform *p = team->platform;
	bool found;

	(void)arg;
	if (!cpu->measured)
		return;
	found = p->delay(cpu, ticks_from_ns(DELAY_NS, p->hz));
	if (!cpu->proved)
		cpu->proved = found ? "delay" : "test delay was not found";
	else if (!strcmp(cpu->proved, PROVED_NMI))
		cpu->proved = found ? PROVED_NMI ", delay" : "test delay was not found";
}

void selftest_delay(struct team *team)
{
	if (team->platform->delay)
		team_do(team, delay_task, NULL, team->platform->hz);
}
