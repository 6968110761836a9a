/* SPDX-License-Identifier: BSD-2-Clause */
/* Device descriptors as lsusb prints them: a controller's sticks, and sticks. */
#include "core/firmware/virtual_stick.h"

#include "tests/unit/common/test.h"

/* With these ids in bytes 8 to 11: USB 2.0, table 9-8. */
static bool is_virtual(uint16_t vendor, uint16_t product)
{
	uint8_t descriptor[VIRTUAL_STICK_BYTES] = { 18, 1, 0, 2, 0, 0, 0, 64 };

	descriptor[8] = (uint8_t)vendor;
	descriptor[9] = (uint8_t)(vendor >> 8);
	descriptor[10] = (uint8_t)product;
	descriptor[11] = (uint8_t)(product >> 8);
	return virtual_stick(descriptor);
}

TEST(test_of_controllers)
{
	assert_true(is_virtual(0x046b, 0xff31));
	assert_true(is_virtual(0x1d6b, 0x0104));
}

TEST(test_of_others)
{
	assert_false(is_virtual(0x46f4, 0x0001)); /* QEMU's */
	assert_false(is_virtual(0x0781, 0x5567)); /* SanDisk's Cruzer Blade */
	assert_false(is_virtual(0x046b, 0xff10)); /* a keyboard of AMI's */
	assert_false(is_virtual(0x1d6b, 0x0003)); /* Linux' root hub */
	assert_false(is_virtual(0xff31, 0x046b));
	assert_false(is_virtual(0, 0));
}
