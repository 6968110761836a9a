/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our own translation tables, for a start without firmware: physical memory at its own address,
 * below TRANSLATION_TOP.
 */
#pragma once

#include "arch/arch.h"

#define TRANSLATION_TOP (UINT64_C(1) << 39)

/*
 * Map the pages of 2 MiB that have [address, address + bytes) as memory, but for those that are
 * mapped. No page is mapped initially.
 */
void translation_add(uint64_t address, uint64_t bytes);

/*
 * Map all else: as memory where share(), as in struct arch_setup, has some, and otherwise as
 * devices, which a processor that reads ahead leaves alone.
 */
void translation_fill(enum arch_share (*share)(const void *map, uint64_t from, uint64_t end),
		      const void *map);

/*
 * Called with the MMU off, at exception level 1 or 2: switch the MMU and the caches on, and call
 * entry(argument) with a stack that ends at the image's `end`. Nothing in the image is in the
 * caches so far, except for what a loader has cleaned.
 */
void translation_start(const char *image, const char *end, void (*entry)(uint64_t),
		       uint64_t argument) __attribute__((noreturn));
