/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtime services are called in physical mode: nobody calls SetVirtualAddressMap. */
#include "runtime.h"

#include "probe/door.h"

#include "core/lib/steps.h"

bool runtime_map(const struct memory_map *map)
{
	const struct memory_range *r;
	bool mapped = true;

	for (size_t n = 0; (r = memory_map_at(map, n)); n++)
		if (r->is_runtime && r->from)
			mapped &= arch_map_device(r->from, r->end - r->from);
	return mapped;
}

enum arch_tried runtime_call_for(void (*call)(void *ctx), void *ctx, uint64_t ticks)
{
	enum arch_tried tried;

	if (!door.is_gone()) {
		call(ctx);
		return ARCH_TRIED_RETURNED;
	}
	arch_map_page_0(true);
	tried = arch_try_for(call, ctx, ticks);
	arch_map_page_0(false);
	return tried;
}

bool runtime_call(void (*call)(void *ctx), void *ctx)
{
	if (door.is_gone())
		steps_note("calling a runtime service");
	return runtime_call_for(call, ctx, 0) == ARCH_TRIED_RETURNED;
}
