/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A disk in memory as a boot loader provides it, with a device path of its own (Ventoy's memdisk,
 * for example). It is a copy of the real disk. Source: UEFI 2.10, 13.9 (block I/O) and 10.3.2.3
 * (vendor's node).
 */
#include "quirks.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

static EFI_GUID block_guid = BLOCK_IO_PROTOCOL, files_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;

static struct {
	VENDOR_DEVICE_PATH vendor;
	EFI_DEVICE_PATH end;
} path = {
	{ { HARDWARE_DEVICE_PATH, HW_VENDOR_DP, { sizeof(VENDOR_DEVICE_PATH), 0 } },
	  { 0x37b87ac6, 0xc180, 0x4583, { 0xa7, 0x05, 0x41, 0x4d, 0xa8, 0xf7, 0x7e, 0xd2 } } },
	{ END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, { sizeof(EFI_DEVICE_PATH), 0 } },
};

static EFI_BLOCK_IO shown;
static EFI_BLOCK_IO_MEDIA medium;
static char *memory;

static char *at(EFI_LBA block)
{
	return memory + block * medium.BlockSize;
}

static EFI_STATUS EFIAPI reset_disk(EFI_BLOCK_IO *disk, BOOLEAN extended)
{
	(void)disk, (void)extended;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_disk(EFI_BLOCK_IO *disk, UINT32 id, EFI_LBA block, UINTN bytes,
				   VOID *buffer)
{
	(void)disk, (void)id;
	memcpy(buffer, at(block), bytes);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_disk(EFI_BLOCK_IO *disk, UINT32 id, EFI_LBA block, UINTN bytes,
				    VOID *buffer)
{
	(void)disk, (void)id;
	memcpy(at(block), buffer, bytes);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_disk(EFI_BLOCK_IO *disk)
{
	(void)disk;
	return EFI_SUCCESS;
}

static bool copy(EFI_BLOCK_IO *real)
{
	size_t bytes = (size_t)(medium.LastBlock + 1) * medium.BlockSize;

	memory = firmware_pages(bytes, 0);
	return memory && !EFI_ERROR(real->ReadBlocks(real, real->Media->MediaId, 0, bytes, memory));
}

/* The probe is started from there, with its boot entry that of another program. */
bool quirk_memory_disk(void)
{
	EFI_BLOCK_IO *real = firmware_protocol(firmware_boot_device(), &block_guid);
	EFI_HANDLE disk = NULL;

	if (!real)
		return false;
	medium = *real->Media;
	if (!copy(real))
		return false;
	shown = (EFI_BLOCK_IO){ .Revision = real->Revision,
				.Media = &medium,
				.Reset = reset_disk,
				.ReadBlocks = read_disk,
				.WriteBlocks = write_disk,
				.FlushBlocks = flush_disk };
	if (EFI_ERROR(firmware_boot()->InstallProtocolInterface(&disk, &block_guid,
								EFI_NATIVE_INTERFACE, &shown)) ||
	    EFI_ERROR(firmware_boot()->InstallProtocolInterface(&disk, &firmware_path_guid,
								EFI_NATIVE_INTERFACE, &path)))
		return false;
	firmware_boot()->ConnectController(disk, NULL, NULL, TRUE);
	quirk_probe_on(disk);
	return firmware_protocol(disk, &files_guid);
}
