/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the plan. */
#include "plan.h"
#include "fwcfg.h"
#include "ich9.h"
#include "layout.h"

#include <efilib.h>

#define PLAN_FWCFG     "opt/noisefloor/inject"
#define PLAN_FILE      L"\\inject.bin"
#define PLAN_BYTES_MAX (sizeof(struct plan) + PLAN_MAX * sizeof(struct plan_smi))
#define WAIT_US        1000 /* each one slow to emulate under icount */
#define WAITS          3600000

_Static_assert(sizeof(struct plan) == 512, "schedule.py writes a head of 512 bytes");

static const char *plan_fault(const struct plan *plan, UINTN bytes)
{
	if (bytes < sizeof(*plan))
		return "shorter than its head";
	if (plan->magic != PLAN_MAGIC || plan->version != PLAN_VERSION)
		return "not a plan of this version";
	if (plan->mode > PLAN_SWSMI)
		return "unknown mode";
	if (plan->swsmi_rate >= SWSMI_RATES)
		return "no such rate";
	if (plan->count > PLAN_MAX)
		return "too many SMIs";
	if (bytes != sizeof(*plan) + plan->count * sizeof(struct plan_smi))
		return "its length does not fit its count";
	if (plan->options[PLAN_OPTIONS - 1])
		return "options not terminated";
	return NULL;
}

/* The file's bytes, at most `max`; 0 when it cannot be read. */
static UINTN plan_from_volume(EFI_HANDLE device, void *buffer, UINTN max)
{
	EFI_FILE_HANDLE root = LibOpenRoot(device);
	EFI_FILE_HANDLE file;
	EFI_STATUS status;

	if (!root)
		return 0;
	status = root->Open(root, &file, PLAN_FILE, EFI_FILE_MODE_READ, 0);
	root->Close(root);
	if (EFI_ERROR(status))
		return 0;
	status = file->Read(file, &max, buffer);
	file->Close(file);
	return EFI_ERROR(status) ? 0 : max;
}

static UINTN plan_read(EFI_HANDLE device, struct plan *plan)
{
	UINTN bytes = fwcfg_read(PLAN_FWCFG, plan, PLAN_BYTES_MAX);

	return bytes ? bytes : plan_from_volume(device, plan, PLAN_BYTES_MAX + 1);
}

static const char *plan_await(EFI_HANDLE device, struct plan *plan)
{
	const char *fault = plan_fault(plan, plan_read(device, plan));

	if (fault || plan->mode != PLAN_WAIT)
		return fault;
	Print(L"inject: waiting for a plan\n");
	for (UINTN i = 0; i < WAITS && !fault && plan->mode == PLAN_WAIT; i++) {
		BS->Stall(WAIT_US);
		fault = plan_fault(plan, plan_read(device, plan));
	}
	return !fault && plan->mode == PLAN_WAIT ? "none came" : fault;
}

EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan)
{
	const char *fault;

	*plan = AllocateZeroPool(PLAN_BYTES_MAX + 1);
	if (!*plan)
		return EFI_OUT_OF_RESOURCES;
	fault = plan_await(device, *plan);
	if (!fault)
		return EFI_SUCCESS;
	Print(L"inject: the plan (fw_cfg %a, or %s): %a\n", PLAN_FWCFG, PLAN_FILE, fault);
	FreePool(*plan);
	return EFI_COMPROMISED_DATA;
}
