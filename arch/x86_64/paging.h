/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own page tables: physical memory at its own address, page 0 left out. */
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Purpose of the tables. */
struct paging_spare;

struct paging_kind {
	bool five_levels;
	bool large_1g; /* 1 GiB pages may be used */
};

/* The processor's current number of levels, and its page sizes. */
struct paging_kind paging_kind_here(void);

/* Most GiBs above 4 GiB that are partly memory: the last one, and those at holes. */
#define PAGING_PARTS 16u

/* Bytes of tables needed to map [0, top). */
size_t paging_bytes(struct paging_kind kind, uint64_t top);

/* The memory to map: [0, top), and above 4 GiB only GiBs with memory; share as in arch_setup. */
struct paging_memory {
	struct paging_kind kind;
	uint64_t top;
	enum arch_share (*share)(const void *map, uint64_t from, uint64_t end);
	const void *map;
};

/*
 * Build tables that map it in `tables` (paging_bytes(kind, top), page-aligned, below 4 GiB) and
 * return the value for CR3. Caching stays what MTRRs and PAT entry 0 (write-back) define. A GiB
 * that is only partly memory is mapped with pages of 2 MiB: MTRRs differ within it, and the type of
 * a larger page would be undefined (SDM vol. 3, 11.11.9). After PAGING_PARTS such GiBs, a single
 * page is used even so.
 */
uint64_t paging_build(const struct paging_memory *m, void *tables);

/* True if the tables at `root`, ours or others', map the page of `address` at its own address. */
bool paging_maps(struct paging_kind kind, uint64_t root, uint64_t address);

/*
 * Map page 0 in the tables at `root`, by paging_build(), or unmap it. Initially it is not mapped.
 */
void paging_map_page_0(struct paging_kind kind, uint64_t root, bool there);

/* Pages to build further tables from. */
struct paging_spare {
	uint8_t *next; /* page-aligned, below 4 GiB */
	size_t pages;
};

/*
 * Map the 2 MiB around `address`, which is not mapped yet, at its own address in the tables at
 * `root`: uncached whatever the MTRRs define, for a device. Takes at most three pages of `spare`.
 * False, without a mapping, if they are not enough or a virtual address cannot reach that far.
 */
bool paging_add_device(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		       uint64_t address);

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
bool paging_keep_device(struct paging_devices *l, struct paging_kind kind, size_t tables_max,
			uint64_t address, uint64_t bytes);

/*
 * Map the unmapped parts of [address, address + bytes) in the tables at `root`, which are ours.
 * False if that is impossible, see paging_add_device().
 */
bool paging_map_range(struct paging_kind kind, uint64_t root, struct paging_spare *spare,
		      uint64_t address, uint64_t bytes);

/* Map all listed ranges; `spare` has a page for each table that was allowed. */
void paging_map_devices(const struct paging_devices *l, struct paging_kind kind, uint64_t root,
			struct paging_spare *spare);

/*
 * Page tables for devices: the most that all regions of MCFG can take (ACPI_ECAMS_MAX), and ten
 * devices elsewhere.
 */
#define DEVICE_TABLES       128
#define DEVICE_TABLES_BYTES (DEVICE_TABLES * 4096u)

/*
 * Announce that the page tables at `root`, which are ours, are about to be used;
 * DEVICE_TABLES_BYTES, page-aligned, may extend them. Devices that arch_map_device() has mapped
 * before are mapped again.
 */
void paging_device_tables(uint64_t root, void *pages);
