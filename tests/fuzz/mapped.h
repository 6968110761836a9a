/* SPDX-License-Identifier: BSD-2-Clause */
/* What drivers have mapped of a bus that a fuzzer plays: they touch nothing else. */
#pragma once

#include "tests/fuzz/take.h"

#define MAPPED_MAX 64
#define MAPPED_HZ  UINT64_C(1000000) /* far below any TSC: waits are short */

static struct {
	struct {
		uint64_t from, to;
	} map[MAPPED_MAX];
	unsigned maps;
} mapped;

static inline bool mapped_add(uint64_t address, uint64_t bytes)
{
	if (!address || !bytes || address > UINT64_MAX - bytes || mapped.maps == MAPPED_MAX)
		return false;
	mapped.map[mapped.maps].from = address;
	mapped.map[mapped.maps++].to = address + bytes;
	return true;
}

static inline void mapped_check(uint64_t address, unsigned bytes)
{
	bool is_mapped = false;

	for (unsigned i = 0; i < mapped.maps; i++)
		is_mapped |= address >= mapped.map[i].from && address + bytes <= mapped.map[i].to;
	insist(is_mapped && address % bytes == 0);
}
