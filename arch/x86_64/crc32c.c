/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C by the instruction CRC32 of SSE4.2. Source: Intel SDM vol. 2, CPUID and CRC32. */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"

#define LEAF_VERSION 1u
#define ECX_SSE4_2   (1u << 20)

static uint64_t step_8(uint64_t crc, uint64_t bytes)
{
	__asm__("crc32q %1, %0" : "+r"(crc) : "rm"(bytes));
	return crc;
}

static uint32_t step_1(uint32_t crc, uint8_t byte)
{
	__asm__("crc32b %1, %0" : "+r"(crc) : "rm"(byte));
	return crc;
}

bool arch_crc32c(const void *data, size_t bytes, uint32_t *crc)
{
	static _Atomic int8_t has; /* 0: not asked yet; CPUID is slow */
	const uint8_t *at = data;
	uint64_t sum = UINT32_MAX, word;

	if (!has)
		has = cpuid(LEAF_VERSION, 0).ecx & ECX_SSE4_2 ? 1 : -1;
	if (has < 0)
		return false;
	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = step_8(sum, word);
	}
	for (; bytes; bytes--, at++)
		sum = step_1((uint32_t)sum, *at);
	*crc = ~(uint32_t)sum;
	return true;
}
