/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32C for the host tool, in place of core/lib/crc32c.c: with the processor's instruction
 * if it has one.
 */
#include "core/lib/crc32c.h"

#include "arch/arch.h"

uint32_t crc32c(const void *data, size_t bytes)
{
	uint32_t crc;

	return arch_crc32c(data, bytes, &crc) ? crc : crc32c_plain(data, bytes);
}
