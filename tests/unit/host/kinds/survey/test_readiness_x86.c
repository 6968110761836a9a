/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of an x86 core by its readings; registers that are not in the list have faulted. */
#include "host/kinds/survey/readiness.h"

#include "tests/unit/common/test.h"

#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))

static struct survey_reading readings[SURVEY_READINGS_MAX];
static struct survey_core core = { .at = readings };
static struct readiness_values values;
static uint32_t number;

static void set(enum survey_area area, uint32_t of, uint64_t low, uint64_t high)
{
	const struct survey_reading r = { (uint8_t)area, 0, of, 0, NULL, { low, high } };
	uint32_t i = 0;

	while (i < core.count && (readings[i].area != area || readings[i].number != of))
		i++;
	if (i == core.count)
		survey_add(&core, &r);
	readings[i] = r;
}

static void set_leaf(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	set(SURVEY_CPUID, leaf, eax | (uint64_t)ebx << 32, ecx | (uint64_t)edx << 32);
}

static void set_msr(uint32_t msr, uint64_t value)
{
	set(SURVEY_MSR, msr, value, 0);
}

static void remove_msr(uint32_t msr)
{
	for (uint32_t i = 0; i < core.count; i++)
		if (readings[i].area == SURVEY_MSR && readings[i].number == msr)
			readings[i].flags = SURVEY_FAULTED;
}

static void set_vendor(const char *name, uint32_t highest)
{
	uint32_t word[3];

	memcpy(word, name, sizeof(word));
	set_leaf(0, highest, word[0], word[2], word[1]);
}

/* The settings of OpenShift's table: turbo without regard for energy, EIST, no HWP, no C-states. */
static void lay_intel(void)
{
	core.count = 0;
	set_vendor("GenuineIntel", 0xb);
	set_leaf(1, 0x50657, 6u << 24 | 0x200800, BIT(3) | BIT(7), BIT(5) | BIT(22));
	set_leaf(5, 0x40, 0x40, 3, 0x20);
	set_leaf(6, BIT(1) | BIT(7), 0, BIT(0) | BIT(3), 0);
	set_leaf(0xb, 1, 2, 0x100, 6);
	set_msr(0x3a, 0);
	set_msr(0x3b, 0);
	set_msr(0x8b, UINT64_C(0x5003302) << 32);
	set_msr(0xe2, 0);
	set_msr(0x1a0, BIT(0) | BIT(16));
	set_msr(0x1a4, 0);
	set_msr(0x1b0, 0);
	set_msr(0x1d9, 0);
	set_msr(0x1fc, BIT(19));
	set_msr(0x770, 0);
	set(SURVEY_APIC, 0x330, 0x10000, 0);
}

static enum readiness_judged judged(enum readiness_profile profile, enum readiness_item item)
{
	const struct readiness r = { &values, &number, 1 };

	return readiness_judge(&r, profile, item);
}

static void judge(void)
{
	readiness_x86(&core, &values);
}

