/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways in which ResetSystem misbehaves. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define RESET_FLAG  UINT64_C(0x472)        /* BIOS data area: 1234h makes a reset a warm one */
#define HIGH_DEVICE UINT64_C(0x4000000000) /* where q35 has nothing */

static EFI_RESET_SYSTEM firmwares_reset;

static EFI_STATUS EFIAPI reads_page_0(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				      CHAR16 *data)
{
	arch_mmio_read8(RESET_FLAG);
	return firmwares_reset(type, status, bytes, data);
}

static EFI_STATUS EFIAPI reads_high(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
				    CHAR16 *data)
{
	arch_mmio_read8(HIGH_DEVICE);
	return firmwares_reset(type, status, bytes, data);
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

static bool hook(EFI_RESET_SYSTEM by)
{
	firmwares_reset = firmware_runtime()->ResetSystem;
	firmware_runtime()->ResetSystem = by;
	return true;
}

static bool reset_reads_page_0(void)
{
	return hook(reads_page_0);
}

static bool reset_reads_high(void)
{
	quirk_map((EFI_MEMORY_DESCRIPTOR){
		.Type = EfiMemoryMappedIO,
		.PhysicalStart = HIGH_DEVICE,
		.NumberOfPages = 1,
		.Attribute = EFI_MEMORY_RUNTIME | EFI_MEMORY_UC,
	});
	return hook(reads_high);
}

static bool reset_faults(void)
{
	return hook(faults);
}

static bool reset_spins(void)
{
	return hook(spins);
}

static bool reset_spins_masked(void)
{
	return hook(spins_masked);
}

static bool reset_missing(void)
{
	return hook(NULL);
}

/* UEFI 2.10, 4.6.2: all services, but ResetSystem. */
static bool reset_unsupported(void)
{
	static EFI_GUID guid = {
		0xeb66918a, 0x7eef, 0x402a, { 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 }
	};
	static const struct {
		uint16_t version, bytes;
		uint32_t supported;
	} table = { 1, sizeof(table), 0x3bff };

	return hook(faults) && !EFI_ERROR(firmware_boot()->InstallConfigurationTable(
				       &guid, (VOID *)(uintptr_t)&table));
}

const struct quirk quirks_of_reset[] = {
	/*
	 * ResetSystem() reads the BIOS data area's reset flag, or a device far up, or takes an
	 * exception.
	 */
	{ "reset-reads-page-0", reset_reads_page_0 },
	{ "reset-reads-high", reset_reads_high },
	{ "reset-faults", reset_faults },
	/* ResetSystem() never returns; the second one masks interrupts first. */
	{ "reset-spins", reset_spins },
	{ "reset-spins-masked", reset_spins_masked },
	/*
	 * ResetSystem is missing: it takes an exception, and EFI_RT_PROPERTIES_TABLE does not list
	 * it.
	 */
	{ "reset-missing", reset_missing },
	{ "reset-unsupported", reset_unsupported },
	{ NULL, NULL },
};
