/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TSC offsets by ping-pong: the boot core stamps, the other answers with its own
 * stamp, the boot core stamps again. The tightest exchange of many gives the
 * offset; half its width bounds the error (Cristian 1989).
 */
#include "selftest.h"

#include "ticks.h"

#include <stdatomic.h>
#include <stddef.h>

#define EXCHANGES       256
#define EXCHANGES_NS    20000000 /* at most, per core */
#define NMI_ANSWER_NS   100000000
#define NMI_ANSWER_NS_HYPERVISOR UINT64_C(10000000000)

struct exchange {
	_Atomic uint32_t turn; /* index of the core that answers; 0: none yet */
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

static void answer(struct team *team, struct cpu *cpu, struct exchange *x)
{
	const struct platform *p = team->platform;
	uint64_t seen = 0;

	while (atomic_load(&x->turn) < cpu->index)
		p->relax();
	while (atomic_load(&x->turn) == cpu->index) {
		uint64_t ping = atomic_load(&x->ping);

		if (ping == seen) {
			if (p->hypervisor)
				p->relax();
			continue;
		}
		atomic_store(&x->stamp, p->now());
		atomic_store(&x->pong, ping);
		seen = ping;
	}
}

static void ask(struct team *team, struct cpu *cpu, struct exchange *x)
{
	const struct platform *p = team->platform;
	uint64_t until = p->now() + ns_to_ticks(EXCHANGES_NS, p->hz);
	uint64_t tightest = UINT64_MAX;

	atomic_store(&x->ping, 0);
	atomic_store(&x->pong, 0);
	atomic_store(&x->turn, cpu->index);
	for (uint64_t i = 1; i <= EXCHANGES; i++) {
		uint64_t before = p->now();

		atomic_store(&x->ping, i);
		if (!await(p, &x->pong, i, until))
			break;

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
	struct platform *p = team->platform;

	if (cpu->index != 0) {
		answer(team, cpu, x);
		return;
	}
	for (uint32_t i = 1; i < p->cpus; i++)
		if (team_member(&p->cpu[i]))
			ask(team, &p->cpu[i], x);
	atomic_store(&x->turn, UINT32_MAX);
}

void selftest_offsets(struct team *team)
{
	struct exchange x = { 0 };
	struct platform *p = team->platform;

	p->cpu[0].tsc_offset_bound = (struct maybe){ 0, true };
	team_do(team, offset_task, &x, p->cpus * p->hz);
}

static void idle_task(struct team *team, struct cpu *cpu, void *arg)
{
	const _Atomic uint32_t *done = arg;

	(void)cpu;
	while (!atomic_load(done))
		team->platform->relax();
}

struct nmi_order {
	_Atomic uint32_t done;
};

static bool all_proved(const struct platform *p)
{
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].measured && !*p->cpu[i].nmi_count)
			return false;
	return true;
}

static void nmi_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct nmi_order *o = arg;
	struct platform *p = team->platform;
	uint64_t until;

	if (cpu->index != 0) {
		idle_task(team, cpu, &o->done);
		return;
	}
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].measured && !*p->cpu[i].nmi_count)
			p->send_nmi(&p->cpu[i]);
	until = p->now() +
		ns_to_ticks(p->hypervisor ? NMI_ANSWER_NS_HYPERVISOR : NMI_ANSWER_NS, p->hz);
	while (!all_proved(p) && p->now() < until)
		p->relax();
	atomic_store(&o->done, 1);
}

void selftest_nmi(struct team *team)
{
	struct platform *p = team->platform;
	struct nmi_order o = { 0 };

	if (!p->send_nmi)
		return;
	team_do(team, nmi_task, &o, 10 * p->hz);
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];

		if (cpu->measured)
			cpu->proved = *cpu->nmi_count ? "nmi" : "test NMI was not counted";
		cpu->nmi_last = *cpu->nmi_count;
	}
}