TEST(test_ready)
{
	static const enum readiness_item items[] = {
		READINESS_TURBO, READINESS_EFFICIENT_TURBO, READINESS_SPEEDSTEP, READINESS_HWP,
		READINESS_BIAS,  READINESS_PACKAGE_C,       READINESS_CORE_C,    READINESS_C1E,
	};

	lay_intel();
	judge();
	for (unsigned i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		assert_int_equal(judged(READINESS_OPENSHIFT_RAN, items[i]), READINESS_READY);
	assert_int_equal(judged(READINESS_LINUX, READINESS_THERMAL), READINESS_READY);
	assert_int_equal(judged(READINESS_LINUX, READINESS_TSC_ADJUST), READINESS_READY);
	assert_int_equal(judged(READINESS_LINUX, READINESS_MICROCODE), READINESS_READY);
	assert_int_equal(judged(READINESS_INTEL_TCC, READINESS_SPEEDSTEP), READINESS_NOT_READY);
	assert_int_equal(values.of[READINESS_MICROCODE].value, 0x5003302);
	assert_int_equal(values.of[READINESS_PREFETCH].value, 0);
	assert_int_equal(values.of[READINESS_LOCKS].value, 0);
}

/* One field each, with other bits of its register. */
TEST(test_fields)
{
	static const struct {
		uint32_t msr;
		uint64_t value;
		enum readiness_item item;
		uint64_t want;
	} cases[] = {
		{ 0x1d9, BIT(14), READINESS_FREEZE, 1 },
		{ 0x1d9, ~BIT(14), READINESS_FREEZE, 0 },
		{ 0x1fc, BIT(0), READINESS_PROCHOT, 1 },
		{ 0x1fc, ~BIT(0), READINESS_PROCHOT, 0 },
		{ 0x1a4, 5, READINESS_PREFETCH, 5 },
		{ 0x1a4, UINT64_MAX, READINESS_PREFETCH, UINT64_MAX },
		{ 0x3b, UINT64_MAX, READINESS_TSC_ADJUST, UINT64_MAX },
		{ 0x1b0, 0x1c, READINESS_BIAS, 0xc },
		{ 0xe2, 0x1c, READINESS_PACKAGE_C, 0xc },
		{ 0xe2, BIT(15), READINESS_LOCKS, 1 },
		{ 0xe2, ~BIT(15), READINESS_LOCKS, 0 },
		{ 0x3a, BIT(0), READINESS_LOCKS, 2 },
		{ 0x3a, ~BIT(0), READINESS_LOCKS, 0 },
		{ 0xc0010015, BIT(0), READINESS_LOCKS, 4 },
		{ 0xc0010015, ~BIT(0), READINESS_LOCKS, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lay_intel();
		set_msr(cases[i].msr, cases[i].value);
		judge();
		assert_true(values.of[cases[i].item].known);
		assert_true(values.of[cases[i].item].value == cases[i].want);
	}
}

/* One wrong setting each: it is named, and nothing else is. */
static const struct wrong {
	enum readiness_profile profile;
	enum readiness_item item;
	enum survey_area area;
	uint32_t of;
	uint64_t value;
} wrongs[] = {
	{ READINESS_OPENSHIFT_RAN, READINESS_TURBO, SURVEY_MSR, 0x1a0, BIT(0) | BIT(16) | BIT(38) },
	{ READINESS_OPENSHIFT_RAN, READINESS_SPEEDSTEP, SURVEY_MSR, 0x1a0, BIT(0) },
	{ READINESS_OPENSHIFT_RAN, READINESS_EFFICIENT_TURBO, SURVEY_MSR, 0x1fc, 0 },
	{ READINESS_OPENSHIFT_RAN, READINESS_HWP, SURVEY_MSR, 0x770, 1 },
	{ READINESS_OPENSHIFT_RAN, READINESS_BIAS, SURVEY_MSR, 0x1b0, 6 },
	{ READINESS_OPENSHIFT_RAN, READINESS_PACKAGE_C, SURVEY_MSR, 0xe2, 3 },
	{ READINESS_OPENSHIFT_RAN, READINESS_C1E, SURVEY_MSR, 0x1fc, BIT(19) | BIT(1) },
	{ READINESS_OPENSHIFT_RAN, READINESS_SMT, SURVEY_CPUID, 0xb, UINT64_C(1) << 32 | 1 },
	{ READINESS_LINUX, READINESS_THERMAL, SURVEY_APIC, 0x330, 0x200 },
};

#define WRONGS (sizeof(wrongs) / sizeof(wrongs[0]))

static unsigned not_ready(enum readiness_profile profile)
{
	const struct readiness r = { &values, &number, 1 };

	return readiness_count(&r, profile, READINESS_NOT_READY);
}

TEST(test_wrong)
{
	lay_intel();
	judge();
	assert_int_equal(not_ready(READINESS_OPENSHIFT_RAN), 0);
	assert_int_equal(not_ready(READINESS_LINUX), 0);
	for (size_t i = 0; i < WRONGS; i++) {
		lay_intel();
		set(wrongs[i].area, wrongs[i].of, wrongs[i].value, 0);
		judge();
		assert_int_equal(judged(wrongs[i].profile, wrongs[i].item), READINESS_NOT_READY);
		assert_int_equal(not_ready(wrongs[i].profile), 1);
	}
}

/* A masked entry raises nothing, an unmasked one of another mode no SMI. */
TEST(test_thermal)
{
	static const struct {
		uint32_t lvt;
		uint64_t smi;
	} cases[] = { { 0x10200, 0 }, { 0x200, 1 }, { 0x2fa, 1 }, { 0x0fa, 0 }, { 0x400, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lay_intel();
		set(SURVEY_APIC, 0x330, cases[i].lvt, 0);
		judge();
		assert_int_equal(values.of[READINESS_THERMAL].value, cases[i].smi);
	}
}

/* Registers that fault make nothing ready. */
TEST(test_faults)
{
	static const struct {
		uint32_t msr;
		enum readiness_item item;
	} cases[] = {
		{ 0x1a0, READINESS_TURBO },     { 0x1a0, READINESS_SPEEDSTEP },
		{ 0x1fc, READINESS_C1E },       { 0x1fc, READINESS_EFFICIENT_TURBO },
		{ 0x770, READINESS_HWP },       { 0x1b0, READINESS_BIAS },
		{ 0xe2, READINESS_PACKAGE_C },  { 0x8b, READINESS_MICROCODE },
		{ 0x3b, READINESS_TSC_ADJUST }, { 0x1a4, READINESS_PREFETCH },
		{ 0x1d9, READINESS_FREEZE },    { 0x1fc, READINESS_PROCHOT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lay_intel();
		judge();
		assert_true(values.of[cases[i].item].known);
		remove_msr(cases[i].msr);
		judge();
		assert_false(values.of[cases[i].item].known);
	}
}

/* Whether deeper states are used is not known here. */
TEST(test_core_c)
{
	lay_intel();
	set_leaf(5, 0x40, 0x40, 3, 0x2120);
	judge();
	assert_false(values.of[READINESS_CORE_C].known);
	/* Without MWAIT it offers none. */
	set_leaf(1, 0x50657, 6u << 24 | 0x200800, BIT(7), BIT(5));
	judge();
	assert_true(values.of[READINESS_CORE_C].known);
}

TEST(test_amd)
{
	lay_intel();
	set_vendor("AuthenticAMD", 0xb);
	remove_msr(0xe2);
	set_leaf(0x80000000, 0x80000008, 0, 0, 0);
	set_leaf(0x80000007, 0, 0, 0, BIT(9));
	set_leaf(0x80000008, 0, BIT(27), 0, 0);
	set_msr(0x8b, 0xa101148);
	set_msr(0xc0010015, BIT(25));
	set_msr(0xc0010073, 0);
	set_msr(0xc00102b1, 1);
	judge();
	assert_int_equal(values.of[READINESS_TURBO].value, 0);
	assert_true(values.of[READINESS_TURBO].known);
	assert_int_equal(values.of[READINESS_HWP].value, 1);
	assert_int_equal(values.of[READINESS_MICROCODE].value, 0xa101148);
	assert_true(values.of[READINESS_CORE_C].known);
	assert_false(values.of[READINESS_SPEEDSTEP].known);
	assert_false(values.of[READINESS_PACKAGE_C].known);
	set_msr(0xc0010015, 0);
	set_msr(0xc0010073, 0x413);
	judge();
	assert_int_equal(values.of[READINESS_TURBO].value, 1);
	assert_false(values.of[READINESS_CORE_C].known);
}

/* Registers under a hypervisor are no state of the machine. */
TEST(test_guest)
{
	lay_intel();
	set_leaf(1, 0x50657, 0, BIT(31) | BIT(7), BIT(5));
	judge();
	for (unsigned i = 0; i < READINESS_ITEMS; i++)
		assert_false(values.of[i].known);
}

/* The firmware's setting is in the first level of leaf 0Bh, or else in AMD's leaf. */
TEST(test_smt)
{
	lay_intel();
	judge();
	assert_true(values.of[READINESS_SMT].known);
	assert_int_equal(values.of[READINESS_SMT].value, 1);
	set_leaf(0xb, 0, 1, 0x100, 6);
	judge();
	assert_true(values.of[READINESS_SMT].known);
	assert_int_equal(values.of[READINESS_SMT].value, 0);
	set_leaf(0xb, 0, 0, 0, 0);
	judge();
	assert_false(values.of[READINESS_SMT].known);
	set_vendor("AuthenticAMD", 0xb);
	set_leaf(0x8000001e, 0, 0x100, 0, 0);
	judge();
	assert_false(values.of[READINESS_SMT].known);
	set_leaf(0x80000001, 0, 0, BIT(22), 0);
	judge();
	assert_int_equal(values.of[READINESS_SMT].value, 1);
	set_leaf(0x8000001e, 0, 0, 0, 0);
	judge();
	assert_true(values.of[READINESS_SMT].known);
	assert_int_equal(values.of[READINESS_SMT].value, 0);
}
