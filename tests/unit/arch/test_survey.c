/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that a survey reads, on processors with mocked leaves and registers: those that are
 * not in the lists fault, and nothing can be written.
 */
#include "survey/survey.h"

#include "arch/arch.h"
#include "mocked_core.h"

#define APIC_BASE UINT64_C(0xfee00000)

static struct {
	uint32_t lvt_thermal, apic_id;
} mock;

static struct survey_reading readings[SURVEY_READINGS_MAX];
static struct survey_core core = { .at = readings };

static uint32_t mock_mmio(uint64_t address)
{
	if (address == APIC_BASE + 0x20)
		return mock.apic_id << 24;
	return address == APIC_BASE + 0x330 ? mock.lvt_thermal : 0x10000;
}

/* No wrmsr: a survey that writes crashes here. */
static const struct regs regs = { .cpuid = mocked_cpuid, .rdmsr = mocked_rdmsr };

/* The settings of OpenShift's table: turbo without regard for energy, EIST, no HWP, no C-states. */
static void lay_intel(void)
{
	memset(&mock, 0, sizeof(mock));
	memset(&mocked, 0, sizeof(mocked));
	mocked_leaves = 0;
	mock.apic_id = 6;
	mocked_vendor(0xb, "GenuineIntel");
	mocked_set(1, 0, 0x50657, 6u << 24 | 0x200800, BIT(3) | BIT(7), BIT(5) | BIT(22));
	mocked_set(4, 0, 0x121, 1, 2, 3);
	mocked_set(4, 1, 0x143, 4, 5, 6);
	mocked_set(5, 0, 0x40, 0x40, 3, 0x20);
	mocked_set(6, 0, BIT(1) | BIT(7), 0, BIT(0) | BIT(3), 0);
	mocked_set(0xb, 0, 1, 2, 0x100, 6);
	mocked_set(0xb, 1, 4, 8, 0x201, 6);
	mocked_set(0xb, 2, 0, 0, 2, 6);
	mocked_set(0x80000000, 0, 0x80000001, 0, 0, 0);
	mocked_add(0x1b, APIC_BASE | BIT(11), STANDS);
	mocked_add(0x34, 17, STANDS);
	mocked_add(0x3a, 0, STANDS);
	mocked_add(0x3b, 0, STANDS);
	mocked_add(0x8b, UINT64_C(0x5003302) << 32, STANDS);
	mocked_add(0xe2, 0, STANDS);
	mocked_add(0xe7, 1234, STANDS);
	mocked_add(0x179, 2, STANDS);
	mocked_add(0x401, 0, STANDS);
	mocked_add(0x405, 0, STANDS);
	mocked_add(0x1a0, BIT(0) | BIT(16), STANDS);
	mocked_add(0x1a4, 0, STANDS);
	mocked_add(0x1b0, 0, STANDS);
	mocked_add(0x1d9, 0, STANDS);
	mocked_add(0x1fc, BIT(19), STANDS);
	mocked_add(0x770, 0, STANDS);
	mock.lvt_thermal = 0x10000;
}

static void read_core(void)
{
	const struct survey_source source = { &regs, mock_mmio, mock.apic_id };

	survey_read(&source, &core);
}

static const struct survey_reading *find(enum survey_area area, uint32_t number, uint32_t sub)
{
	for (uint32_t i = 0; i < core.count; i++)
		if (core.at[i].area == area && core.at[i].number == number && core.at[i].sub == sub)
			return &core.at[i];
	return NULL;
}

TEST(test_leaves)
{
	const struct survey_reading *r;

	lay_intel();
	read_core();
	/*
	 * Leaf 4 is read up to the subleaf without a type, leaf 0Bh up to the one without a level.
	 */
	assert_non_null(find(SURVEY_CPUID, 4, 2));
	assert_null(find(SURVEY_CPUID, 4, 3));
	assert_non_null(find(SURVEY_CPUID, 0xb, 2));
	assert_null(find(SURVEY_CPUID, 0xb, 3));
	assert_null(find(SURVEY_CPUID, 3, 0)); /* a serial number */
	assert_null(find(SURVEY_CPUID, 0xc, 0));
	assert_non_null(find(SURVEY_CPUID, 0x80000001, 0));
	r = find(SURVEY_CPUID, 4, 1);
	assert_int_equal(r->value[0], UINT64_C(4) << 32 | 0x143);
	assert_int_equal(r->value[1], UINT64_C(6) << 32 | 5);
	assert_int_equal(r->flags, 0);
}

