/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory for a test: bytes at an address, handed out as copies of
 * exactly the size asked for, so that AddressSanitizer sees each read past it.
 */
#pragma once

#include "core/firmware/acpi.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PHYSICAL_BASE  0x1000u
#define PHYSICAL_BYTES (2u << 20)

struct physical {
	uint8_t bytes[PHYSICAL_BYTES]; /* from PHYSICAL_BASE on */
	uint32_t used;                 /* end of memory */
	void **copy;
	size_t copies;
};

/* Forget all memory, after the last use of it. */
static inline void physical_forget(struct physical *p)
{
	for (size_t i = 0; i < p->copies; i++)
		free(p->copy[i]);
	free(p->copy);
	p->copy = NULL;
	p->copies = 0;
}

static inline void physical_reset(struct physical *p)
{
	physical_forget(p);
	memset(p, 0, sizeof(*p));
}

static inline const void *physical_map(void *ctx, uint64_t address, size_t bytes)
{
	struct physical *p = ctx;

	/* Impossible addresses must not be requested. */
	assert(address != 0 && address <= UINT64_MAX - bytes);
	if (address < PHYSICAL_BASE || address - PHYSICAL_BASE > p->used ||
	    bytes > p->used - (address - PHYSICAL_BASE))
		return NULL;

	void *copy = malloc(bytes);
	void **list = realloc(p->copy, (p->copies + 1) * sizeof(*list));

	assert(copy && list);
	p->copy = list;
	p->copy[p->copies++] = copy;
	return memcpy(copy, p->bytes + (address - PHYSICAL_BASE), bytes);
}

static inline struct acpi_memory physical_memory(struct physical *p)
{
	return (struct acpi_memory){ physical_map, p };
}

/* The byte at `address`. */
static inline uint8_t *physical_at(struct physical *p, uint64_t address)
{
	assert(address >= PHYSICAL_BASE && address - PHYSICAL_BASE < PHYSICAL_BYTES);
	return p->bytes + (address - PHYSICAL_BASE);
}

/* Write the low `bytes` bytes of `value` at `address`, little-endian. */
static inline void physical_put(struct physical *p, uint64_t address, unsigned bytes,
				uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		*physical_at(p, address + i) = (uint8_t)(value >> (8 * i));
}

/* Make room for `bytes` zero bytes on a new 16-byte boundary; their address. */
static inline uint64_t physical_alloc(struct physical *p, uint32_t bytes)
{
	uint32_t start = (p->used + 15) & ~15u;

	assert(start + bytes <= PHYSICAL_BYTES);
	p->used = start + bytes;
	return PHYSICAL_BASE + start;
}

/* Let the sum of `bytes` bytes at `address` be 0 by way of the byte at `checksum`. */
static inline void physical_sum(struct physical *p, uint64_t address, uint32_t bytes,
				uint32_t checksum)
{
	uint8_t sum = 0;

	*physical_at(p, address + checksum) = 0;
	for (uint32_t i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + *physical_at(p, address + i));
	*physical_at(p, address + checksum) = (uint8_t)-sum;
}

/* Copy `count` bytes there; their address. */
static inline uint64_t physical_add(struct physical *p, const void *bytes, uint32_t count)
{
	uint64_t at = physical_alloc(p, count);

	memcpy(physical_at(p, at), bytes, count);
	return at;
}

/* ACPI 6.5, 5.2.5.3 and 5.2.8: an XSDT of these tables; the address of an RSDP that leads there. */
static inline uint64_t physical_list(struct physical *p, const uint64_t *table, uint32_t tables)
{
	uint32_t bytes = 36 + 8 * tables;
	uint64_t xsdt = physical_alloc(p, bytes), rsdp = physical_alloc(p, 36);

	memcpy(physical_at(p, xsdt), "XSDT", 4);
	physical_put(p, xsdt + 4, 4, bytes);
	for (uint32_t i = 0; i < tables; i++)
		physical_put(p, xsdt + 36 + 8 * i, 8, table[i]);
	physical_sum(p, xsdt, bytes, 9);
	memcpy(physical_at(p, rsdp), "RSD PTR ", 8);
	physical_put(p, rsdp + 15, 1, 2);
	physical_put(p, rsdp + 20, 8, 36);
	physical_put(p, rsdp + 24, 8, xsdt);
	physical_sum(p, rsdp, 20, 8);
	physical_sum(p, rsdp, 36, 32);
	return rsdp;
}
