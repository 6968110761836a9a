/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole runs on machines that are not at hand, by a few of their leaves. A clean one must pass, one
 * with a single SMI must fail, by its right length and with what the machine can know of the cause.
 */
#define MOCK_CPUS 512
#define MOCK_GAPS 64

#include "tests/unit/common/test.h"
#include "tests/unit/played_machine.h"

static const struct machine machines[] = {
	{ "Cascade Lake, 2100 MHz by CPUID", INTEL, 0x50657, 0, 168, 2100, 2095077000, 0, 8,
	  VERDICT_PASS, CAUSE_SMI },
	{ "Core i7-7700HQ, 2800 MHz by CPUID", INTEL, 0x906e9, 0, 234, 2800, 2808000000, 0, 8,
	  VERDICT_PASS, CAUSE_SMI },
	{ "Core i9-13900K", INTEL, 0xb0671, 38400000, 156, 3000, 2995200000, 1600, 8, VERDICT_PASS,
	  CAUSE_SMI },
	{ "EPYC of two sockets", AMD, 0xa10f11, 0, 0, 0, 2396000000, 0, 512, VERDICT_PASS,
	  CAUSE_SMI },
	{ "Diamond Rapids, family 19", INTEL, 0x400f10, 25000000, 160, 2000, 2000000000, -30, 8,
	  VERDICT_PASS, CAUSE_SMI },
	{ "Alder Lake-N, 1700 MHz by CPUID", INTEL, 0xb06e0, 38400000, 88, 1700, 1689600000, 0, 4,
	  VERDICT_PASS, CAUSE_SMI },
	{ "Panther Lake", INTEL, 0xc06c3, 38400000, 172, 3300, 3302400000, -30, 8, VERDICT_PASS,
	  CAUSE_SMI },
	{ "Apollo Lake", INTEL, 0x506c9, 19200000, 114, 0, 1094400000, 30, 4, VERDICT_PASS,
	  CAUSE_SMI },
	{ "Denverton", INTEL, 0x506f1, 0, 160, 0, 2000000000, 0, 8, VERDICT_PASS, CAUSE_SMI },
	{ "Bay Trail", INTEL, 0x30679, 0, 0, 0, 1333345000, 0, 4, VERDICT_PASS, CAUSE_SMI },
	/* No SMI counter: nobody knows. */
	{ "Core 2", INTEL_OLD, 0x6f6, 0, 0, 0, 2400085000, 0, 4, VERDICT_INCOMPLETE,
	  CAUSE_UNKNOWN },
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static struct cpuid leaf_of(uint32_t leaf, uint32_t subleaf)
{
	static const struct {
		uint32_t leaf;
		enum make make;
		struct cpuid value;
	} leaves[] = {
		{ 0x0, INTEL, { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 } },
		{ 0x0, INTEL_OLD, { 0xa, 0x756e6547, 0x6c65746e, 0x49656e69 } },
		{ 0x0, AMD, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
		{ 0x6, INTEL, { .ecx = 1 } },
		{ 0x6, AMD, { .ecx = 1 } },
		{ 0xa, INTEL, { .eax = 5 | 8 << 8 | 48 << 16, .edx = 3 | 48 << 5 } },
		{ 0x80000000u, INTEL, { .eax = 0x80000008u } },
		{ 0x80000000u, INTEL_OLD, { .eax = 0x80000008u } },
		{ 0x80000000u, AMD, { .eax = 0x80000028u } },
		{ 0x80000001u, AMD, { .ecx = BIT(23) } },
		{ 0x80000007u, INTEL, { .edx = BIT(8) } },
		{ 0x80000007u, AMD, { .edx = BIT(8) } },
		{ 0x80000022u, AMD, { .eax = 1, .ebx = 6 } },
	};

	(void)subleaf;
	if (leaf == 1)
		return (struct cpuid){ machine->signature, 0, BIT(15), 0 };
	if (leaf == 0x15 && machine->make == INTEL)
		return (struct cpuid){ 2, machine->ratio, machine->crystal, 0 };
	if (leaf == 0x16 && machine->make == INTEL)
		return (struct cpuid){ .eax = machine->base_mhz };
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (leaves[i].leaf == leaf && leaves[i].make == machine->make)
			return leaves[i].value;
	return (struct cpuid){ 0 };
}

TEST(test_clean)
{
	with_smi = false;
	for (size_t i = 0; i < MACHINES; i++) {
		machine = &machines[i];
		late = 0;
		do_run(machine->clean);
		/* However many cores there are, all know of a window before it begins. */
		assert_int_equal(late, 0);
		assert_int_equal(run.clock_faults.hidden_ns, 0);
		assert_int_equal(run.clock_faults.ahead_ns, 0);
	}
}

TEST(test_one_smi)
{
	with_smi = true;
	for (size_t i = 0; i < MACHINES; i++) {
		machine = &machines[i];
		do_run(VERDICT_FAIL);
		check_length();
	}
}

static int play_leaves(void **state)
{
	(void)state;
	played_leaf = leaf_of;
	return 0;
}

TEST_GROUP(play_leaves, NULL);
