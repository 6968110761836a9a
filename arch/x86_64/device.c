/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices' registers in memory. */
#include "paging.h"

#include "arch/arch.h"
#include "asm.h"
#include "core/lib/steps.h"
#include "regs.h"

#define PAGE_4K      (UINT64_C(1) << 12)
#define PAGE_2M      (UINT64_C(1) << 21)
#define LEAF_SIZES   0x80000008u
#define PHYSICAL_MIN 36 /* bits, where the processor does not report them */

static struct paging_devices asked;
static struct paging_spare spare;
static bool ours;

void paging_device_tables(uint64_t root, struct paging_spare pages)
{
	spare = pages;
	ours = true;
	/* There is room for all: otherwise arch_map_device() would have failed. */
	paging_map_devices(&asked, paging_levels(), root, &spare);
}

void arch_map_page_0(bool there)
{
	paging_map_page_0(paging_levels(), read_cr3(), there);
	__asm__ volatile("invlpg (%0)" : : "r"(0ul) : "memory");
}

/* First address past those that the processor has; SDM vol. 3, 4.1.4. */
static uint64_t physical_end(void)
{
	unsigned bits = regs_leaf(&regs_real, LEAF_SIZES, 0).eax & 0xff;

	bits = bits ? bits : PHYSICAL_MIN;
	return UINT64_C(1) << (bits < 63 ? bits : 63);
}

static bool is_mapped(unsigned levels, uint64_t address, uint64_t bytes)
{
	for (uint64_t at = address; at < address + bytes; at = (at / PAGE_2M + 1) * PAGE_2M)
		if (!paging_maps(levels, read_cr3(), at))
			return false;
	return true;
}

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	unsigned levels = paging_levels();
	uint64_t end = physical_end();

	steps_note_at("mapping the device at", address);
	if (address < PAGE_4K || !bytes || address >= end || bytes > end - address)
		return false;
	if (ours)
		return paging_map_range(levels, read_cr3(), &spare, address, bytes);
	return is_mapped(levels, address, bytes) &&
	       paging_keep_device(&asked, levels, DEVICE_TABLES, address, bytes);
}

#define REGISTER(bits)                                                     \
	uint##bits##_t arch_mmio_read##bits(uint64_t address)              \
	{                                                                  \
		return *(volatile uint##bits##_t *)(uintptr_t)address;     \
	}                                                                  \
	void arch_mmio_write##bits(uint64_t address, uint##bits##_t value) \
	{                                                                  \
		*(volatile uint##bits##_t *)(uintptr_t)address = value;    \
	}

REGISTER(8)
REGISTER(16)
REGISTER(32)
