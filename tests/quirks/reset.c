/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways in which ResetSystem misbehaves. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define RESET_FLAG  UINT64_C(0x472)        /* BIOS data area: 1234h makes a reset a warm one */
#define HIGH_DEVICE UINT64_C(0x4000000000) /* where q35 has nothing */

static EFI_STATUS EFIAPI reads_page_0(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				      CHAR16 *data)
{
	arch_mmio_read8(RESET_FLAG);
	return quirk_firmwares.ResetSystem(type, status, bytes, data);
}

static EFI_STATUS EFIAPI reads_high(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				    CHAR16 *data)
{
	arch_mmio_read8(HIGH_DEVICE);
	return quirk_firmwares.ResetSystem(type, status, bytes, data);
}

static EFI_STATUS EFIAPI faults(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes, CHAR16 *data)
{
	(void)type, (void)status, (void)bytes, (void)data;
	__builtin_trap();
}

static EFI_STATUS EFIAPI spins(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes, CHAR16 *data)
{
	(void)type, (void)status, (void)bytes, (void)data;
	for (;;)
		arch_relax();
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI spins_masked(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				      CHAR16 *data)
{
	arch_mask_interrupts();
	return spins(type, status, bytes, data);
}

static bool high_device(void)
{
	quirk_map((EFI_MEMORY_DESCRIPTOR){
		.Type = EfiMemoryMappedIO,
		.PhysicalStart = HIGH_DEVICE,
		.NumberOfPages = 1,
		.Attribute = EFI_MEMORY_RUNTIME | EFI_MEMORY_UC,
	});
	return true;
}

const struct quirk quirks_of_reset[] = {
	/*
	 * ResetSystem() reads the BIOS data area's reset flag, or a device far up, or takes an
	 * exception.
	 */
	QUIRK_SERVICE("reset-reads-page-0", ResetSystem, reads_page_0),
	QUIRK_SERVICE("reset-reads-high", ResetSystem, reads_high),
	QUIRK("reset-reads-high", high_device),
	QUIRK_SERVICE("reset-faults", ResetSystem, faults),
	/* ResetSystem() never returns; the second one masks interrupts first. */
	QUIRK_SERVICE("reset-spins", ResetSystem, spins),
	QUIRK_SERVICE("reset-spins-masked", ResetSystem, spins_masked),
	QUIRK_SERVICE("reset-missing", ResetSystem, NULL),
	QUIRKS_END,
};
