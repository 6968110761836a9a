/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading \inject.bin. */
#include "plan.h"
#include "layout.h"

#include <efilib.h>

_Static_assert(sizeof(struct plan) == 512, "schedule.py writes a head of 512 bytes");

static const char *plan_fault(const struct plan *plan, UINTN bytes)
{
	if (bytes < sizeof(*plan))
		return "shorter than its head";
	if (plan->magic != PLAN_MAGIC || plan->version != PLAN_VERSION)
		return "not a plan of this version";
	if (plan->mode > MODE_TCO)
		return "unknown mode";
	if (plan->count > PLAN_MAX)
		return "too many SMIs";
	if (bytes != sizeof(*plan) + plan->count * sizeof(struct plan_smi))
		return "its length does not fit its count";
	if (plan->options[PLAN_OPTIONS - 1])
		return "options not terminated";
	return NULL;
}

static EFI_STATUS plan_open(EFI_HANDLE device, EFI_FILE_HANDLE *file)
{
	EFI_FILE_HANDLE root = LibOpenRoot(device);
	EFI_STATUS status;

	if (!root)
		return EFI_NOT_FOUND;
	status = root->Open(root, file, L"\\inject.bin", EFI_FILE_MODE_READ, 0);
	root->Close(root);
	return status;
}

EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan)
{
	UINTN bytes = sizeof(**plan) + PLAN_MAX * sizeof(struct plan_smi) + 1;
	EFI_FILE_HANDLE file;
	const char *fault;
	EFI_STATUS status = plan_open(device, &file);

	if (EFI_ERROR(status)) {
		Print(L"inject: no \\inject.bin: %r\n", status);
		return status;
	}
	*plan = AllocatePool(bytes);
	status = *plan ? file->Read(file, &bytes, *plan) : EFI_OUT_OF_RESOURCES;
	file->Close(file);
	if (EFI_ERROR(status)) {
		Print(L"inject: reading \\inject.bin: %r\n", status);
		return status;
	}
	fault = plan_fault(*plan, bytes);
	if (fault) {
		Print(L"inject: \\inject.bin: %a\n", fault);
		FreePool(*plan);
		return EFI_COMPROMISED_DATA;
	}
	return EFI_SUCCESS;
}
