/* SPDX-License-Identifier: BSD-2-Clause */
/* One group per value, in the order of the first core with it. */
#include "tsc_adjust.h"

#include "core/lib/cpulist.h"
#include "core/lib/mem.h"

#define CUT "..."

/* True if both cores have the same value. A core that did not start has none. */
static bool same(const struct cpu *a, const struct cpu *b)
{
	return a->measured && b->measured && a->tsc_adjust.known == b->tsc_adjust.known &&
	       (!a->tsc_adjust.known || a->tsc_adjust.value == b->tsc_adjust.value);
}

/* The first core, from `n` on, whose value no earlier core has; `cpus`: none. */
static uint32_t next_group(const struct cpu *cpu, uint32_t cpus, uint32_t n)
{
	for (; n < cpus; n++) {
		uint32_t first = 0;

		while (first < n && !same(&cpu[first], &cpu[n]))
			first++;
		if (first == n && cpu[n].measured)
			break;
	}
	return n;
}

static void print_group(const struct cpu *cpu, uint32_t cpus, uint32_t first, struct text *out)
{
	struct cpulist list;

	cpulist_clear(&list);
	for (uint32_t i = first; i < cpus; i++) {
		if (same(&cpu[i], &cpu[first]))
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
	uint32_t first = next_group(cpu, cpus, 0), next = next_group(cpu, cpus, first + 1);

	if (next >= cpus)
		return;
	print_group(cpu, cpus, first, out);
	for (; next < cpus && !out->overflow; next = next_group(cpu, cpus, next + 1)) {
		text_add(out, "; ");
		print_group(cpu, cpus, next, out);
	}
	if (out->overflow && out->cap > sizeof(CUT))
		memcpy(out->buf + out->cap - sizeof(CUT), CUT, sizeof(CUT));
}
