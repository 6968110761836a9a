/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's instructions for CRC-32C against the plain code, where it has them. */
#include "arch/arch.h"
#include "core/lib/crc32c.h"

#include "tests/unit/common/test.h"

TEST(test_every_offset_and_length)
{
	uint8_t bytes[300];
	uint32_t crc;

	if (!arch_crc32c("", 0, &crc))
		skip();
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 59 + 7);
	for (size_t from = 0; from < 9; from++) {
		for (size_t n = 0; n <= sizeof(bytes) - from; n++) {
			assert_true(arch_crc32c(bytes + from, n, &crc));
			assert_int_equal(crc, crc32c(bytes + from, n));
		}
	}
}
