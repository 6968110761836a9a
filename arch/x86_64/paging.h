/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own page tables: physical memory at its own address, page 0 left out. */
#ifndef ARCH_X86_64_PAGING_H
#define ARCH_X86_64_PAGING_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of tables needed to map [0, top). */
size_t paging_bytes(uint64_t top);

/*
 * Build tables that map [0, top) in `tables` (paging_bytes(top), page-aligned,
 * below 4 GiB) and return the value for CR3. As many levels as the processor
 * runs with now. Caching stays what MTRRs and PAT entry 0 (write-back) say.
 */
uint64_t paging_build(void *tables, uint64_t top);

#endif
