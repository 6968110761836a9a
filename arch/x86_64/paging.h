/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own page tables: physical memory at its own address, page 0 left out. */
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the tables are for. */
struct paging_spare;

struct paging_kind {
	bool five_levels;
	bool large_1g; /* 1 GiB pages may be used */
};

/* As many levels as the processor runs with now, and the pages it has. */
struct paging_kind paging_kind_here(void);

/* GiBs above 4 GiB of which a part is memory: the last one, and what is beside holes. */
#define PAGING_PARTS 16u

/* Bytes of tables needed to map [0, top). */
size_t paging_bytes(struct paging_kind kind, uint64_t top);

/* What to map: [0, top), and above 4 GiB only GiBs that hold memory; share as in arch_setup. */
struct paging_memory {
	struct paging_kind kind;
	uint64_t top;
	enum arch_share (*share)(const void *map, uint64_t from, uint64_t end);
	const void *map;
};

/*
 * Build tables that map it in `tables` (paging_bytes(kind, top), page-aligned, below 4 GiB) and
 * return the value for CR3. Caching stays what MTRRs and PAT entry 0 (write-back) define. A GiB of
 * which only a part is memory is mapped by pages of 2 MiB: MTRRs differ within it, and what a page
 * is then is undefined (SDM vol. 3, 11.11.9). Past PAGING_PARTS of them it is one page all the
 * same.
 */
uint64_t paging_build(const struct paging_memory *m, void *tables);

/* Whether the tables at `root`, ours or not, map the page of `address` at its own address. */
bool paging_maps(struct paging_kind kind, uint64_t root, uint64_t address);

/* Whether the tables at `root`, by paging_build(), map page 0; they do not before. */
void paging_map_page_0(struct paging_kind kind, uint64_t root, bool there);

/* Pages to build further tables from. */
struct paging_spare {
	uint8_t *next; /* page-aligned, below 4 GiB */
	size_t pages;
};

/*
 * Map the 2 MiB around `address`, which is not mapped yet, at its own address
 * in the tables at `root`: uncached whatever the MTRRs define, for a device. Takes
 * at most three pages of `spare`. False, and no mapping, where they do not
 * suffice or a virtual address does not reach that far.
 */
bool paging_add_device(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		       uint64_t address);

/*
 * Registers in memory that were found mapped by the firmware's page tables: ours have to have them
 * as well, whoever asked for them, and whatever table named them.
 */
#define PAGING_DEVICES_MAX 48u

struct paging_devices {
	struct {
		uint32_t first, last; /* pages of 2 MiB */
	} range[PAGING_DEVICES_MAX];
	unsigned count;
	size_t tables; /* that they may take */
};

/*
 * Keep [address, address + bytes), not empty and below 2^52. What is below 4 GiB, which
 * paging_build() always maps, or within a range that is listed needs no room. False, and not
 * listed, where the list is full, or where all together may take more tables than `tables_max`.
 */
bool paging_keep_device(struct paging_devices *l, struct paging_kind kind, size_t tables_max,
			uint64_t address, uint64_t bytes);

/*
 * Map what of [address, address + bytes) is not mapped yet, in the tables at `root`, which are
 * ours. False where that is not possible, see paging_add_device().
 */
bool paging_map_range(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		      uint64_t address, uint64_t bytes);

/* Map all that is listed; `spare` has a page for each table that was allowed. */
void paging_map_devices(const struct paging_devices *l, struct paging_kind kind, uint64_t root,
			struct paging_spare *spare);

/* Page tables for devices: what all regions that MCFG can list may take, ACPI_ECAMS_MAX, and ten
 * devices elsewhere. */
#define DEVICE_TABLES       128
#define DEVICE_TABLES_BYTES (DEVICE_TABLES * 4096u)

/*
 * The page tables at `root` are ours, and about to come into force; DEVICE_TABLES_BYTES,
 * page-aligned, may extend them. Devices that arch_map_device() let somebody at are mapped again.
 */
void paging_device_tables(uint64_t root, void *pages);
