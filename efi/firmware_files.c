/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on the volume that the image came from. Source: UEFI 2.10, 13.4 and 13.5. */
#include "firmware.h"

#include "core/firmware/boot_path.h"

#define NAME_CHARS 160

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID usb_io_guid = FIRMWARE_USB_GUID;

static enum door_status status_of(EFI_STATUS status)
{
	if (!EFI_ERROR(status))
		return DOOR_OK;
	return status == EFI_NOT_FOUND         ? DOOR_NONE
	       : status == EFI_VOLUME_FULL     ? DOOR_FULL
	       : status == EFI_WRITE_PROTECTED ? DOOR_PROTECTED
					       : DOOR_REFUSED;
}

/* ---- The volume ---- */

static bool is_virtual(void)
{
	struct firmware_usb *usb = firmware_protocol_above(firmware_boot_device(), &usb_io_guid);
	static uint8_t descriptor[BOOT_PATH_USB_BYTES];

	return usb && !EFI_ERROR(usb->device_descriptor(usb, descriptor)) &&
	       boot_path_virtual_stick(descriptor);
}

static enum boot_path_medium medium_of(EFI_HANDLE device)
{
	const uint8_t *path = firmware_protocol(device, &firmware_path_guid);
	size_t bytes = path ? boot_path_bytes(path, BOOT_PATH_MAX) : 0;
	enum boot_path_medium found = boot_path_medium(path, bytes);

	return found == BOOT_PATH_LASTS && is_virtual() ? BOOT_PATH_UNPROVED : found;
}

static bool file_find(enum boot_path_medium *medium, bool *read_only)
{
	EFI_HANDLE device = firmware_boot_device();

	if (!firmware_protocol(device, &file_system_guid))
		return false;
	*medium = medium_of(device);
	/*
	 * A CD refuses a write, and EDK II then resets its USB device, for which it has no transfer
	 * ring: if page 0 is not memory, the next access is an exception in the firmware.
	 */
	*read_only = firmware_path_ends(device, MEDIA_DEVICE_PATH, MEDIA_CDROM_DP);
	return true;
}

/* ---- Its files ---- */

EFI_STATUS firmware_file_open(EFI_FILE_HANDLE in, CHAR16 *name, enum door_mode mode, void **file)
{
	static const UINT64 modes[] = {
		[DOOR_READ] = EFI_FILE_MODE_READ,
		[DOOR_WRITE] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
		[DOOR_CREATE] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
		[DOOR_FOLDER] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
	};
	EFI_FILE_IO_INTERFACE *volume = firmware_protocol(firmware_boot_device(),
							  &file_system_guid);
	EFI_FILE_HANDLE from = in, opened = NULL;
	EFI_STATUS status = in || volume ? EFI_SUCCESS : EFI_NOT_FOUND;

	*file = NULL;
	if (!in && volume)
		status = volume->OpenVolume(volume, &from);
	if (EFI_ERROR(status))
		return status;
	status = from->Open(from, &opened, name, modes[mode],
			    mode == DOOR_FOLDER ? EFI_FILE_DIRECTORY : 0);
	if (!in)
		from->Close(from);
	*file = EFI_ERROR(status) ? NULL : opened;
	return status;
}

static enum door_status file_open(void *in, const char *name, enum door_mode mode, void **file)
{
	CHAR16 wide[NAME_CHARS];

	firmware_widen(wide, NAME_CHARS, name);
	return status_of(firmware_file_open(in, wide, mode, file));
}

static enum door_status file_read(void *file, void *to, size_t *bytes)
{
	EFI_FILE_HANDLE f = file;

	return status_of(f->Read(f, bytes, to));
}

static enum door_status file_write(void *file, const void *from, size_t *bytes)
{
	EFI_FILE_HANDLE f = file;
	EFI_STATUS status = f->Write(f, bytes, (void *)(uintptr_t)from);

	return status_of(EFI_ERROR(status) ? status : f->Flush(f));
}

static void file_close(void *file)
{
	EFI_FILE_HANDLE f = file;

	f->Close(f);
}

/* Delete() returns a warning, not an error, if the file could not be deleted. */
static enum door_status file_remove(void *file)
{
	EFI_FILE_HANDLE f = file;

	return f->Delete(f) == EFI_SUCCESS ? DOOR_OK : DOOR_PROTECTED;
}

const struct door_files firmware_files = {
	.find = file_find,
	.open = file_open,
	.read = file_read,
	.write = file_write,
	.close = file_close,
	.remove = file_remove,
};
