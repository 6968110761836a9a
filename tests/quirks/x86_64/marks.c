/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of variable services, marked by a register that changes nothing: who traces QEMU's UART
 * sees where each begins and ends among all else. Source: National Semiconductor, PC16550D, 8.10.
 */
#include "pc.h"

#include "efi/firmware.h"
#include "tests/inject/x86_64/mmio.h"

#define COM1_SCRATCH 0x3ff

static EFI_GET_VARIABLE firmware_get;
static EFI_SET_VARIABLE firmware_set;

static EFI_STATUS EFIAPI get(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *bytes,
			     void *data)
{
	EFI_STATUS status;

	port_write8(COM1_SCRATCH, 'G');
	status = firmware_get(name, vendor, attributes, bytes, data);
	port_write8(COM1_SCRATCH, 0);
	return status;
}

static EFI_STATUS EFIAPI set(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN bytes,
			     void *data)
{
	EFI_STATUS status;

	port_write8(COM1_SCRATCH, 'S');
	status = firmware_set(name, vendor, attributes, bytes, data);
	port_write8(COM1_SCRATCH, 0);
	return status;
}

bool quirk_marked_variables(void)
{
	firmware_get = firmware_runtime()->GetVariable;
	firmware_set = firmware_runtime()->SetVariable;
	firmware_runtime()->GetVariable = get;
	firmware_runtime()->SetVariable = set;
	return true;
}
