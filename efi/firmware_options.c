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

/* The file's name in the image's folder, by its device path; at the root if it is not a file. */
static void name_beside(const EFI_LOADED_IMAGE *image, CHAR16 *name)
{
	static const CHAR16 file[] = CONFIG_FILE;
	const uint8_t *path = (const void *)image->FilePath, *node;
	size_t bytes = path ? boot_path_bytes(path, DOOR_PATH_MAX) : 0;
	size_t n = 0, end = 0, length;

	for (size_t at = 0; at < bytes; at += length) {
		node = path + at;
		length = bytes_le16(node + 2);
		if (node[0] != MEDIA_DEVICE_PATH || node[1] != MEDIA_FILEPATH_DP)
			continue;
		for (size_t i = 4; i + 2 <= length && n < PATH_CHARS - 32; i += 2) {
			name[n] = bytes_le16(node + i);
			if (!name[n])
				break;
			if (name[n++] == L'\\')
				end = n;
		}
	}
	memcpy(name + end, file, sizeof(file));
}

static void read_file(struct options *o, const EFI_LOADED_IMAGE *image, char *text)
{
	CHAR16 beside[PATH_CHARS], top[] = L"\\" CONFIG_FILE;
	EFI_STATUS status;
	void *file;

	name_beside(image, beside);
	status = firmware_file_open(NULL, beside, DOOR_READ, &file);
	if (status == EFI_NOT_FOUND)
		status = firmware_file_open(NULL, top, DOOR_READ, &file);
	if (!EFI_ERROR(status)) {
		apply_file(o, file, text);
		firmware_files.close(file);
	} else if (status != EFI_NOT_FOUND) {
		blame_file("warning", status, 0, 0);
	}
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
