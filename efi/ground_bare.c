/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking over. Source: UEFI 2.10, 7.4 (ExitBootServices). */
#include "ground_bare.h"

#include "core/lib/ticks.h"

#define EXIT_TRIES 16

/*
 * GetMemoryMap and ExitBootServices, with nothing between them: the key is only
 * good while the map stays as it is, and firmware may change it in a last
 * notification, once or more.
 */
static bool exit_boot_services(struct app *app)
{
	for (unsigned i = 0; i < EXIT_TRIES; i++) {
		if (!memory_map_read(&app->map))
			return false;
		if (firmware_boot()->ExitBootServices(firmware_image(), app->map.key) ==
		    EFI_SUCCESS)
			return true;
	}
	return false;
}

bool ground_bare(struct app *app)
{
	struct platform *p = &app->platform;

	if (!exit_boot_services(app)) {
		app_complain(app, "error", "the firmware refuses ExitBootServices");
		return false;
	}
	/* After the last call into the firmware, which may have switched them on again. */
	arch_mask_interrupts();
	app->taken_over = true;
	p->start = arch_start;
	p->finish = arch_finish;
	arch_take_over();
	app->begin.cpus.bringup_ns = (struct maybe){ ticks_to_ns(arch_start_cores(), p->hz), true };
	return true;
}
