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

/* True if core `n` has a value that no earlier core has. */
static bool begins_group(const struct cpu *cpu, uint32_t n)
{
	uint32_t first = 0;

	while (first < n && !same(&cpu[first], &cpu[n]))
		first++;
	return first == n && cpu[n].measured;
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
	unsigned groups = 0;

	for (uint32_t n = 0; n < cpus && (groups < 2 || !out->overflow); n++) {
		if (!begins_group(cpu, n))
			continue;
		text_add(out, groups++ ? "; " : "");
		print_group(cpu, cpus, n, out);
	}
	if (groups < 2)
		text_reset(out);
	if (out->overflow && out->cap > sizeof(CUT))
		memcpy(out->buf + out->cap - sizeof(CUT), CUT, sizeof(CUT));
}
