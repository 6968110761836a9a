/* SPDX-License-Identifier: BSD-2-Clause */
/* fw_cfg's registers as ports. Source: QEMU, docs/specs/fw_cfg.txt. */
#include "tests/inject/fwcfg.h"

#include "arch/arch.h"

#define FWCFG_SELECT 0x510
#define FWCFG_DATA   0x511

void fwcfg_select(uint16_t item)
{
	arch_out16(FWCFG_SELECT, item);
}

void fwcfg_bytes(void *buffer, uint32_t bytes)
{
	uint64_t count = bytes;

	__asm__ volatile("rep insb" : "+D"(buffer), "+c"(count) : "d"(FWCFG_DATA) : "memory");
}
