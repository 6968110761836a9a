/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C without an instruction for it: four bits per step, in little code. */
#include "crc32c.h"

/* The remainders of four bits: the exclusive or of those of the single bits 0 to 3. */
#define SUM(i)                                                                               \
	(((i)&1 ? 0x105ec76fu : 0) ^ ((i)&2 ? 0x20bd8edeu : 0) ^ ((i)&4 ? 0x417b1dbcu : 0) ^ \
	 ((i)&8 ? 0x82f63b78u : 0))

uint32_t crc32c_plain(const void *data, size_t bytes)
{
	static const uint32_t remainder[16] = {
		SUM(0), SUM(1), SUM(2),  SUM(3),  SUM(4),  SUM(5),  SUM(6),  SUM(7),
		SUM(8), SUM(9), SUM(10), SUM(11), SUM(12), SUM(13), SUM(14), SUM(15),
	};
	const uint8_t *at = data;
	uint32_t crc = UINT32_MAX;

	for (; bytes; bytes--, at++) {
		crc ^= *at;
		crc = crc >> 4 ^ remainder[crc & 15];
		crc = crc >> 4 ^ remainder[crc & 15];
	}
	return ~crc;
}

/* The EFI application has to be small; host/lib/crc32c.c has a quicker one for the host tool. */
uint32_t crc32c(const void *data, size_t bytes) __attribute__((weak, alias("crc32c_plain")));
