/* SPDX-License-Identifier: BSD-2-Clause */
/* Files by the firmware's own driver. Source: UEFI 2.10, 10.3.4.4 and 13.4. */
#include "file.h"

#include "core/firmware/boot_path.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

/* Nodes: type, subtype, length in two bytes. */
#define HEAD_BYTES 4u
#define FILE_NODE(bytes)                                              \
	{                                                             \
		0x04, 0x04, (uint8_t)(bytes), (uint8_t)((bytes) >> 8) \
	}

#define OPTIONS_MAX 448

static EFI_FILE_HANDLE file_open(EFI_HANDLE device, CHAR16 *name)
{
	static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_FILE_IO_INTERFACE *system = firmware_protocol(device, &file_system_guid);
	EFI_FILE_HANDLE root, file;
	EFI_STATUS status;

	if (!system || EFI_ERROR(system->OpenVolume(system, &root)))
		return NULL;
	status = root->Open(root, &file, name, EFI_FILE_MODE_READ, 0);
	root->Close(root);
	return EFI_ERROR(status) ? NULL : file;
}

UINTN file_read(EFI_HANDLE device, CHAR16 *name, void *buffer, UINTN bytes)
{
	EFI_FILE_HANDLE file = file_open(device, name);
	EFI_STATUS status;

	if (!file)
		return 0;
	status = file->Read(file, &bytes, buffer);
	file->Close(file);
	return EFI_ERROR(status) ? 0 : bytes;
}

EFI_DEVICE_PATH *file_path(EFI_HANDLE device, const CHAR16 *name)
{
	static const uint8_t end[] = { 0x7f, 0xff, HEAD_BYTES, 0 };
	const void *of_device = firmware_protocol(device, &firmware_path_guid);
	UINTN head, bytes = sizeof(*name);
	uint8_t *path;

	if (!of_device)
		return NULL;
	head = boot_path_bytes(of_device, BOOT_PATH_MAX);
	while (name[bytes / sizeof(*name) - 1])
		bytes += sizeof(*name);
	path = firmware_pages(head + 2 * HEAD_BYTES + bytes, 0);
	if (!path)
		return NULL;
	memcpy(path, of_device, head);
	memcpy(path + head, (const uint8_t[])FILE_NODE(HEAD_BYTES + bytes), HEAD_BYTES);
	memcpy(path + head + HEAD_BYTES, name, bytes);
	memcpy(path + head + HEAD_BYTES + bytes, end, HEAD_BYTES);
	return (EFI_DEVICE_PATH *)path;
}

EFI_STATUS file_load_probe(EFI_HANDLE self, EFI_HANDLE device, const char *options,
			   EFI_HANDLE *probe)
{
	static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	static CHAR16 wide[OPTIONS_MAX];
	EFI_LOADED_IMAGE *image;
	EFI_STATUS status = firmware_boot()->LoadImage(
		FALSE, self, file_path(device, L"\\noisefloor.efi"), NULL, 0, probe);

	if (EFI_ERROR(status) || !options[0])
		return status;
	image = firmware_protocol(*probe, &loaded_image_guid);
	if (!image)
		return EFI_UNSUPPORTED;
	firmware_widen(wide, OPTIONS_MAX, options);
	image->LoadOptions = wide;
	image->LoadOptionsSize = (UINT32)((strlen(options) + 1) * sizeof(*wide));
	return EFI_SUCCESS;
}
