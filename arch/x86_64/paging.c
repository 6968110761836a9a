/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity map. Source: Intel SDM vol. 3, chapter 4. */
#include "paging.h"

#include "asm.h"
#include "core/lib/mem.h"

#define PAGE_BYTES 4096u
#define ENTRIES    512u
#define SMALL_GIBS 4u
#define PAGES_4G   (UINT64_C(1) << (32 - SHIFT_2M))
#define SHIFT_4K   12
#define SHIFT_2M   21
#define SHIFT_1G   30
#define SHIFT_512G 39
#define SHIFT_256T 48

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

struct paging_kind paging_kind_here(void)
{
	return (struct paging_kind){
		.five_levels = read_cr4() & CR4_LA57,
		.large_1g = cpuid_has(0x80000001u) && (cpuid(0x80000001u, 0).edx >> 26 & 1),
	};
}

static uint64_t units(uint64_t top, unsigned shift)
{
	return (top + (UINT64_C(1) << shift) - 1) >> shift;
}

/*
 * True if the GiB has a directory. If there are pages of 1 GiB, only those below 4 GiB have one,
 * where devices are between memory.
 */
static bool has_directory(struct paging_kind kind, uint64_t gib)
{
	return !kind.large_1g || gib < SMALL_GIBS;
}

static uint64_t directories(struct paging_kind kind, uint64_t top)
{
	uint64_t gibs = units(top, SHIFT_1G);

	return has_directory(kind, gibs) ? gibs : SMALL_GIBS;
}

size_t paging_bytes(struct paging_kind kind, uint64_t top)
{
	/* PML5, PML4, PDPTs, PDs, the PT that leaves out page 0, and PDs for GiBs with holes. */
	return (size_t)(1 + 1 + units(top, SHIFT_512G) + directories(kind, top) + 1 +
			PAGING_PARTS) *
	       PAGE_BYTES;
}

static uint64_t *take_page(struct paging_spare *p)
{
	uint64_t *page = (uint64_t *)(void *)p->next;

	p->next += PAGE_BYTES;
	p->pages--;
	memset(page, 0, PAGE_BYTES);
	return page;
}

/* log2 of the bytes that an entry of the uppermost table covers. */
static unsigned top_shift(struct paging_kind kind)
{
	return kind.five_levels ? 48 : 39;
}

/*
 * True if the identity map can reach the address. Addresses in the upper half are sign-extended, so
 * only the lower half can be mapped to itself. With five levels, the limit is 2^52, because entries
 * have no more address bits.
 */
static bool reachable(struct paging_kind kind, uint64_t address)
{
	return address >> (top_shift(kind) + LEVEL_SHIFT - 1) == 0 &&
	       (address & ~(PTE_ADDRESS | (PAGE_BYTES - 1))) == 0;
}

static uint64_t *entry_of(uint64_t table, unsigned shift, uint64_t address)
{
	uint64_t *entries = (uint64_t *)(uintptr_t)(table & PTE_ADDRESS);

	return &entries[address >> shift & (ENTRIES - 1)];
}

static bool is_leaf(uint64_t entry, unsigned shift)
{
	return shift == SHIFT_4K || (shift <= SHIFT_1G && entry & PTE_LARGE);
}

/*
 * The entry of the page of 2^size bytes at `address`, in tables that are added as needed. NULL: no
 * page is left for them, or a larger page is there.
 */
static uint64_t *page_entry(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
			    uint64_t address, unsigned size)
{
	uint64_t table = root;

	for (unsigned shift = top_shift(kind); shift > size; shift -= LEVEL_SHIFT) {
		uint64_t *entry = entry_of(table, shift, address);

		if (*entry & PTE_PRESENT ? is_leaf(*entry, shift) : !spare->pages)
			return NULL;
		if (!(*entry & PTE_PRESENT))
			*entry = (uintptr_t)take_page(spare) | PTE_TABLE;
		table = *entry;
	}
	return entry_of(table, size, address);
}

/*
 * The size of a GiB's pages, as the memory map has it; 0: it is not mapped. A GiB that is memory
 * only in part has small pages, as long as there are tables for it.
 */
static unsigned page_size(const struct paging_memory *m, uint64_t gib, unsigned *parts)
{
	enum arch_share share = ARCH_ALL;

	if (gib >= SMALL_GIBS && m->share)
		share = m->share(m->map, gib << SHIFT_1G, (gib + 1) << SHIFT_1G);
	if (share == ARCH_NONE)
		return 0;
	if (has_directory(m->kind, gib))
		return SHIFT_2M;
	return share == ARCH_SOME && (*parts)++ < PAGING_PARTS ? SHIFT_2M : SHIFT_1G;
}

