/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of variable services, marked by a register that changes nothing: who traces QEMU's UART
 * sees where each begins and ends among all else. Source: National Semiconductor, PC16550D, 8.10.
 */
#include "pc.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define COM1_SCRATCH 0x3ff

static EFI_STATUS EFIAPI get(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *bytes,
			     void *data)
{
	EFI_STATUS status;

	arch_out8(COM1_SCRATCH, 'G');
	status = quirk_firmwares.GetVariable(name, vendor, attributes, bytes, data);
	arch_out8(COM1_SCRATCH, 0);
	return status;
}

static EFI_STATUS EFIAPI set(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN bytes,
			     void *data)
{
	EFI_STATUS status;

	arch_out8(COM1_SCRATCH, 'S');
	status = quirk_firmwares.SetVariable(name, vendor, attributes, bytes, data);
	arch_out8(COM1_SCRATCH, 0);
	return status;
}

const struct quirk quirks_of_variables[] = {
	/* COM1's scratch register has a letter while GetVariable or SetVariable runs, and 0 after
	   it. */
	QUIRK_SERVICE("marked-variables", GetVariable, get),
	QUIRK_SERVICE("marked-variables", SetVariable, set),
	QUIRKS_END,
};
