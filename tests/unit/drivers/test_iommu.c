/* SPDX-License-Identifier: BSD-2-Clause */
/* IOMMUs: off, translating, protecting memory, and such as cannot be switched off. */
#include "drivers/iommu.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#define VTD      UINT64_C(0xfed90000)
#define AMD      UINT64_C(0xfeb80000)
#define COMMAND  0x18
#define STATUS   0x1c
#define PROTECT  0x64
#define ON       0x80000000u
#define ROOT_SET 0x40000000u /* a one-shot bit, and its state */
#define QUEUED   0x04000000u /* invalidation by queue, a state */

static struct acpi_info acpi;
static uint8_t vtd[4096], amd[4096];
static bool stuck;
static uint32_t last_command;

/* The status follows the command, protection its enable bit. */
static void follow(uint64_t address, unsigned bytes, uint32_t value)
{
	assert_int_equal(bytes, 4);
	if (address == VTD + COMMAND)
		last_command = (uint32_t)value;
	if (address == VTD + COMMAND && !stuck)
		fake_put(vtd + STATUS, (value & (ON | QUEUED)) | ROOT_SET, 4);
	if (address == VTD + PROTECT && !stuck)
		fake_put(vtd + PROTECT, value & ON ? ON | 1 : 0, 4);
}

static void setup(void)
{
	fake_reset();
	memset(&acpi, 0, sizeof(acpi));
	memset(vtd, 0, sizeof(vtd));
	memset(amd, 0, sizeof(amd));
	stuck = false;
	fake_memory(VTD, vtd, sizeof(vtd));
	fake_memory(AMD, amd, sizeof(amd));
	fake.on_memory_write = follow;
	acpi.iommu_count = 2;
	acpi.iommu[0] = (struct acpi_iommu){ VTD, false };
	acpi.iommu[1] = (struct acpi_iommu){ AMD, true };
}

static void assert_states(bool switch_off, unsigned on, unsigned off, unsigned left)
{
	struct iommu_states s = iommu_look(&acpi, FAKE_HZ, switch_off);

	assert_int_equal(s.on, on);
	assert_int_equal(s.off, off);
	assert_int_equal(s.stuck, left);
}

TEST_F(setup, NULL, test_off)
{
	assert_states(true, 0, 0, 0);
	assert_int_equal(fake.memory_writes, 0);
	acpi.iommu_count = 0;
	assert_states(true, 0, 0, 0);
}

TEST_F(setup, NULL, test_looking_changes_nothing)
{
	fake_put(vtd + STATUS, ON | ROOT_SET, 4);
	fake_put(amd + 0x18, 1, 4);
	assert_states(false, 2, 0, 0);
	assert_int_equal(fake.memory_writes, 0);
}

/* The state bits stay, one-shot bits are not written again. */
TEST_F(setup, NULL, test_translation)
{
	fake_put(vtd + STATUS, ON | ROOT_SET | QUEUED, 4);
	assert_states(true, 1, 1, 0);
	assert_int_equal(last_command, QUEUED);
	assert_states(true, 0, 0, 0);
}

TEST_F(setup, NULL, test_protected_memory)
{
	fake_put(vtd + PROTECT, ON | 1, 4);
	assert_states(true, 1, 1, 0);
}

TEST_F(setup, NULL, test_amd)
{
	fake_put(amd + 0x18, 0x12345, 4);
	assert_states(true, 1, 1, 0);
	assert_int_equal(fake_get(amd + 0x18, 4), 0x12344);
}

TEST_F(setup, NULL, test_stuck)
{
	stuck = true;
	fake_put(vtd + STATUS, ON, 4);
	assert_states(true, 1, 0, 1);
}

TEST_F(setup, NULL, test_out_of_reach)
{
	acpi.iommu[0].base = UINT64_C(0x7f0000000000);
	assert_states(true, 0, 0, 0);
}
