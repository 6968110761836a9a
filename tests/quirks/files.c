/* SPDX-License-Identifier: BSD-2-Clause */
/* A file system that lacks something. */
#include "quirks.h"

#include "efi/firmware.h"

static EFI_VOLUME_OPEN firmware_volume;
static EFI_FILE_OPEN firmware_open;

static EFI_STATUS EFIAPI refuse(EFI_FILE_HANDLE file, EFI_GUID *type, UINTN bytes, VOID *info)
{
	(void)file, (void)type, (void)bytes, (void)info;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI opens(EFI_FILE_HANDLE in, EFI_FILE_HANDLE *file, CHAR16 *name, UINT64 mode,
			       UINT64 attributes)
{
	EFI_STATUS status = firmware_open(in, file, name, mode, attributes);

	if (EFI_ERROR(status))
		return status;
	(*file)->Open = opens;
	(*file)->SetInfo = refuse;
	return status;
}

static EFI_STATUS EFIAPI opens_volume(EFI_FILE_IO_INTERFACE *system, EFI_FILE_HANDLE *root)
{
	EFI_STATUS status = firmware_volume(system, root);

	if (EFI_ERROR(status))
		return status;
	firmware_open = (*root)->Open;
	(*root)->Open = opens;
	return status;
}

bool quirk_no_rename(void)
{
	static EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_FILE_IO_INTERFACE *system;

	if (EFI_ERROR(firmware_boot()->HandleProtocol(firmware_boot_device(), &guid,
						      (void **)&system)))
		return false;
	firmware_volume = system->OpenVolume;
	system->OpenVolume = opens_volume;
	quirk_probe(L"\\EFI\\BOOT\\BOOTNF.EFI");
	return true;
}
