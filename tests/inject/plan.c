/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the plan. */
#include "plan.h"
#include "file.h"
#include "fwcfg.h"
#include "layout.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

#define PLAN_FILE      L"\\inject.bin"
#define PLAN_BYTES_MAX (sizeof(struct plan) + PLAN_MAX * sizeof(struct plan_smi))
#define WAIT_US        1000 /* not shorter: each wait is slow to emulate under icount */
#define WAITS          3600000

_Static_assert(sizeof(struct plan) == 512, "schedule.py writes a head of 512 bytes");

static bool plan_is_whole(const struct plan *plan, UINTN bytes)
{
	return bytes >= sizeof(*plan) && plan->magic == PLAN_MAGIC &&
	       plan->version == PLAN_VERSION && plan->mode <= PLAN_IDLE &&
	       plan->swsmi_rate < PLAN_SWSMI_RATES && plan->count <= PLAN_MAX &&
	       bytes == sizeof(*plan) + plan->count * sizeof(struct plan_smi) &&
	       !plan->options[PLAN_OPTIONS - 1];
}

static bool plan_read(EFI_HANDLE device, struct plan *plan)
{
	UINTN bytes = fwcfg_read(PLAN_FWCFG, plan, PLAN_BYTES_MAX);

	return plan_is_whole(plan, bytes ? bytes
					 : file_read(device, PLAN_FILE, plan, PLAN_BYTES_MAX + 1));
}

static bool plan_await(EFI_HANDLE device, struct plan *plan)
{
	bool whole = plan_read(device, plan);

	if (whole && plan->mode == PLAN_WAIT)
		inject_log("waiting for a plan");
	for (UINTN i = 0; i < WAITS && whole && plan->mode == PLAN_WAIT; i++) {
		firmware_boot()->Stall(WAIT_US);
		whole = plan_read(device, plan);
	}
	return whole && plan->mode != PLAN_WAIT;
}

EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan)
{
	*plan = firmware_pages(PLAN_BYTES_MAX + 1, 0);
	if (!*plan)
		return EFI_OUT_OF_RESOURCES;
	if (plan_await(device, *plan))
		return EFI_SUCCESS;
	inject_log("no plan of this version in fw_cfg's %s, or \\inject.bin", PLAN_FWCFG);
	return EFI_COMPROMISED_DATA;
}