/* The core's own id is cleared in the fields that have it, and only there. */
TEST(test_own_id)
{
	const struct survey_reading *r;

	lay_intel();
	read_core();
	r = find(SURVEY_CPUID, 1, 0);
	assert_int_equal(r->flags, SURVEY_OWN_ID);
	assert_int_equal(r->value[0], UINT64_C(0x200800) << 32 | 0x50657);
	r = find(SURVEY_CPUID, 0xb, 1);
	assert_int_equal(r->flags, SURVEY_OWN_ID);
	assert_int_equal(r->value[1], 0x201);
	r = find(SURVEY_APIC, 0x20, 0);
	assert_int_equal(r->flags, SURVEY_OWN_ID);
	assert_int_equal(r->value[0], 0);
	/* Leaf 0Bh contradicts itself: it is stored as read. */
	mocked_set(0xb, 1, 4, 8, 0x201, 7);
	read_core();
	r = find(SURVEY_CPUID, 0xb, 1);
	assert_int_equal(r->flags, 0);
	assert_int_equal(r->value[1], UINT64_C(7) << 32 | 0x201);
}

TEST(test_registers)
{
	const struct survey_reading *r;
	uint64_t value;

	lay_intel();
	read_core();
	assert_true(survey_value(&core, SURVEY_MSR, 0x8b, &value));
	assert_int_equal(value, UINT64_C(0x5003302) << 32);
	r = find(SURVEY_MSR, 0xe7, 0);
	assert_int_equal(r->flags, SURVEY_MOVES);
	r = find(SURVEY_MSR, 0x610, 0);
	assert_int_equal(r->flags, SURVEY_FAULTED);
	assert_false(survey_value(&core, SURVEY_MSR, 0x610, &value));
	/*
	 * Only existing banks are read, no registers of other vendors, and no MSR that is
	 * protected.
	 */
	assert_non_null(find(SURVEY_MSR, 0x405, 0));
	assert_null(find(SURVEY_MSR, 0x409, 0));
	assert_null(find(SURVEY_MSR, 0xc0010015, 0));
	assert_null(find(SURVEY_MSR, 0x4b564d03, 0));
	assert_null(find(SURVEY_MSR, 0x4f, 0));
}

TEST(test_makers)
{
	lay_intel();
	mocked_vendor(0xb, "AuthenticAMD");
	read_core();
	assert_non_null(find(SURVEY_MSR, 0xc0010015, 0));
	assert_null(find(SURVEY_MSR, 0x1a0, 0));
	mocked_set(1, 0, 0x50657, 0, BIT(31), BIT(5));
	mocked_set(0x40000000, 0, 0x40000001, 1, 2, 3);
	mocked_set(0x40000100, 0, 0x40000100, 1, 2, 3);
	mocked_set(0x40000200, 0, 0xb, 1, 2, 3);
	read_core();
	assert_non_null(find(SURVEY_MSR, 0x4b564d03, 0));
	assert_non_null(find(SURVEY_CPUID, 0x40000001, 0));
	assert_non_null(find(SURVEY_CPUID, 0x40000100, 0));
	assert_null(find(SURVEY_CPUID, 0x40000200, 0));
	/* A Pentium 4 has only the registers that all processors have. */
	lay_intel();
	mocked_set(1, 0, 0xf41, 0, 0, BIT(5));
	read_core();
	assert_null(find(SURVEY_MSR, 0x1a0, 0));
	assert_non_null(find(SURVEY_MSR, 0x277, 0));
	/* A processor without MSRs: no MSR and no APIC register is read. */
	mocked_set(1, 0, 0x543, 0, 0, 0);
	read_core();
	assert_null(find(SURVEY_MSR, 0x1b, 0));
	assert_null(find(SURVEY_APIC, 0x20, 0));
}

/* Every leaf claims that more follow: reading ends when there is no more room. */
static struct cpuid endless(uint32_t leaf, uint32_t sub)
{
	(void)leaf, (void)sub;
	return (struct cpuid){ UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
}

TEST(test_endless)
{
	static const struct regs hostile = { .cpuid = endless, .rdmsr = mocked_rdmsr };
	const struct survey_source source = { &hostile, mock_mmio, 0 };

	lay_intel();
	survey_read(&source, &core);
	assert_true(core.count <= SURVEY_READINGS_MAX);
}

TEST(test_x2apic)
{
	uint64_t value;

	lay_intel();
	mocked_add(0x1b, APIC_BASE | BIT(11) | BIT(10), STANDS);
	mocked_add(0x802, 6, STANDS);
	mocked_add(0x833, 0x200, STANDS);
	read_core();
	assert_int_equal(find(SURVEY_APIC, 0x20, 0)->flags, SURVEY_OWN_ID);
	assert_true(survey_value(&core, SURVEY_APIC, 0x330, &value));
	assert_int_equal(value, 0x200);
	assert_int_equal(find(SURVEY_APIC, 0x370, 0)->flags, SURVEY_FAULTED);
}
