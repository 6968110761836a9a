/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores' settings against those that profiles ask for: tables, judgement and output. */
#include "readiness.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/cpulist.h"

#define STATE_MAX 120

/* A profile's demand on a setting. */
enum asks {
	ANY, /* nothing */
	IS_0,
	IS_1,
	SAME, /* equal on all cores, with any value */
};

/*
 * Requirements of each profile.
 *
 * rhel-rt: power management is to be disabled in the BIOS, since both a clock that changes its
 * frequency and a core that sleeps answer later. No register shows its advice on EDAC, and it
 * leaves SMIs to the vendor.
 *
 * openshift-ran: the table's rows with a register; the reference design adds that Hyper-Threading
 * is required. "CPU power and performance policy: performance" is IA32_ENERGY_PERF_BIAS 0.
 *
 * intel-tcc: what Intel's own firmware sets in its TCC Mode (HyperThreading, Eist, Hwp, Cx = 0).
 *
 * linux: what the kernel reports as a fault of the firmware, or leaves to SMIs.
 */
static const struct {
	const char *name, *title, *source;
} profiles[READINESS_PROFILES] = {
	[READINESS_RHEL_RT] = { "rhel-rt", "Red Hat Enterprise Linux for Real Time",
				"Optimizing RHEL 9 for Real Time for low latency operation, "
				"\"Setting BIOS parameters for "
				"system tuning\"" },
	[READINESS_OPENSHIFT_RAN] = { "openshift-ran", "OpenShift, Telco RAN DU",
				      "openshift-docs, ztp-du-host-firmware-requirements; Telco "
				      "RAN DU reference design, \"Host "
				      "firmware tuning\"" },
	[READINESS_INTEL_TCC] = { "intel-tcc", "Intel Time Coordinated Computing, TCC Mode",
				  "Slim Bootloader, Elkhart Lake, TccModePreMemConfig() and "
				  "TccModePostMemConfig()" },
	[READINESS_LINUX] = { "linux", "Linux",
			      "arch/x86/kernel/tsc_sync.c; drivers/thermal/intel/therm_throt.c; "
			      "arch/x86/kernel/cpu/microcode/core.c" },
};

/*
 * Value 0 is printed as the first word, 1 as the second; NULL: as a number in hexadecimal. What is
 * asked is in the order of the profiles.
 */
/* clang-format off */
static const struct {
	const char *name, *word[2];
	enum asks asks[READINESS_PROFILES];
} items[READINESS_ITEMS] = {
	[READINESS_TURBO] = { "turbo", { "off", "on" }, { ANY, IS_1, ANY, ANY } },
	[READINESS_EFFICIENT_TURBO] = { "energy-efficient-turbo", { "off", "on" },
		{ ANY, IS_0, ANY, ANY } },
	[READINESS_SPEEDSTEP] = { "speedstep", { "off", "on" }, { IS_0, IS_1, IS_0, ANY } },
	[READINESS_HWP] = { "hwp", { "off", "on" }, { IS_0, IS_0, IS_0, ANY } },
	[READINESS_BIAS] = { "energy-perf-bias", { "performance", NULL }, { ANY, IS_0, ANY, ANY } },
	[READINESS_PACKAGE_C] = { "package-c-state-limit", { "C0/C1", NULL },
		{ IS_0, IS_0, IS_0, ANY } },
	[READINESS_CORE_C] = { "core-c-states", { "C1 only", "deeper" },
		{ IS_0, IS_0, IS_0, ANY } },
	[READINESS_C1E] = { "c1e", { "off", "on" }, { IS_0, IS_0, ANY, ANY } },
	[READINESS_SMT] = { "smt", { "off", "on" }, { ANY, IS_1, IS_0, ANY } },
	[READINESS_THERMAL] = { "thermal-interrupt", { "not an SMI", "an SMI" },
		{ ANY, ANY, ANY, IS_0 } },
	[READINESS_TSC_ADJUST] = { "tsc-adjust", { NULL, NULL }, { ANY, ANY, ANY, SAME } },
	[READINESS_MICROCODE] = { "microcode", { NULL, NULL }, { ANY, ANY, ANY, SAME } },
	[READINESS_PREFETCH] = { "prefetchers", { "all on", NULL }, { ANY, ANY, ANY, ANY } },
	[READINESS_PROCHOT] = { "prochot-input", { "off", "on" }, { ANY, ANY, ANY, ANY } },
	[READINESS_FREEZE] = { "freeze-on-smi", { "off", "on" }, { ANY, ANY, ANY, ANY } },
	[READINESS_USB] = { "usb-legacy", { "off", "on" }, { ANY, ANY, ANY, ANY } },
	[READINESS_LOCKS] = { "locked", { "none", NULL }, { ANY, ANY, ANY, ANY } },
};
/* clang-format on */

const char *readiness_item_name(enum readiness_item item)
{
	return items[item].name;
}

/* True if this core's value is not what is asked for; *first is what all must be the same as. */
static bool is_wrong(enum asks asks, struct maybe value, struct maybe *first)
{
	if (!value.known)
		return false;
	if (asks != SAME)
		return value.value != (asks == IS_1);
	if (!first->known)
		*first = value;
	return value.value != first->value;
}

