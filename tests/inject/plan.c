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

static const char *plan_fault(const struct plan *plan, UINTN bytes)
{
	if (bytes < sizeof(*plan))
		return "shorter than its head";
	if (plan->magic != PLAN_MAGIC || plan->version != PLAN_VERSION)
		return "not a plan of this version";
	if (plan->mode > PLAN_IDLE)
		return "unknown mode";
	if (plan->swsmi_rate >= PLAN_SWSMI_RATES)
		return "no such rate";
	if (plan->count > PLAN_MAX)
		return "too many SMIs";
	if (bytes != sizeof(*plan) + plan->count * sizeof(struct plan_smi))
		return "its length does not fit its count";
	if (plan->options[PLAN_OPTIONS - 1])
		return "options not terminated";
	return NULL;
}

static UINTN plan_read(EFI_HANDLE device, struct plan *plan)
{
	UINTN bytes = fwcfg_read(PLAN_FWCFG, plan, PLAN_BYTES_MAX);

	return bytes ? bytes : file_read(device, PLAN_FILE, plan, PLAN_BYTES_MAX + 1);
}

static const char *plan_await(EFI_HANDLE device, struct plan *plan)
{
	const char *fault = plan_fault(plan, plan_read(device, plan));

	if (fault || plan->mode != PLAN_WAIT)
		return fault;
	inject_log("waiting for a plan");
	for (UINTN i = 0; i < WAITS && !fault && plan->mode == PLAN_WAIT; i++) {
		firmware_boot()->Stall(WAIT_US);
		fault = plan_fault(plan, plan_read(device, plan));
	}
	return !fault && plan->mode == PLAN_WAIT ? "none came" : fault;
}

EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan)
{
	const char *fault;

	if (EFI_ERROR(firmware_boot()->AllocatePool(EfiLoaderData, PLAN_BYTES_MAX + 1,
						    (void **)plan)))
		return EFI_OUT_OF_RESOURCES;
	memset(*plan, 0, PLAN_BYTES_MAX + 1);
	fault = plan_await(device, *plan);
	if (!fault)
		return EFI_SUCCESS;
	inject_log("the plan (fw_cfg %s, or \\inject.bin): %s", PLAN_FWCFG, fault);
	firmware_boot()->FreePool(*plan);
	return EFI_COMPROMISED_DATA;
}
