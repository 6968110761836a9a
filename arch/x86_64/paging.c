/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity map. Source: Intel SDM vol. 3, chapter 4. */
#include "paging.h"

#include "asm.h"
#include "core/lib/mem.h"

#define PAGE_BYTES 4096u
#define ENTRIES    512u
#define LOW_GIBS   4u
#define PAGES_4G   (UINT64_C(1) << (32 - SHIFT_2M))
#define SHIFT_4K   12
#define SHIFT_2M   21
#define SHIFT_1G   30

#define PTE_PRESENT  (UINT64_C(1) << 0)
#define PTE_WRITE    (UINT64_C(1) << 1)
#define PTE_UNCACHED (UINT64_C(3) << 3) /* PWT and PCD: PAT entry 3, UC after reset */
#define PTE_ACCESSED (UINT64_C(1) << 5)
#define PTE_DIRTY    (UINT64_C(1) << 6)
#define PTE_LARGE    (UINT64_C(1) << 7)

/* Accessed and dirty are set beforehand: the processor must not write to tables in a window. */
#define PTE_LEAF  (PTE_PRESENT | PTE_WRITE | PTE_ACCESSED | PTE_DIRTY)
#define PTE_TABLE (PTE_PRESENT | PTE_WRITE | PTE_ACCESSED)

#define PTE_ADDRESS UINT64_C(0x000ffffffffff000)
#define LEVEL_SHIFT 9

unsigned paging_levels(void)
{
	return read_cr4() & CR4_LA57 ? 5 : 4;
}

/* GiBs below `top`, as far as four levels reach. */
static uint64_t gibs_below(uint64_t top)
{
	uint64_t gibs = (top + (UINT64_C(1) << SHIFT_1G) - 1) >> SHIFT_1G;

	return gibs < ENTRIES * ENTRIES ? gibs : ENTRIES * ENTRIES;
}

/* True if the GiB is mapped. Below 4 GiB all are: devices are there between memory. */
static bool has_memory(const struct paging_memory *m, uint64_t gib)
{
	return gib < LOW_GIBS || !m->share ||
	       m->share(m->map, gib << SHIFT_1G, (gib + 1) << SHIFT_1G) != ARCH_NONE;
}

size_t paging_bytes(const struct paging_memory *m)
{
	uint64_t gibs = gibs_below(m->top);
	/* PML5, PML4, PDPTs, the PT that leaves out page 0, and a PD for each GiB. */
	uint64_t tables = 1 + 1 + (gibs + ENTRIES - 1) / ENTRIES + 1;

	for (uint64_t gib = 0; gib < gibs; gib++)
		tables += has_memory(m, gib);
	return (size_t)tables * PAGE_BYTES;
}

static uint64_t *take_page(struct paging_spare *spare)
{
	uint64_t *page = (uint64_t *)(void *)spare->next;

	spare->next += PAGE_BYTES;
	spare->pages--;
	memset(page, 0, PAGE_BYTES);
	return page;
}

/* log2 of the bytes that an entry of the uppermost table covers. */
static unsigned top_shift(unsigned levels)
{
	return SHIFT_4K + (levels - 1) * LEVEL_SHIFT;
}

/*
 * True if the identity map can reach the address. Addresses in the upper half are sign-extended, so
 * only the lower half can be mapped to itself. With five levels, the limit is 2^52, because entries
 * have no more address bits.
 */
static bool reachable(unsigned levels, uint64_t address)
{
	return address >> (top_shift(levels) + LEVEL_SHIFT - 1) == 0 &&
	       (address & ~(PTE_ADDRESS | (PAGE_BYTES - 1))) == 0;
}

static uint64_t *entry_of(uint64_t table, unsigned shift, uint64_t address)
{
	uint64_t *entries = (uint64_t *)(uintptr_t)(table & PTE_ADDRESS);

	return &entries[address >> shift & (ENTRIES - 1)];
}

/*
 * The entry of the page of 2^size bytes at `address` in our tables, which have no larger ones.
 * Tables are added as needed. NULL: no page is left for them.
 */
static uint64_t *page_entry(unsigned levels, uint64_t root, struct paging_spare *spare,
			    uint64_t address, unsigned size)
{
	uint64_t table = root;

	for (unsigned shift = top_shift(levels); shift > size; shift -= LEVEL_SHIFT) {
		uint64_t *entry = entry_of(table, shift, address);

		if (!(*entry & PTE_PRESENT) && !spare->pages)
			return NULL;
		if (!(*entry & PTE_PRESENT))
			*entry = (uintptr_t)take_page(spare) | PTE_TABLE;
		table = *entry;
	}
	return entry_of(table, size, address);
}

