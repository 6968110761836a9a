/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our variables and the firmware's own, and the device path that a boot entry has of this image.
 * Source: UEFI 2.10, 8.2.
 */
#include "firmware.h"

#include "core/firmware/boot_path.h"
#include "core/lib/mem.h"

#define BOOT EFI_VARIABLE_BOOTSERVICE_ACCESS

static EFI_GUID global_guid = EFI_GLOBAL_VARIABLE;
static EFI_GUID *const owners[] = {
	[DOOR_OURS] = &firmware_own_guid,
	[DOOR_FIRMWARES] = &global_guid,
};

static enum door_status status_of(EFI_STATUS status)
{
	switch (status) {
	case EFI_SUCCESS:
		return DOOR_OK;
	case EFI_NOT_FOUND:
		return DOOR_NONE;
	case EFI_UNSUPPORTED:
		return DOOR_UNSUPPORTED;
	case EFI_OUT_OF_RESOURCES:
		return DOOR_FULL;
	default:
		return DOOR_REFUSED;
	}
}

static enum door_status variable_get(enum door_owner owner, const char *name, void *value,
				     size_t *bytes)
{
	CHAR16 wide[DOOR_NAME_MAX + 1];
	size_t room = *bytes;
	EFI_STATUS status;

	firmware_widen(wide, DOOR_NAME_MAX + 1, name);
	status = firmware_runtime()->GetVariable(wide, owners[owner], NULL, bytes, value);

	/* A size above the buffer's would lead past its end. */
	return *bytes > room && status == EFI_SUCCESS ? DOOR_REFUSED : status_of(status);
}

static enum door_status variable_set(enum door_owner owner, const char *name,
				     enum door_lasting lasting, const void *value, size_t bytes)
{
	static const UINT32 attributes[] = {
		[DOOR_VOLATILE] = BOOT,
		[DOOR_BOOT] = BOOT | EFI_VARIABLE_NON_VOLATILE,
		[DOOR_PERSISTENT] = FIRMWARE_PERSISTENT,
	};
	CHAR16 wide[DOOR_NAME_MAX + 1];

	firmware_widen(wide, DOOR_NAME_MAX + 1, name);
	return status_of(firmware_runtime()->SetVariable(wide, owners[owner], attributes[lasting],
							 bytes, (void *)(uintptr_t)value));
}

static bool variable_room(uint64_t *store, uint64_t *left, uint64_t *most)
{
	EFI_RUNTIME_SERVICES *rt = firmware_runtime();

	/* QueryVariableInfo() exists since UEFI 2.0. */
	return rt->Hdr.Revision >= FIRMWARE_UEFI_2_0 &&
	       !EFI_ERROR(rt->QueryVariableInfo(FIRMWARE_PERSISTENT, store, left, most));
}

static bool is_behind_shim(void)
{
	static EFI_GUID shim_guid = {
		0x605dab50, 0xe046, 0x4300, { 0xab, 0xb6, 0x3d, 0xd8, 0x10, 0xdd, 0x8b, 0x23 }
	};
	void *shim;

	return !EFI_ERROR(firmware_boot()->LocateProtocol(&shim_guid, NULL, &shim));
}

/* The path of the image's device, then that of its file. */
static size_t variable_image(uint8_t path[DOOR_PATH_MAX], bool *by_shim)
{
	const EFI_LOADED_IMAGE *image = firmware_loaded_image();
	const void *device = image ? firmware_protocol(image->DeviceHandle, &firmware_path_guid)
				   : NULL;
	size_t head, file = 0;

	if (!device)
		return 0;
	*by_shim = is_behind_shim();
	head = boot_path_bytes(device, DOOR_PATH_MAX);
	if (image->FilePath)
		file = boot_path_bytes(image->FilePath, DOOR_PATH_MAX);
	if (head + file > DOOR_PATH_MAX)
		return 0;
	memcpy(path, device, head);
	memcpy(path + head, image->FilePath, file);
	return head + file;
}

const struct door_variables firmware_variables = {
	.get = variable_get,
	.set = variable_set,
	.room = variable_room,
	.image_path = variable_image,
};
