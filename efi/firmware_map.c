/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory map, and ExitBootServices() with its key. GetMemoryMap() writes its descriptors to
 * m->range, and they are converted there: a range is no longer than a descriptor.
 */
#include "firmware.h"

#include "core/lib/mem.h"

#define EXIT_TRIES 16
#define MAP_SPARE  16384u /* bytes by which the map may grow after it was sized */

_Static_assert(sizeof(struct memory_range) <= sizeof(EFI_MEMORY_DESCRIPTOR), "in place");

/* The firmware's list of descriptors at m->range. */
struct listed {
	UINTN bytes, key, each;
	UINT32 version;
};

static uint8_t kind_of(UINT32 type)
{
	static const uint8_t kinds[] = {
		[EfiReservedMemoryType] = MEMORY_RESERVED,
		[EfiLoaderCode] = MEMORY_USED,
		[EfiLoaderData] = MEMORY_USED,
		[EfiBootServicesCode] = MEMORY_BOOT,
		[EfiBootServicesData] = MEMORY_BOOT,
		[EfiRuntimeServicesCode] = MEMORY_USED,
		[EfiRuntimeServicesData] = MEMORY_USED,
		[EfiConventionalMemory] = MEMORY_FREE,
		[EfiUnusableMemory] = MEMORY_RESERVED,
		[EfiACPIReclaimMemory] = MEMORY_USED,
		[EfiACPIMemoryNVS] = MEMORY_USED,
	};

	return type < sizeof(kinds) ? kinds[type] : MEMORY_OTHER;
}

static EFI_STATUS list(struct memory_map *m, struct listed *l)
{
	EFI_STATUS status;

	m->ranges = 0;
	l->bytes = m->room;
	status = firmware_boot()->GetMemoryMap(&l->bytes, (EFI_MEMORY_DESCRIPTOR *)(void *)m->range,
					       &l->key, &l->each, &l->version);
	/* Invalid sizes would lead past the buffer, or never to its end. */
	if (status == EFI_SUCCESS && (l->bytes > m->room || l->each % sizeof(UINT64) ||
				      l->each < sizeof(EFI_MEMORY_DESCRIPTOR)))
		return EFI_BAD_BUFFER_SIZE;
	return status;
}

static void convert(struct memory_map *m, const struct listed *l)
{
	const uint8_t *at = (const uint8_t *)m->range;
	EFI_MEMORY_DESCRIPTOR d;

	for (size_t n = 0; (n + 1) * l->each <= l->bytes; n++) {
		memcpy(&d, at + n * l->each, sizeof(d));
		m->range[m->ranges++] = (struct memory_range){
			.from = d.PhysicalStart,
			.end = d.PhysicalStart + d.NumberOfPages * EFI_PAGE_SIZE,
			.attributes = d.Attribute,
			.type = d.Type,
			.kind = kind_of(d.Type),
			.is_runtime = d.Attribute & EFI_MEMORY_RUNTIME,
		};
	}
}

bool firmware_map_read(struct memory_map *m, UINTN *key)
{
	struct listed l;
	bool good = m->range && list(m, &l) == EFI_SUCCESS;

	if (!good) {
		*m = (struct memory_map){ 0 };
		if (list(m, &l) != EFI_BUFFER_TOO_SMALL)
			return false;
		m->room = l.bytes + MAP_SPARE;
		m->range = firmware_pages(m->room, 0);
		if (!m->range || list(m, &l) != EFI_SUCCESS)
			return false;
	}
	if (key)
		*key = l.key;
	convert(m, &l);
	return true;
}

static bool gone;

bool firmware_exit(struct memory_map *map)
{
	UINTN key;

	for (unsigned i = 0; i < EXIT_TRIES && !gone; i++) {
		if (!firmware_map_read(map, &key))
			return false;
		gone = firmware_boot()->ExitBootServices(firmware_image(), key) == EFI_SUCCESS;
	}
	return gone;
}

bool firmware_is_gone(void)
{
	return gone;
}
