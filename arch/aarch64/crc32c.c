/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C by FEAT_CRC32. Source: Arm ARM (DDI 0487), C3.4.8; D17.2.61 (ID_AA64ISAR0_EL1). */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"

#define ISAR0_CRC32(isar0) ((isar0) >> 16 & 0xf)

static uint32_t step_8(uint32_t crc, uint64_t bytes)
{
	__asm__(".arch_extension crc\n"
		"crc32cx %w0, %w0, %1"
		: "+r"(crc)
		: "r"(bytes));
	return crc;
}

static uint32_t step_1(uint32_t crc, uint32_t byte)
{
	__asm__(".arch_extension crc\n"
		"crc32cb %w0, %w0, %w1"
		: "+r"(crc)
		: "r"(byte));
	return crc;
}

bool arch_crc32c(const void *data, size_t bytes, uint32_t *crc)
{
	const uint8_t *at = data;
	uint32_t sum = UINT32_MAX;
	uint64_t word;

	/* Linux lets programs read it, too. */
	if (!ISAR0_CRC32(sysreg_read("id_aa64isar0_el1")))
		return false;
	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = step_8(sum, word);
	}
	for (; bytes; bytes--, at++)
		sum = step_1(sum, *at);
	*crc = ~sum;
	return true;
}
