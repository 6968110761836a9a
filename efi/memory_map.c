/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map. Source: UEFI 2.10, 7.2 (GetMemoryMap). */
#include "memory_map.h"

#include "firmware.h"

#define PAGE_BYTES 4096u
#define GIB4       (UINT64_C(1) << 32)
#define BIOS_AREA  UINT64_C(0xa0000)
#define MIB1       UINT64_C(0x100000)
#define STACK_SPAN UINT64_C(0x20000) /* 128 KiB, as UEFI 2.10, 2.3.4 has it at the least */
#define MAP_SPARE  16384u            /* the map grows by what we allocate after sizing it */

static EFI_STATUS get_map(struct memory_map *m)
{
	EFI_STATUS status;

	m->size = m->capacity;
	status = firmware_boot()->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)(void *)m->buffer,
					       &m->key, &m->descriptor_size, &m->version);
	/* Sizes that cannot be would lead past the buffer, or never to its end. */
	if (status == EFI_SUCCESS &&
	    (m->size > m->capacity || m->descriptor_size < sizeof(EFI_MEMORY_DESCRIPTOR) ||
	     m->descriptor_size % sizeof(UINT64)))
		return EFI_BAD_BUFFER_SIZE;
	return status;
}

bool memory_map_read(struct memory_map *m)
{
	EFI_STATUS status;

	if (m->buffer && get_map(m) == EFI_SUCCESS)
		return true;
	m->buffer = NULL;
	m->capacity = 0;
	status = get_map(m);
	if (status != EFI_BUFFER_TOO_SMALL)
		return false;
	m->capacity = m->size + MAP_SPARE;
	m->buffer = firmware_pages(m->capacity, 0);
	return m->buffer && get_map(m) == EFI_SUCCESS;
}

const EFI_MEMORY_DESCRIPTOR *memory_map_at(const struct memory_map *m, size_t n)
{
	if ((n + 1) * m->descriptor_size > m->size)
		return NULL;
	return (const EFI_MEMORY_DESCRIPTOR *)(const void *)(m->buffer + n * m->descriptor_size);
}

static bool is_memory(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->Type <= EfiACPIMemoryNVS;
}

static uint64_t end_of(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->PhysicalStart + d->NumberOfPages * PAGE_BYTES;
}

/* The end of the range of memory that holds `address`; `address` itself when none does. */
static uint64_t covered_to(const struct memory_map *m, uint64_t address)
{
	const EFI_MEMORY_DESCRIPTOR *d;

	if (address >= BIOS_AREA && address < MIB1)
		return MIB1;
	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_memory(d) && d->PhysicalStart <= address && address < end_of(d))
			return end_of(d);
	return address;
}

bool memory_map_covers(const struct memory_map *m, uint64_t address, uint64_t bytes)
{
	uint64_t end = address + bytes;

	if (end < address)
		return false;
	while (address < end) {
		uint64_t next = covered_to(m, address);

		if (next == address)
			return false;
		address = next;
	}
	return true;
}

/* The part of it that is in [from, end) and free; false: none. */
static bool free_part(const EFI_MEMORY_DESCRIPTOR *d, uint64_t *from, uint64_t *end)
{
	*from = d->PhysicalStart > *from ? d->PhysicalStart : *from;
	*end = end_of(d) < *end ? end_of(d) : *end;
	return d->Type == EfiConventionalMemory && *from < *end;
}

uint64_t memory_map_free_in(const struct memory_map *m, uint64_t from, uint64_t end)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	uint64_t bytes = 0;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++) {
		uint64_t a = from, b = end;

		if (free_part(d, &a, &b))
			bytes += b - a;
	}
	return bytes;
}

uint64_t memory_map_free(const struct memory_map *m)
{
	return memory_map_free_in(m, 0, UINT64_MAX);
}

uint64_t memory_map_room(const struct memory_map *m, uint64_t from, uint64_t end, uint64_t bytes,
			 uint64_t align)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	uint64_t best = 0;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++) {
		uint64_t a = from, b = end;

		if (!free_part(d, &a, &b) || b - a < bytes)
			continue;
		b = (b - bytes) & ~(align - 1);
		if (b >= a && b > best)
			best = b;
	}
	return best;
}

uint64_t memory_map_top(const struct memory_map *m)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	uint64_t top = GIB4;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_memory(d) && end_of(d) > top)
			top = end_of(d);
	return top;
}

static bool is_boot_services(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->Type == EfiBootServicesCode || d->Type == EfiBootServicesData;
}

void *memory_map_boot_page(const struct memory_map *m, uint64_t limit)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	/* The firmware's stack is still ours. */
	uint64_t stack = (uintptr_t)&d / PAGE_BYTES * PAGE_BYTES;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++) {
		uint64_t page = end_of(d) < limit ? end_of(d) : limit;

		while (is_boot_services(d) && page > d->PhysicalStart + PAGE_BYTES) {
			page -= PAGE_BYTES;
			if (page / STACK_SPAN != stack / STACK_SPAN)
				return (void *)(uintptr_t)page;
		}
	}
	return NULL;
}

static bool is_usable(const EFI_MEMORY_DESCRIPTOR *d)
{
	return is_memory(d) && d->Type != EfiReservedMemoryType && d->Type != EfiUnusableMemory;
}

bool memory_map_overlaps(const struct memory_map *m, uint64_t from, uint64_t end)
{
	const EFI_MEMORY_DESCRIPTOR *d;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_usable(d) && d->PhysicalStart < end && end_of(d) > from)
			return true;
	return false;
}

/* Descriptors do not overlap (UEFI 2.10, 7.2.3): their parts of the range add up to it. */
bool memory_map_fills(const struct memory_map *m, uint64_t from, uint64_t end)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	uint64_t sum = 0;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_usable(d) && d->PhysicalStart < end && end_of(d) > from)
			sum += (end_of(d) < end ? end_of(d) : end) -
			       (d->PhysicalStart > from ? d->PhysicalStart : from);
	return sum >= end - from;
}
