/* SPDX-License-Identifier: BSD-2-Clause */
/* An attribution as a sentence: the cause, its share of the gap, and missing evidence. */
#include "attribution_rules.h"

#include "core/lib/mem.h"

#include <stddef.h>

static const char *const evidence_names[EVIDENCE_KINDS] = {
#define COUNTED(id, name, from, kind, weight, plural, help, evidence, ...) \
	[EVIDENCE_##id] = evidence,
#include "counted_rows.h"
	[EVIDENCE_MPERF] = "MPERF",
	[EVIDENCE_APERF] = "APERF",
	[EVIDENCE_INSTRUCTIONS] = "instruction counter",
	[EVIDENCE_CYCLES] = "cycle counter",
	[EVIDENCE_REFERENCE] = "reference counter",
	[EVIDENCE_TSC_ADJUST] = "TSC_ADJUST",
	[EVIDENCE_STEAL] = "steal clock",
};

static const char *const throttle_names[] = {
	"thermal",     "PROCHOT",       "critical temperature",
	"power limit", "current limit", "other domain",
};

#define THROTTLES (sizeof(throttle_names) / sizeof(throttle_names[0]))

static const char *const hypervisor_names[] = {
	[HYPERVISOR_NONE] = "nothing",
	[HYPERVISOR_KVM] = "KVM",
	[HYPERVISOR_TCG] = "an emulator",
	[HYPERVISOR_OTHER] = "a hypervisor",
};

/* The numbers that a row's text may name in braces. */
static const struct {
	const char *name;
	size_t offset; /* offset of a uint32_t */
} counts[] = {
#define COUNTED(id, name, ...) { "{" #name "}", offsetof(struct attribution, counted.name) },
#include "counted_rows.h"
	{ "{retired}", offsetof(struct attribution, retired) },
};

static bool begins_with(const char *at, const char *name)
{
	return strlen(at) >= strlen(name) && !memcmp(at, name, strlen(name));
}

/* Print the number named at `at`; returns the length of its name, 0 if there is none. */
static size_t print_number(const struct attribution *a, const char *at, struct text *out)
{
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (!begins_with(at, counts[i].name))
			continue;
		text_add(out, "%u",
			 *(const uint32_t *)(const void *)((const char *)a + counts[i].offset));
		return strlen(counts[i].name);
	}
	if (begins_with(at, "{tsc}")) {
		text_add(out, "%s%lld", a->tsc_step > 0 ? "+" : "", (long long)a->tsc_step);
		return strlen("{tsc}");
	}
	if (begins_with(at, "{hypervisor}")) {
		text_add(out, "%s", hypervisor_names[a->hypervisor]);
		return strlen("{hypervisor}");
	}
	return 0;
}

static void print_text(const struct attribution *a, struct text *out)
{
	const char *at = a->rules->row[a->row].text;

	while (*at) {
		size_t bytes = *at == '{' ? print_number(a, at, out) : 0;

		if (!bytes)
			text_char(out, *at++);
		at += bytes;
	}
}

static void print_parts(const struct attribution *a, uint64_t gap, struct text *out)
{
	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		if (!a->part[p])
			continue;
		text_add(out, ", %s ", a->rules->part[p].text);
		if (a->part[p] < gap / 100)
			text_add(out, "under 1 %% of the gap");
		else
			text_add(out, "%llu %% of the gap",
				 (unsigned long long)(a->part[p] * 100 / gap));
	}
}

/* The names of the bits that are set, with commas, and `before` in front of the first. */
static void print_names(const char *before, uint32_t bits, const char *const *names, unsigned count,
			struct text *out)
{
	for (unsigned i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			continue;
		text_add(out, "%s%s", before, names[i]);
		before = ", ";
	}
}

void attribution_throttle(uint32_t bits, struct text *out)
{
	print_names("", bits, throttle_names, THROTTLES, out);
}

void attribution_sentence(const struct attribution *a, uint64_t gap, struct text *out)
{
	print_text(a, out);
	print_parts(a, gap, out);
	print_names(", missing: ", a->missing, evidence_names, EVIDENCE_KINDS, out);
}
