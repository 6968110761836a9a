/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own page tables: physical memory at its own address, page 0 left out. */
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The processor's current number of levels of tables: 4 or 5. */
unsigned paging_levels(void);

/* The memory to map: [0, top), and above 4 GiB only GiBs with memory; share as in arch_setup. */
struct paging_memory {
	unsigned levels;
	uint64_t top;
	enum arch_share (*share)(const void *map, uint64_t from, uint64_t end);
	const void *map;
};

/* Bytes of tables needed to map it. */
size_t paging_bytes(const struct paging_memory *m);

/* Pages to build tables from. */
struct paging_spare {
	uint8_t *next; /* page-aligned, below 4 GiB */
	size_t pages;
};

/*
 * Build tables that map it, from pages of `spare` (paging_bytes(m) at most), and return the value
 * for CR3. Caching stays what MTRRs and PAT entry 0 (write-back) define. All pages have 2 MiB:
 * MTRRs may differ within a GiB, and the type of a larger page would be undefined (SDM vol. 3,
 * 11.11.9).
 */
uint64_t paging_build(const struct paging_memory *m, struct paging_spare *spare);

/* True if the tables at `root`, ours or others', map the page of `address` at its own address. */
bool paging_maps(unsigned levels, uint64_t root, uint64_t address);

/*
 * Map page 0 in the tables at `root`, by paging_build(), or unmap it. Initially it is not mapped.
 */
void paging_map_page_0(unsigned levels, uint64_t root, bool there);

/*
 * Map the unmapped parts of [address, address + bytes), which is not empty, and of the 2 MiB around
 * its ends, in the tables at `root`, by paging_build(): at its own address, uncached whatever the
 * MTRRs define, for a device. False if no virtual address reaches that far, or no page is left.
 */
bool paging_map_range(unsigned levels, uint64_t root, struct paging_spare *spare, uint64_t address,
		      uint64_t bytes);

/*
 * Registers in memory that the firmware's page tables mapped: ours must map them as well, whichever
 * code or table they were for.
 */
#define PAGING_DEVICES_MAX 48u

struct paging_devices {
	struct {
		uint32_t first, last; /* pages of 2 MiB */
	} range[PAGING_DEVICES_MAX];
	unsigned count;
	size_t tables; /* most page tables that the ranges may take */
};

/*
 * Add [address, address + bytes), not empty and below 2^52, to the list. Addresses below 4 GiB,
 * which paging_build() always maps, or within a listed range take no room. False, and not listed,
 * if the list is full, or if all ranges together may take more tables than `tables_max`.
 */
bool paging_keep_device(struct paging_devices *l, unsigned levels, size_t tables_max,
			uint64_t address, uint64_t bytes);

/* Map all listed ranges; `spare` has a page for each table that was allowed. */
void paging_map_devices(const struct paging_devices *l, unsigned levels, uint64_t root,
			struct paging_spare *spare);

/*
 * Page tables for devices: the most that all regions of MCFG can take (ACPI_ECAMS_MAX), and ten
 * devices elsewhere.
 */
#define DEVICE_TABLES 128u

/*
 * Announce that the page tables at `root`, which are ours, are about to be used, and that these
 * pages, DEVICE_TABLES at least, may extend them. Devices that arch_map_device() has mapped before
 * are mapped again.
 */
void paging_device_tables(uint64_t root, struct paging_spare pages);
