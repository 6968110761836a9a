/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that get lost. */
#include "quirks.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

static EFI_SET_VARIABLE firmware_set;

static EFI_STATUS EFIAPI loses_boot_next(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes,
					 UINTN bytes, void *data)
{
	static const CHAR16 lost[] = L"BootNext";

	if (bytes && !memcmp(name, lost, sizeof(lost)))
		return EFI_SUCCESS;
	return firmware_set(name, vendor, attributes, bytes, data);
}

bool quirk_boot_next_lost(void)
{
	firmware_set = firmware_runtime()->SetVariable;
	firmware_runtime()->SetVariable = loses_boot_next;
	quirk_probe(L"\\EFI\\BOOT\\BOOTNF.EFI");
	return true;
}
