/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking over the machine. */
#include "platform_bare.h"

#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"

bool platform_bare_take(struct platform *p, struct memory_map *map, struct maybe *bringup_ns)
{
	steps_note("ExitBootServices");
	if (!door.leave(map))
		return false;
	/* The last call of the firmware may have unmasked interrupts. */
	arch_mask_interrupts();
	p->start = arch_start;
	p->finish = arch_finish;
	steps_note("taking the boot core over");
	arch_take_over();
	steps_note("starting the other cores");
	*bringup_ns = (struct maybe){ ticks_to_ns(arch_start_cores(), p->hz), true };
	return true;
}
