/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration under UEFI: from a file beside the image, from the server that the image came
 * from, and from load options.
 */
#include "firmware.h"

#include "load_options.h"

#include "efi/net/served.h"
#include "probe/options.h"

#include "core/firmware/boot_path.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define CONFIG_FILE L"noisefloor.conf"
#define PATH_CHARS  256

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID file_info_guid = EFI_FILE_INFO_ID;

static void blame_file(const char *level, EFI_STATUS status, uint64_t read, uint64_t bytes)
{
	TEXT_DEFINE(t, 120);

	text_add(&t, "noisefloor.conf: %llu of its %llu bytes could be read (EFI status %llu)",
		 (unsigned long long)read, (unsigned long long)bytes,
		 (unsigned long long)(status & ~EFI_ERROR_MASK));
	complaints_add(level, t.buf);
}

/* Apply the file. `text` is zeroed, CONFIG_TEXT_MAX bytes; GetInfo() uses it first. */
static void apply_file(struct options *o, EFI_FILE_HANDLE file, char *text)
{
	static const struct config_source source = { .name = "noisefloor.conf" };
	UINTN size = CONFIG_TEXT_MAX;
	EFI_STATUS status;
	uint64_t bytes;

	file->GetInfo(file, &file_info_guid, &size, text);
	bytes = ((const EFI_FILE_INFO *)(const void *)text)->FileSize;
	size = CONFIG_TEXT_MAX;
	status = file->Read(file, &size, text);
	if (!EFI_ERROR(status) && (size == bytes || (size < bytes && size == CONFIG_TEXT_MAX))) {
		o->mistakes += config_apply(&o->config, &source, text, (size_t)bytes,
					    options_complain, NULL);
		return;
	}
	blame_file("error", status, EFI_ERROR(status) ? 0 : size, bytes);
	o->mistakes++;
}

/*
 * The image's folder, with its last backslash, from its device path; "" if the image is not a file.
 */
static void image_folder(const EFI_LOADED_IMAGE *image, CHAR16 *folder)
{
	const uint8_t *path = (const void *)image->FilePath, *node;
	size_t bytes = path ? boot_path_bytes(path, DOOR_PATH_MAX) : 0;
	size_t n = 0, end = 0, length;

	for (size_t at = 0; at < bytes; at += length) {
		node = path + at;
		length = bytes_le16(node + 2);
		if (node[0] != MEDIA_DEVICE_PATH || node[1] != MEDIA_FILEPATH_DP)
			continue;
		for (size_t i = 4; i + 2 <= length && n < PATH_CHARS - 32; i += 2) {
			folder[n] = bytes_le16(node + i);
			if (!folder[n])
				break;
			if (folder[n++] == L'\\')
				end = n;
		}
	}
	folder[end] = 0;
}

static EFI_STATUS open_in(EFI_FILE_HANDLE root, CHAR16 *folder, EFI_FILE_HANDLE *file)
{
	static const CHAR16 name[] = CONFIG_FILE;
	size_t n = 0;

	while (folder[n])
		n++;
	memcpy(folder + n, name, sizeof(name));
	return root->Open(root, file, folder, EFI_FILE_MODE_READ, 0);
}

static EFI_STATUS read_from(struct options *o, const EFI_LOADED_IMAGE *image, EFI_FILE_HANDLE root,
			    char *text)
{
	CHAR16 beside[PATH_CHARS], top[PATH_CHARS] = L"\\";
	EFI_FILE_HANDLE file;
	EFI_STATUS status;

	image_folder(image, beside);
	status = open_in(root, beside, &file);
	if (status == EFI_NOT_FOUND)
		status = open_in(root, top, &file);
	if (!EFI_ERROR(status)) {
		apply_file(o, file, text);
		file->Close(file);
	}
	root->Close(root);
	return status;
}

static void read_file(struct options *o, const EFI_LOADED_IMAGE *image, char *text)
{
	EFI_FILE_IO_INTERFACE *volume = firmware_protocol(image->DeviceHandle, &file_system_guid);
	EFI_FILE_HANDLE root;
	EFI_STATUS status;

	if (!volume)
		return;
	status = volume->OpenVolume(volume, &root);
	if (!EFI_ERROR(status))
		status = read_from(o, image, root, text);
	if (EFI_ERROR(status) && status != EFI_NOT_FOUND)
		blame_file("warning", status, 0, 0);
}

/*
 * Some firmware passes a GUID or other data of its own with each boot entry. Data without '='
 * cannot have a key.
 */
static void read_load_options(struct options *o, const EFI_LOADED_IMAGE *image, char *text)
{
	static const struct config_source source = { .name = "load options", .one_line = true };
	size_t bytes = image->LoadOptionsSize;
	bool too_many = bytes > 2 * CONFIG_TEXT_MAX;

	if (!image->LoadOptions || (!too_many && !memchr(image->LoadOptions, '=', bytes)))
		return;
	if (too_many ||
	    !load_options_read(image->LoadOptions, bytes, text, CONFIG_TEXT_MAX, &bytes))
		complaints_add("warning", "load options: they are not text, or too long; ignored");
	else
		o->mistakes += config_apply(&o->config, &source, text, bytes, options_complain,
					    NULL);
}

void firmware_options_read(struct options *o)
{
	const EFI_LOADED_IMAGE *image = firmware_loaded_image();
	char *text;

	if (!image)
		return;
	text = firmware_pages(CONFIG_TEXT_MAX, 0);
	if (!text) {
		complaints_add("error", "no memory for a configuration");
		o->mistakes++;
		return;
	}
	read_file(o, image, text);
	served_by_pxe(o, image->DeviceHandle);
	served_by_http(o, image->DeviceHandle);
	read_load_options(o, image, text);
	firmware_boot()->FreePages((uintptr_t)text, CONFIG_TEXT_MAX / EFI_PAGE_SIZE);
}
