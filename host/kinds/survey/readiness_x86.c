/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a core is set, by what a survey read of it. Sources: Intel SDM vol. 4, tables 2-2 and those
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
	struct maybe v;

	v.known = survey_value(c, SURVEY_MSR, msr, &v.value);
	return v;
}

static struct maybe bits_of(const struct survey_core *c, uint32_t msr, uint64_t mask)
{
	struct maybe v = msr_of(c, msr);

	v.value &= mask;
	return v;
}

static struct maybe bit_of(const struct survey_core *c, uint32_t msr, unsigned bit, bool inverted)
{
	struct maybe v = msr_of(c, msr);

	return v.known ? know((v.value >> bit & 1) ^ inverted) : unknown;
}

static uint32_t maker(const struct survey_core *c)
{
	uint32_t vendor = leaf_of(c, 0).ebx;

	return vendor == HYGON ? AMD : vendor;
}

/* The bit of leaf 6 reads as 0 where IA32_MISC_ENABLE[38] disables it. */
static struct maybe turbo(const struct survey_core *c)
{
	if (maker(c) == AMD)
		return leaf_of(c, 0x80000007).edx & BIT(9) ? bit_of(c, MSR_HWCR, 25, true)
							   : know(0);
	if (!(leaf_of(c, 6).eax & BIT(1)))
		return know(0);
	return bit_of(c, MSR_MISC_ENABLE, 38, true);
}

/* Linux, intel_pstate.c (MSR_IA32_POWER_CTL_BIT_EE): processors with HWP have it. */
static struct maybe efficient_turbo(const struct survey_core *c)
{
	if (!(leaf_of(c, 6).eax & BIT(7)))
		return unknown;
	return bit_of(c, MSR_POWER_CTL, 19, true);
}

static struct maybe speedstep(const struct survey_core *c)
{
	if (maker(c) == AMD)
		return unknown;
	if (!(leaf_of(c, 1).ecx & BIT(7)))
		return know(0);
	return bit_of(c, MSR_MISC_ENABLE, 16, false);
}

static struct maybe hwp(const struct survey_core *c)
{
	if (maker(c) == AMD)
		return leaf_of(c, 0x80000008).ebx & BIT(27) ? bit_of(c, MSR_CPPC_ENABLE, 0, false)
							    : know(0);
	return leaf_of(c, 6).eax & BIT(7) ? bit_of(c, MSR_PM_ENABLE, 0, false) : know(0);
}

static struct maybe bias(const struct survey_core *c)
{
	return leaf_of(c, 6).ecx & BIT(3) ? bits_of(c, MSR_BIAS, 0xf) : unknown;
}

/* What the field's other values mean differs by model; 0 is C0 or C1 in all. */
static struct maybe package_c(const struct survey_core *c)
{
	return bits_of(c, MSR_PACKAGE_C, 0xf);
}

/*
 * Whether MWAIT is there and offers none but C1, or, of AMD, no port leads deeper: what else is
 * offered is in the DSDT, which nobody here interprets.
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

static struct maybe c1e(const struct survey_core *c)
{
	return bit_of(c, MSR_POWER_CTL, 1, false);
}

/* Linux, therm_throt.c: as SMI, where thermal monitoring is on. */
static struct maybe thermal(const struct survey_core *c)
{
	uint64_t lvt;

	if (!survey_value(c, SURVEY_APIC, LVT_THERMAL, &lvt))
		return unknown;
	return know((lvt & LVT_MODE) == LVT_SMI && !(lvt & LVT_MASKED));
}

static struct maybe tsc_adjust(const struct survey_core *c)
{
	return msr_of(c, MSR_TSC_ADJUST);
}

static struct maybe microcode(const struct survey_core *c)
{
	uint64_t v = msr_of(c, MSR_BIOS_SIGN_ID).value;

	v = maker(c) == AMD ? v & UINT32_MAX : v >> 32;
	return (struct maybe){ v, v != 0 };
}

/* Each bit that is set disables one; newer models have more than four, as Sapphire Rapids bit 5. */
static struct maybe prefetch(const struct survey_core *c)
{
	return msr_of(c, MSR_PREFETCH);
}

static struct maybe prochot(const struct survey_core *c)
{
	return bit_of(c, MSR_POWER_CTL, 0, false);
}

static struct maybe freeze(const struct survey_core *c)
{
	return maker(c) == INTEL ? bit_of(c, MSR_DEBUGCTL, 14, false) : unknown;
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
	struct maybe package = bit_of(c, MSR_PACKAGE_C, 15, false);
	struct maybe feature = bit_of(c, MSR_FEATURE_CONTROL, 0, false);
	struct maybe smm = bit_of(c, MSR_HWCR, 0, false);

	return (struct maybe){ package.value | feature.value << 1 | smm.value << 2,
			       package.known || feature.known || smm.known };
}

/* What a hypervisor shows is its own choice, and no state of the machine. */
static bool is_guest(const struct survey_core *c)
{
	return leaf_of(c, 1).ecx & BIT(31);
}

void readiness_x86(const struct survey_core *c, struct readiness_values *values)
{
	static struct maybe (*const rules[READINESS_ITEMS])(const struct survey_core *c) = {
		[READINESS_TURBO] = turbo,         [READINESS_EFFICIENT_TURBO] = efficient_turbo,
		[READINESS_SPEEDSTEP] = speedstep, [READINESS_HWP] = hwp,
		[READINESS_BIAS] = bias,           [READINESS_PACKAGE_C] = package_c,
		[READINESS_CORE_C] = core_c,       [READINESS_C1E] = c1e,
		[READINESS_THERMAL] = thermal,     [READINESS_TSC_ADJUST] = tsc_adjust,
		[READINESS_MICROCODE] = microcode, [READINESS_PREFETCH] = prefetch,
		[READINESS_PROCHOT] = prochot,     [READINESS_FREEZE] = freeze,
		[READINESS_LOCKS] = locks,         [READINESS_SMT] = smt,
	};

	*values = (struct readiness_values){ 0 };
	for (unsigned i = 0; i < READINESS_ITEMS && !is_guest(c); i++)
		if (rules[i])
			values->of[i] = rules[i](c);
}
