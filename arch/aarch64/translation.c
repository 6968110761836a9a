/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One table with an entry for each GiB, and tables of 2 MiB for GiBs that are memory only in part.
 * A valid entry does not change any more, so no TLB needs to drop it. Source: Arm ARM (DDI
 * 0487), D8.3 (descriptors), D17.2 (HCR_EL2, MAIR, SCTLR, TCR), D7.5 (caches).
 */
#include "translation.h"

#include "asm.h"
#include "percpu.h"

#define ENTRIES   512u
#define PARTS_MAX 16u
#define SHIFT_2M  21
#define SHIFT_1G  30

#define ENTRY_BLOCK    UINT64_C(1)
#define ENTRY_TABLE    UINT64_C(3)
#define ENTRY_KIND     UINT64_C(3)
#define ENTRY_MEMORY   (UINT64_C(1) << 2 | UINT64_C(3) << 8) /* attribute 1, inner shareable */
#define ENTRY_ACCESSED (UINT64_C(1) << 10)
#define ENTRY_LEVEL2   (UINT64_C(1) << 6)  /* AP[1], which is 1 at level 2 */
#define ENTRY_NO_CODE1 (UINT64_C(1) << 53) /* PXN */
#define ENTRY_NO_CODE2 (UINT64_C(1) << 54) /* XN */

#define MAIR_VALUE UINT64_C(0xff04) /* 0: Device-nGnRE, 1: normal, write-back */

/* 39 bits of addresses, pages of 4 KiB, tables in normal memory, nothing by TTBR1. */
#define TCR_COMMON      (UINT64_C(25) | 1u << 8 | 1u << 10 | 3u << 12 | 1u << 23)
#define TCR_LEVEL2      (UINT64_C(1) << 31) /* reserved, 1 */
#define TCR_SIZE_SHIFT1 32
#define TCR_SIZE_SHIFT2 16
#define SIZE_48_BITS    5u /* 48 bits: more need other tables */

/* The MMU and the caches on; the others are reserved, 1, where Armv8.0 is all that is known. */
#define SCTLR_ON     UINT64_C(0x1005)
#define SCTLR_LEVEL1 (UINT64_C(0x30d00800) | SCTLR_ON)
#define SCTLR_LEVEL2 (UINT64_C(0x30c50830) | SCTLR_ON)

#define HCR_TGE (UINT64_C(1) << 27) /* exceptions come to level 2 */
#define HCR_RW  (UINT64_C(1) << 31)

/* smp.c's other cores begin here as well. */
extern const char start_core[];

static uint64_t level1[ENTRIES] __attribute__((aligned(4096)));
static uint64_t level2[PARTS_MAX][ENTRIES] __attribute__((aligned(4096)));
static unsigned parts;

static uint64_t block(uint64_t address, bool is_memory)
{
	uint64_t own = current_el() == 2 ? ENTRY_LEVEL2 : 0;

	if (is_memory)
		own |= ENTRY_MEMORY;
	else
		own |= current_el() == 2 ? ENTRY_NO_CODE2 : ENTRY_NO_CODE1;
	return address | own | ENTRY_ACCESSED | ENTRY_BLOCK;
}

/* The table of a GiB, which is made unless the GiB is mapped; NULL: it has none. */
static uint64_t *table_of(uint64_t gib)
{
	if (!level1[gib] && parts < PARTS_MAX)
		level1[gib] = (uintptr_t)level2[parts++] | ENTRY_TABLE;
	if ((level1[gib] & ENTRY_KIND) != ENTRY_TABLE)
		return NULL;
	return (uint64_t *)(uintptr_t)(level1[gib] & ~ENTRY_KIND);
}

/* Let the tables be seen by the processor's walks. */
static void publish(void)
{
	__asm__ volatile("dsb ishst" : : : "memory");
	isb();
}

void translation_add(uint64_t address, uint64_t bytes)
{
	uint64_t first = address >> SHIFT_2M, last = (address + (bytes - 1)) >> SHIFT_2M;

	for (uint64_t page = first; page <= last && page < TRANSLATION_TOP >> SHIFT_2M; page++) {
		uint64_t *table = table_of(page / ENTRIES);

		if (table && !table[page % ENTRIES])
			table[page % ENTRIES] = block(page << SHIFT_2M, true);
	}
	publish();
}

static void fill_gib(uint64_t from, uint64_t *table,
		     enum arch_share (*share)(const void *map, uint64_t from, uint64_t end),
		     const void *map)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		uint64_t at = from + ((uint64_t)i << SHIFT_2M), end = at + (1u << SHIFT_2M);

		if (!table[i])
			table[i] = block(at, share(map, at, end) != ARCH_NONE);
	}
}

void translation_fill(enum arch_share (*share)(const void *map, uint64_t from, uint64_t end),
		      const void *map)
{
	for (uint64_t gib = 0; gib < ENTRIES; gib++) {
		uint64_t from = gib << SHIFT_1G, *table = NULL;
		enum arch_share all = share(map, from, from + (1u << SHIFT_1G));

		if (level1[gib] || all == ARCH_SOME)
			table = table_of(gib);
		if (table)
			fill_gib(from, table, share, map);
		else
			level1[gib] = block(from, all != ARCH_NONE);
	}
	publish();
}

void translation_start(const char *image, const char *end, void (*entry)(uint64_t),
		       uint64_t argument)
{
	static struct start start;
	void (*go)(const struct start *) __attribute__((noreturn)) = (void *)start_core;
	uint64_t size = sysreg_read("id_aa64mmfr0_el1") & 0xf;
	bool is_level2 = current_el() == 2;

	size = size < SIZE_48_BITS ? size : SIZE_48_BITS;
	start.mair = MAIR_VALUE;
	start.tcr = is_level2 ? TCR_COMMON | TCR_LEVEL2 | size << TCR_SIZE_SHIFT2
			      : TCR_COMMON | size << TCR_SIZE_SHIFT1;
	start.ttbr = (uintptr_t)level1;
	start.sctlr = is_level2 ? SCTLR_LEVEL2 : SCTLR_LEVEL1;
	start.hcr = HCR_TGE | HCR_RW;
	start.stack = (uintptr_t)end;
	start.index = argument;
	start.entry = (uintptr_t)entry;
	/* Drop what the caches have of the image: writes so far have bypassed them. */
	cache_lines("ivac", image, end);
	go(&start);
}
