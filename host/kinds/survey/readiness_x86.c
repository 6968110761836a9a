/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a core, from a survey's readings. Sources: Intel SDM vol. 4, tables 2-2 and those
 * of the models; for bits that it gives to some models only, Linux, as named; AMD APM vol. 2 and
 * PPRs.
 */
#include "readiness.h"

#define BIT(n) (UINT64_C(1) << (n))

#define MSR_FEATURE_CONTROL 0x3au
#define MSR_TSC_ADJUST      0x3bu
#define MSR_BIOS_SIGN_ID    0x8bu
#define MSR_PACKAGE_C       0xe2u
#define MSR_MISC_ENABLE     0x1a0u
#define MSR_PREFETCH        0x1a4u
#define MSR_BIAS            0x1b0u
#define MSR_DEBUGCTL        0x1d9u
#define MSR_POWER_CTL       0x1fcu
#define MSR_PM_ENABLE       0x770u
#define MSR_HWCR            0xc0010015u
#define MSR_CSTATE_BASE     0xc0010073u
#define MSR_CPPC_ENABLE     0xc00102b1u

#define INTEL 0x756e6547u /* "Genu" */
#define AMD   0x68747541u /* "Auth" */
#define HYGON 0x6f677948u /* "Hygo" */

#define LVT_THERMAL 0x330u
#define LVT_MODE    (7u << 8)
#define LVT_SMI     (2u << 8)
#define LVT_MASKED  (1u << 16)

static const struct maybe unknown;

struct leaf {
	uint32_t eax, ebx, ecx, edx;
};

/* All 0 where the core has no such leaf. */
static struct leaf leaf_of(const struct survey_core *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct survey_reading *r = &c->at[i];

		if (r->area == SURVEY_CPUID && r->number == number && !r->sub)
			return (struct leaf){ (uint32_t)r->value[0], (uint32_t)(r->value[0] >> 32),
					      (uint32_t)r->value[1],
					      (uint32_t)(r->value[1] >> 32) };
	}
	return (struct leaf){ 0 };
}

static struct maybe know(uint64_t value)
{
	return (struct maybe){ value, true };
}

static struct maybe msr_of(const struct survey_core *c, uint32_t msr)
{
	struct maybe v = { 0, false };

	v.known = survey_value(c, SURVEY_MSR, msr, &v.value);
	return v;
}

static uint32_t maker(const struct survey_core *c)
{
	uint32_t vendor = leaf_of(c, 0).ebx;

	return vendor == HYGON ? AMD : vendor;
}

/* ---- Settings that are a field of a register ---- */

enum processors { ALL, ON_INTEL, ON_AMD, NOT_ON_AMD };
enum leaf_word { EAX, EBX, ECX, EDX };

static const struct field {
	enum readiness_item item;
	enum processors on;
	/* The processor has the setting if it has this bit of CPUID; leaf 0: always. */
	uint32_t leaf;
	enum leaf_word word;
	unsigned bit;
	bool off_without; /* without the bit the setting is off; else it is not known */
	uint32_t msr;
	unsigned shift;
	uint64_t mask;
	bool inverted;
} fields[] = {
	/* The bit of leaf 6 reads as 0 where IA32_MISC_ENABLE[38] disables it. */
	{ READINESS_TURBO, NOT_ON_AMD, 6, EAX, 1, true, MSR_MISC_ENABLE, 38, 1, true },
	{ READINESS_TURBO, ON_AMD, 0x80000007, EDX, 9, true, MSR_HWCR, 25, 1, true },
	/* Linux, intel_pstate.c (MSR_IA32_POWER_CTL_BIT_EE): processors with HWP have it. */
	{ READINESS_EFFICIENT_TURBO, ALL, 6, EAX, 7, false, MSR_POWER_CTL, 19, 1, true },
	{ READINESS_SPEEDSTEP, NOT_ON_AMD, 1, ECX, 7, true, MSR_MISC_ENABLE, 16, 1, false },
	{ READINESS_HWP, NOT_ON_AMD, 6, EAX, 7, true, MSR_PM_ENABLE, 0, 1, false },
	{ READINESS_HWP, ON_AMD, 0x80000008, EBX, 27, true, MSR_CPPC_ENABLE, 0, 1, false },
	{ READINESS_BIAS, ALL, 6, ECX, 3, false, MSR_BIAS, 0, 0xf, false },
	/* Other values of the field depend on the model; 0 is C0 or C1 in all. */
	{ READINESS_PACKAGE_C, ALL, .msr = MSR_PACKAGE_C, .mask = 0xf },
	{ READINESS_C1E, ALL, .msr = MSR_POWER_CTL, .shift = 1, .mask = 1 },
	{ READINESS_TSC_ADJUST, ALL, .msr = MSR_TSC_ADJUST, .mask = UINT64_MAX },
	/* Each bit that is set disables one; newer models have more than four. */
	{ READINESS_PREFETCH, ALL, .msr = MSR_PREFETCH, .mask = UINT64_MAX },
	{ READINESS_PROCHOT, ALL, .msr = MSR_POWER_CTL, .mask = 1 },
	{ READINESS_FREEZE, ON_INTEL, .msr = MSR_DEBUGCTL, .shift = 14, .mask = 1 },
};