enum readiness_judged readiness_judge(const struct readiness *r, enum readiness_profile profile,
				      enum readiness_item item)
{
	enum asks asks = items[item].asks[profile];
	struct maybe first = { 0, false };
	bool all = r->cores != 0;

	if (asks == ANY)
		return READINESS_NOBODY;
	for (uint32_t i = 0; i < r->cores; i++) {
		if (is_wrong(asks, r->core[i].of[item], &first))
			return READINESS_NOT_READY;
		all = all && r->core[i].of[item].known;
	}
	return all ? READINESS_READY : READINESS_UNKNOWN;
}

static void put_value(struct text *out, enum readiness_item item, uint64_t value)
{
	const char *word = value < 2 ? items[item].word[value] : NULL;

	if (word)
		text_add(out, "%s", word);
	else
		text_add(out, "0x%llx", (unsigned long long)value);
}

static bool is_same(struct maybe a, struct maybe b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

/* List the cores that have the value of core `of`, and count them; 0: an earlier core has it. */
static uint32_t group(const struct readiness *r, enum readiness_item item, uint32_t of,
		      struct cpulist *list)
{
	uint32_t count = 0;

	cpulist_clear(list);
	for (uint32_t i = 0; i < r->cores; i++) {
		if (!is_same(r->core[i].of[item], r->core[of].of[item]))
			continue;
		if (i < of)
			return 0;
		cpulist_add(list, r->number[i]);
		count++;
	}
	return count;
}

static bool any_known(const struct readiness *r, enum readiness_item item)
{
	uint32_t i = 0;

	while (i < r->cores && !r->core[i].of[item].known)
		i++;
	return i < r->cores;
}

void readiness_state(const struct readiness *r, enum readiness_item item, struct text *out)
{
	const char *between = "";
	struct cpulist list;

	for (uint32_t i = 0; any_known(r, item) && i < r->cores; i++) {
		struct maybe value = r->core[i].of[item];
		uint32_t count = group(r, item, i, &list);

		if (!count)
			continue;
		text_add(out, "%s", between);
		between = ", ";
		if (value.known)
			put_value(out, item, value.value);
		else
			text_add(out, "n/a");
		if (count == r->cores)
			continue;
		text_add(out, " ");
		cpulist_print(&list, out);
	}
}

unsigned readiness_count(const struct readiness *r, enum readiness_profile profile,
			 enum readiness_judged judged)
{
	unsigned n = 0;

	for (unsigned item = 0; item < READINESS_ITEMS; item++)
		n += readiness_judge(r, profile, (enum readiness_item)item) == judged;
	return n;
}

/* ---- Output: a row per item and profile that asks, each profile's totals, and its source ---- */

static void print_state(struct text *t, const struct readiness *r, enum readiness_item item,
			const char *format)
{
	TEXT_DEFINE(state, STATE_MAX);

	readiness_state(r, item, &state);
	text_add(t, format, items[item].name, state.len ? state.buf : "n/a");
}

static bool print_row(struct text *t, const struct readiness *r, enum readiness_item item,
		      enum readiness_profile profile)
{
	static const char *const words[] = { "ready", "not ready", "unknown" };
	enum asks asks = items[item].asks[profile];

	if (asks == ANY)
		return false;
	print_state(t, r, item, "%-23s %-15s ");
	text_add(t, "%-14s %-10s ", profiles[profile].name,
		 words[readiness_judge(r, profile, item)]);
	if (asks == SAME)
		text_add(t, "the same on all cores");
	else
		put_value(t, item, asks == IS_1);
	text_sanitize_print(t);
	return true;
}

static void print_item(struct text *t, const struct readiness *r, enum readiness_item item)
{
	bool any = false;

	for (unsigned p = 0; p < READINESS_PROFILES; p++)
		any |= print_row(t, r, item, (enum readiness_profile)p);
	if (any)
		return;
	print_state(t, r, item, "%-23s %s");
	text_sanitize_print(t);
}

/* "rhel-rt: 3 ready, 1 not ready, 1 unknown; Red Hat ..., by Optimizing ..." */
static void print_profile(struct text *t, const struct readiness *r, enum readiness_profile p)
{
	text_add(t, "%s: %u ready, %u not ready, %u unknown; %s, by %s", profiles[p].name,
		 readiness_count(r, p, READINESS_READY), readiness_count(r, p, READINESS_NOT_READY),
		 readiness_count(r, p, READINESS_UNKNOWN), profiles[p].title, profiles[p].source);
	text_sanitize_print(t);
}

void readiness_print(struct text *t, const struct readiness *r)
{
	if (!r->cores)
		return;
	text_add(t, "SETTING                 STATE           PROFILE        JUDGED     ASKS FOR");
	text_sanitize_print(t);
	for (unsigned item = 0; item < READINESS_ITEMS; item++)
		print_item(t, r, (enum readiness_item)item);
	for (unsigned p = 0; p < READINESS_PROFILES; p++)
		print_profile(t, r, (enum readiness_profile)p);
}
