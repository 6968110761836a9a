/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways in which ResetSystem misbehaves. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define RESET_FLAG  UINT64_C(0x472)        /* BIOS data area: 1234h makes a reset a warm one */
#define HIGH_DEVICE UINT64_C(0x4000000000) /* where q35 has nothing */

static EFI_RESET_SYSTEM firmware_reset;

static EFI_STATUS EFIAPI reads_page_0(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				      CHAR16 *data)
{
	arch_mmio_read8(RESET_FLAG);
	return firmware_reset(type, status, bytes, data);
}

static EFI_STATUS EFIAPI reads_high(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				    CHAR16 *data)
{
	arch_mmio_read8(HIGH_DEVICE);
	return firmware_reset(type, status, bytes, data);
}

static EFI_STATUS EFIAPI faults(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes, CHAR16 *data)
{
	(void)type, (void)status, (void)bytes, (void)data;
	__builtin_trap();
}

static EFI_STATUS EFIAPI returns(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes, CHAR16 *data)
{
	(void)type, (void)status, (void)bytes, (void)data;
	return EFI_SUCCESS;
}

static bool hook(EFI_RESET_SYSTEM by)
{
	firmware_reset = firmware_runtime()->ResetSystem;
	firmware_runtime()->ResetSystem = by;
	return true;
}

bool quirk_reset_reads_page_0(void)
{
	return hook(reads_page_0);
}

bool quirk_reset_reads_high(void)
{
	quirk_map((EFI_MEMORY_DESCRIPTOR){
		.Type = EfiMemoryMappedIO,
		.PhysicalStart = HIGH_DEVICE,
		.NumberOfPages = 1,
		.Attribute = EFI_MEMORY_RUNTIME | EFI_MEMORY_UC,
	});
	return hook(reads_high);
}

bool quirk_reset_faults(void)
{
	return hook(faults);
}

bool quirk_reset_returns(void)
{
	return hook(returns);
}