/* The first 2 MiB have small pages without page 0: a read of address 0 must fault. */
static void map_first(struct paging_kind kind, uint64_t root, struct paging_spare *pool)
{
	*page_entry(kind, root, pool, 0, SHIFT_2M) = 0;
	for (uint64_t i = 1; i < ENTRIES; i++)
		*page_entry(kind, root, pool, i << SHIFT_4K, SHIFT_4K) = i << SHIFT_4K | PTE_LEAF;
}

uint64_t paging_build(const struct paging_memory *m, void *tables)
{
	struct paging_spare pool = { tables, paging_bytes(m->kind, m->top) / PAGE_BYTES };
	uint64_t root = (uintptr_t)take_page(&pool), gibs = units(m->top, SHIFT_1G);
	unsigned parts = 0;

	for (uint64_t gib = 0; gib < gibs && gib < ENTRIES * ENTRIES; gib++) {
		unsigned size = page_size(m, gib, &parts);

		for (uint64_t at = gib << SHIFT_1G; size && at >> SHIFT_1G == gib;
		     at += UINT64_C(1) << size)
			*page_entry(m->kind, root, &pool, at, size) = at | PTE_LEAF | PTE_LARGE;
	}
	map_first(m->kind, root, &pool);
	return root;
}

bool paging_maps(struct paging_kind kind, uint64_t root, uint64_t address)
{
	uint64_t entry = root;

	if (!reachable(kind, address))
		return false;
	for (unsigned shift = top_shift(kind);; shift -= LEVEL_SHIFT) {
		entry = *entry_of(entry, shift, address);
		if (!(entry & PTE_PRESENT))
			return false;
		/* A large page's lowest address bit is its PAT bit: compare above. */
		if (is_leaf(entry, shift))
			return (entry & PTE_ADDRESS) >> shift == address >> shift;
	}
}

void paging_map_page_0(struct paging_kind kind, uint64_t root, bool there)
{
	struct paging_spare none = { NULL, 0 };

	*page_entry(kind, root, &none, 0, SHIFT_4K) = there ? PTE_LEAF : 0;
}

bool paging_add_device(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		       uint64_t address)
{
	uint64_t *entry;

	if (!reachable(kind, address))
		return false;
	entry = page_entry(kind, root, spare, address, SHIFT_2M);
	if (!entry || *entry & PTE_PRESENT)
		return false;
	*entry = (address >> SHIFT_2M << SHIFT_2M) | PTE_LEAF | PTE_LARGE | PTE_UNCACHED;
	return true;
}

static size_t spanned(uint64_t first, uint64_t last, unsigned shift)
{
	return (size_t)((last >> (shift - SHIFT_2M)) - (first >> (shift - SHIFT_2M)) + 1);
}

/* The most tables that mapping the range may need; ranges may share some. */
static size_t tables_for(struct paging_kind kind, uint64_t first, uint64_t last)
{
	return spanned(first, last, SHIFT_1G) + spanned(first, last, SHIFT_512G) +
	       (kind.five_levels ? spanned(first, last, SHIFT_256T) : 0);
}

static bool is_listed(const struct paging_devices *l, uint64_t first, uint64_t last)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->range[i].first <= first && last <= l->range[i].last)
			return true;
	return false;
}

bool paging_keep_device(struct paging_devices *l, struct paging_kind kind, size_t tables_max,
			uint64_t address, uint64_t bytes)
{
	uint64_t first = address >> SHIFT_2M, last = (address + (bytes - 1)) >> SHIFT_2M;
	size_t tables = tables_for(kind, first, last);

	if (last < PAGES_4G || is_listed(l, first, last))
		return true;
	if (l->count == PAGING_DEVICES_MAX || tables > tables_max - l->tables)
		return false;
	l->range[l->count].first = (uint32_t)first;
	l->range[l->count++].last = (uint32_t)last;
	l->tables += tables;
	return true;
}

bool paging_map_range(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		      uint64_t address, uint64_t bytes)
{
	uint64_t last = (address + (bytes - 1)) >> SHIFT_2M;

	for (uint64_t page = address >> SHIFT_2M; page <= last; page++) {
		uint64_t at = page << SHIFT_2M;

		if (at < address)
			at = address; /* page 0 is not mapped */
		if (!paging_maps(kind, root, at) && !paging_add_device(kind, root, spare, at))
			return false;
	}
	return true;
}

void paging_map_devices(const struct paging_devices *l, struct paging_kind kind, uint64_t root,
			struct paging_spare *spare)
{
	for (unsigned i = 0; i < l->count; i++) {
		uint64_t pages = l->range[i].last - l->range[i].first + UINT64_C(1);

		paging_map_range(kind, root, spare, (uint64_t)l->range[i].first << SHIFT_2M,
				 pages << SHIFT_2M);
	}
}