static bool is_on(const struct survey_core *c, enum processors on)
{
	uint32_t of = maker(c);

	return on == ALL || (on == ON_INTEL && of == INTEL) || (on == ON_AMD && of == AMD) ||
	       (on == NOT_ON_AMD && of != AMD);
}

static struct maybe field_of(const struct survey_core *c, const struct field *f)
{
	const struct leaf leaf = leaf_of(c, f->leaf);
	const uint32_t words[] = { leaf.eax, leaf.ebx, leaf.ecx, leaf.edx };
	struct maybe v;

	if (f->leaf && !(words[f->word] >> f->bit & 1))
		return (struct maybe){ 0, f->off_without };
	v = msr_of(c, f->msr);
	if (v.known)
		v.value = (v.value >> f->shift & f->mask) ^ f->inverted;
	return v;
}

/* ---- Other settings ---- */

/*
 * True if MWAIT exists and offers only C1, or, on AMD, if no port leads deeper. Other states are in
 * the DSDT, which is not interpreted here.
 */
static struct maybe core_c(const struct survey_core *c)
{
	struct leaf mwait = leaf_of(c, 5);
	struct maybe base = msr_of(c, MSR_CSTATE_BASE);

	if (!(leaf_of(c, 1).ecx & BIT(3)))
		mwait.edx = 0;
	if (maker(c) == AMD && (!base.known || base.value))
		return unknown;
	return mwait.edx >> 8 ? unknown : know(0);
}

/*
 * True if the thermal interrupt is delivered as an SMI, where it is enabled (Linux, therm_throt.c).
 */
static struct maybe thermal(const struct survey_core *c)
{
	uint64_t lvt;

	if (!survey_value(c, SURVEY_APIC, LVT_THERMAL, &lvt))
		return unknown;
	return know((lvt & LVT_MODE) == LVT_SMI && !(lvt & LVT_MASKED));
}

static struct maybe microcode(const struct survey_core *c)
{
	uint64_t v = msr_of(c, MSR_BIOS_SIGN_ID).value;

	v = maker(c) == AMD ? v & UINT32_MAX : v >> 32;
	return (struct maybe){ v, v != 0 };
}

/*
 * Threads of a core, as the firmware has set them: leaf 0Bh's first level (Linux, topology_ext.c),
 * or AMD's 8000001Eh.
 */
static struct maybe smt(const struct survey_core *c)
{
	uint32_t threads = leaf_of(c, 0xb).ebx & 0xffff;

	if (!threads && maker(c) == AMD && leaf_of(c, 0x80000001).ecx & BIT(22))
		threads = (leaf_of(c, 0x8000001e).ebx >> 8 & 0xff) + 1;
	return threads ? know(threads > 1) : unknown;
}

/* 1: MSR_PKG_CST_CONFIG_CONTROL, 2: IA32_FEATURE_CONTROL, 4: AMD's SMM. */
static struct maybe locks(const struct survey_core *c)
{
	struct maybe package = msr_of(c, MSR_PACKAGE_C), feature = msr_of(c, MSR_FEATURE_CONTROL);
	struct maybe smm = msr_of(c, MSR_HWCR);

	return (struct maybe){ (package.value >> 15 & 1) | (feature.value & 1) << 1 |
				       (smm.value & 1) << 2,
			       package.known || feature.known || smm.known };
}

/* True under a hypervisor, whose registers do not show the state of the machine. */
static bool is_guest(const struct survey_core *c)
{
	return leaf_of(c, 1).ecx & BIT(31);
}

void readiness_x86(const struct survey_core *c, struct readiness_values *values)
{
	*values = (struct readiness_values){ 0 };
	if (is_guest(c))
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (is_on(c, fields[i].on))
			values->of[fields[i].item] = field_of(c, &fields[i]);
	values->of[READINESS_CORE_C] = core_c(c);
	values->of[READINESS_THERMAL] = thermal(c);
	values->of[READINESS_MICROCODE] = microcode(c);
	values->of[READINESS_SMT] = smt(c);
	values->of[READINESS_LOCKS] = locks(c);
}
