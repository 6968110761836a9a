/* SPDX-License-Identifier: BSD-2-Clause */
/* fw_cfg's registers in memory, where virt has them. Source: QEMU, docs/specs/fw_cfg.txt. */
#include "tests/inject/fwcfg.h"

#include "arch/arch.h"

#define FWCFG_BASE   UINT64_C(0x09020000)
#define FWCFG_DATA   FWCFG_BASE
#define FWCFG_SELECT (FWCFG_BASE + 8) /* big-endian */

void fwcfg_select(uint16_t item)
{
	arch_mmio_write16(FWCFG_SELECT, __builtin_bswap16(item));
}

void fwcfg_bytes(void *buffer, uint32_t bytes)
{
	uint8_t *at = buffer;

	while (bytes--)
		*at++ = arch_mmio_read8(FWCFG_DATA);
}