/*
 * Map what is not mapped yet of pages `first` to `last`, of 2 MiB, with these flags. False: no page
 * is left for a table.
 */
static bool map_pages(unsigned levels, uint64_t root, struct paging_spare *spare, uint64_t first,
		      uint64_t last, uint64_t flags)
{
	for (uint64_t page = first; page <= last; page++) {
		uint64_t at = page << SHIFT_2M;
		uint64_t *entry = page_entry(levels, root, spare, at, SHIFT_2M);

		if (!entry)
			return false;
		if (!(*entry & PTE_PRESENT))
			*entry = at | flags | PTE_LEAF | PTE_LARGE;
	}
	return true;
}

/* The first 2 MiB have small pages without page 0: a read of address 0 must fault. */
static void map_first(unsigned levels, uint64_t root, struct paging_spare *spare)
{
	uint64_t *entries = page_entry(levels, root, spare, 0, SHIFT_4K);

	for (uint64_t i = 1; i < ENTRIES; i++)
		entries[i] = i << SHIFT_4K | PTE_LEAF;
}

uint64_t paging_build(const struct paging_memory *m, struct paging_spare *spare)
{
	uint64_t root = (uintptr_t)take_page(spare), gibs = gibs_below(m->top);

	map_first(m->levels, root, spare);
	for (uint64_t gib = 0; gib < gibs; gib++) {
		uint64_t first = gib * ENTRIES;

		if (has_memory(m, gib))
			map_pages(m->levels, root, spare, first, first + ENTRIES - 1, 0);
	}
	return root;
}

bool paging_maps(unsigned levels, uint64_t root, uint64_t address)
{
	uint64_t entry = root;

	if (!reachable(levels, address))
		return false;
	for (unsigned shift = top_shift(levels);; shift -= LEVEL_SHIFT) {
		entry = *entry_of(entry, shift, address);
		if (!(entry & PTE_PRESENT))
			return false;
		/* A large page's lowest address bit is its PAT bit: compare above. */
		if (shift == SHIFT_4K || (shift <= SHIFT_1G && entry & PTE_LARGE))
			return (entry & PTE_ADDRESS) >> shift == address >> shift;
	}
}

void paging_map_page_0(unsigned levels, uint64_t root, bool there)
{
	struct paging_spare none = { NULL, 0 };

	*page_entry(levels, root, &none, 0, SHIFT_4K) = there ? PTE_LEAF : 0;
}

bool paging_map_range(unsigned levels, uint64_t root, struct paging_spare *spare, uint64_t address,
		      uint64_t bytes)
{
	uint64_t last = address + (bytes - 1);

	if (!reachable(levels, last))
		return false;
	return map_pages(levels, root, spare, address >> SHIFT_2M, last >> SHIFT_2M, PTE_UNCACHED);
}

static bool is_listed(const struct paging_devices *l, uint64_t first, uint64_t last)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->range[i].first <= first && last <= l->range[i].last)
			return true;
	return false;
}

bool paging_keep_device(struct paging_devices *l, unsigned levels, size_t tables_max,
			uint64_t address, uint64_t bytes)
{
	uint64_t first = address >> SHIFT_2M, last = (address + (bytes - 1)) >> SHIFT_2M;
	/* Each GiB may take a table of each level but the uppermost and that of small pages. */
	uint64_t gibs = (last >> LEVEL_SHIFT) - (first >> LEVEL_SHIFT) + 1;
	uint64_t tables = gibs * (levels - 2);

	if (last < PAGES_4G || is_listed(l, first, last))
		return true;
	if (l->count == PAGING_DEVICES_MAX || tables > tables_max - l->tables)
		return false;
	l->range[l->count].first = (uint32_t)first;
	l->range[l->count++].last = (uint32_t)last;
	l->tables += tables;
	return true;
}

void paging_map_devices(const struct paging_devices *l, unsigned levels, uint64_t root,
			struct paging_spare *spare)
{
	for (unsigned i = 0; i < l->count; i++) {
		uint64_t pages = l->range[i].last - l->range[i].first + UINT64_C(1);

		paging_map_range(levels, root, spare, (uint64_t)l->range[i].first << SHIFT_2M,
				 pages << SHIFT_2M);
	}
}
