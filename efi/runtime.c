/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtime services. Source: UEFI 2.10, 8.1: physical mode, as nobody calls SetVirtualAddressMap. */
#include "runtime.h"

#include "firmware.h"
#include "firmware_exit.h"

#include "arch/arch.h"
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
