/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtime services. Source: UEFI 2.10, 8.1: physical mode, as nobody calls SetVirtualAddressMap. */
#include "runtime.h"

#include "firmware.h"
#include "firmware_exit.h"

#include "core/lib/steps.h"

#define PAGE_BYTES 4096u

bool runtime_map(const struct memory_map *map)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	bool mapped = true;

	for (size_t n = 0; (d = memory_map_at(map, n)); n++)
		if (d->Attribute & EFI_MEMORY_RUNTIME && d->PhysicalStart)
			mapped &= arch_map_device(d->PhysicalStart, d->NumberOfPages * PAGE_BYTES);
	return mapped;
}

bool runtime_call(void (*call)(void *ctx), void *ctx)
{
	bool returned;

	if (!firmware_is_gone()) {
		call(ctx);
		return true;
	}
	steps_note("calling a runtime service");
	arch_map_page_0(true);
	returned = arch_try(call, ctx);
	arch_map_page_0(false);
	return returned;
}

enum arch_tried runtime_call_for(void (*call)(void *ctx), void *ctx, uint64_t ticks)
{
	enum arch_tried tried;

	if (!firmware_is_gone()) {
		call(ctx);
		return ARCH_TRIED_RETURNED;
	}
	arch_map_page_0(true);
	tried = arch_try_for(call, ctx, ticks);
	arch_map_page_0(false);
	return tried;
}

/* UEFI 2.10, 4.6.2. */
struct properties {
	uint16_t version, bytes;
	uint32_t supported;
};

static uint32_t supported = UINT32_MAX;

void runtime_read_properties(void)
{
	static const EFI_GUID guid = {
		0xeb66918a, 0x7eef, 0x402a, { 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 }
	};
	const struct properties *p = (const void *)(uintptr_t)firmware_table(&guid);

	if (p && p->bytes >= sizeof(*p))
		supported = p->supported;
}

bool runtime_supports(uint32_t service)
{
	return supported & service;
}
