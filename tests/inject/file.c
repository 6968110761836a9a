/* SPDX-License-Identifier: BSD-2-Clause */
/* Files by the firmware's own driver. Source: UEFI 2.10, 10.3.4.4 and 13.4. */
#include "file.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

#define HEAD_BYTES 4u /* type, subtype, length in two bytes */
#define PATH_MEDIA 0x04
#define PATH_FILE  0x04
#define PATH_END   0x7f
#define END_WHOLE  0xff

#define OPTIONS_MAX 448

static UINTN node_bytes(const uint8_t *node)
{
	return node[2] | (UINTN)node[3] << 8;
}

static uint8_t *node_put(uint8_t *at, uint8_t type, uint8_t subtype, UINTN bytes)
{
	at[0] = type;
	at[1] = subtype;
	at[2] = (uint8_t)bytes;
	at[3] = (uint8_t)(bytes >> 8);
	return at + HEAD_BYTES;
}

static EFI_FILE_HANDLE file_open(EFI_HANDLE device, CHAR16 *name)
{
	static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_FILE_IO_INTERFACE *system;
	EFI_FILE_HANDLE root, file;
	EFI_STATUS status;

	if (EFI_ERROR(
		    firmware_boot()->HandleProtocol(device, &file_system_guid, (void **)&system)) ||
	    EFI_ERROR(system->OpenVolume(system, &root)))
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
	static EFI_GUID device_path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	UINTN head = 0, characters = 1;
	const uint8_t *of_device;
	uint8_t *path, *at;

	if (EFI_ERROR(firmware_boot()->HandleProtocol(device, &device_path_guid,
						      (void **)&of_device)))
		return NULL;
	while (of_device[head] != PATH_END)
		head += node_bytes(of_device + head);
	while (name[characters - 1])
		characters++;
	if (EFI_ERROR(firmware_boot()->AllocatePool(
		    EfiLoaderData, head + 2 * HEAD_BYTES + characters * sizeof(*name),
		    (void **)&path)))
		return NULL;
	memcpy(path, of_device, head);
	at = node_put(path + head, PATH_MEDIA, PATH_FILE, HEAD_BYTES + characters * sizeof(*name));
	memcpy(at, name, characters * sizeof(*name));
	node_put(at + characters * sizeof(*name), PATH_END, END_WHOLE, HEAD_BYTES);
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
	status = firmware_boot()->HandleProtocol(*probe, &loaded_image_guid, (void **)&image);
	if (EFI_ERROR(status))
		return status;
	firmware_widen(wide, OPTIONS_MAX, options);
	image->LoadOptions = wide;
	image->LoadOptionsSize = (UINT32)((strlen(options) + 1) * sizeof(*wide));
	return EFI_SUCCESS;
}
