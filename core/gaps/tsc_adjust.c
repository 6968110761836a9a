/* SPDX-License-Identifier: BSD-2-Clause */
/* One group per value, in the order of the first core that has it. */
#include "tsc_adjust.h"

#include "core/lib/cpulist.h"
#include "core/lib/mem.h"

#define CUT "..."

/* A core that never came up has none to compare. */
static bool counts(const struct cpu *cpu)
{
	return cpu->measured;
}

static bool same(const struct cpu *a, const struct cpu *b)
{
	return a->tsc_adjust.known == b->tsc_adjust.known &&
	       (!a->tsc_adjust.known || a->tsc_adjust.value == b->tsc_adjust.value);
}

/* The first core with the value of core number n. */
static uint32_t first_like(const struct cpu *cpu, uint32_t n)
{
	uint32_t i = 0;

	while (!counts(&cpu[i]) || !same(&cpu[i], &cpu[n]))
		i++;
	return i;
}

static bool all_same(const struct cpu *cpu, uint32_t cpus)
{
	const struct cpu *one = NULL;

	for (uint32_t i = 0; i < cpus; i++) {
		if (!counts(&cpu[i]))
			continue;
		if (one && !same(one, &cpu[i]))
			return false;
		one = &cpu[i];
	}
	return true;
}

static void print_group(const struct cpu *cpu, uint32_t cpus, uint32_t first, struct text *out)
{
	struct cpulist list;

	cpulist_clear(&list);
	for (uint32_t i = first; i < cpus; i++) {
		if (counts(&cpu[i]) && same(&cpu[i], &cpu[first]))
			cpulist_add(&list, cpu[i].index);
	}
	if (cpu[first].tsc_adjust.known)
		text_add(out, "%lld: ", (long long)cpu[first].tsc_adjust.value);
	else
		text_add(out, "n/a: ");
	cpulist_print(&list, out);
}

void tsc_adjust_print(const struct cpu *cpu, uint32_t cpus, struct text *out)
{
	size_t from = out->len;

	if (all_same(cpu, cpus))
		return;
	for (uint32_t i = 0; i < cpus && !out->overflow; i++) {
		if (!counts(&cpu[i]) || first_like(cpu, i) != i)
			continue;
		if (out->len > from)
			text_add(out, "; ");
		print_group(cpu, cpus, i, out);
	}
	if (out->overflow && out->cap > sizeof(CUT))
		memcpy(out->buf + out->cap - sizeof(CUT), CUT, sizeof(CUT));
}
