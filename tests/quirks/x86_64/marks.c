/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of variable services, marked by a register that changes nothing: who traces QEMU's UART
 * sees where each begins and ends among all else. Source: National Semiconductor, PC16550D, 8.10.
 */
#include "pc.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define COM1_SCRATCH 0x3ff

static EFI_GET_VARIABLE firmware_get;
static EFI_SET_VARIABLE firmware_set;

static EFI_STATUS EFIAPI get(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *bytes,
			     void *data)
{
	EFI_STATUS status;

	arch_out8(COM1_SCRATCH, 'G');
	status = firmware_get(name, vendor, attributes, bytes, data);
	arch_out8(COM1_SCRATCH, 0);
	return status;
}

static EFI_STATUS EFIAPI set(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN bytes,
			     void *data)
{
	EFI_STATUS status;

	arch_out8(COM1_SCRATCH, 'S');
	status = firmware_set(name, vendor, attributes, bytes, data);
	arch_out8(COM1_SCRATCH, 0);
	return status;
}

static bool marked_variables(void)
{
	firmware_get = firmware_runtime()->GetVariable;
	firmware_set = firmware_runtime()->SetVariable;
	firmware_runtime()->GetVariable = get;
	firmware_runtime()->SetVariable = set;
	return true;
}

const struct quirk quirks_of_variables[] = {
	/* COM1's scratch register has a letter while GetVariable or SetVariable runs, and 0 after
	   it. */
	{ "marked-variables", marked_variables },
	{ NULL, NULL },
};
