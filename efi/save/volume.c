/* SPDX-License-Identifier: BSD-2-Clause */
/* Files. Source: UEFI 2.10, 13.4 and 13.5. */
#include "volume.h"

#include "efi/firmware.h"
#include "usb_protocol.h"

#include "core/firmware/boot_option.h"
#include "core/firmware/virtual_stick.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"

#define BUFFER_BYTES 131072u
#define BUFFER_SPARE 16384u /* what is added after volume_add() has warned */
#define NAMES        100u
#define PATH_CHARS   160
#define PENDING      "pending"
#define PIECE_BYTES  1024u /* that are compared at once */

/* What a record line begins with: sid_at() reads it. */
#define SID_AT    15
#define SID_CHARS 16

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID file_info_guid = EFI_FILE_INFO_ID;
static EFI_GUID usb_io_guid = USB_IO_PROTOCOL_GUID;

#define READ_WRITE (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)
#define CREATE     (READ_WRITE | EFI_FILE_MODE_CREATE)

static bool fail(struct volume *v, EFI_STATUS status)
{
	v->problem = status == EFI_VOLUME_FULL       ? "the volume is full"
		     : status == EFI_WRITE_PROTECTED ? "the volume cannot be written to"
						     : "the volume does not take it";
	return false;
}

static void widen(CHAR16 *wide, const char *name)
{
	size_t n = 0;

	for (; name[n] && n < PATH_CHARS - 1; n++)
		wide[n] = (CHAR16)name[n];
	wide[n] = 0;
}

static EFI_STATUS open(EFI_FILE_HANDLE in, EFI_FILE_HANDLE *file, const char *name, UINT64 mode,
		       UINT64 attributes)
{
	CHAR16 wide[PATH_CHARS];

	steps_note("opening a file");
	widen(wide, name);
	return in->Open(in, file, wide, mode, attributes);
}

static bool open_root(EFI_FILE_HANDLE *root)
{
	EFI_FILE_IO_INTERFACE *system = firmware_protocol(firmware_boot_device(),
							  &file_system_guid);

	return system && !EFI_ERROR(system->OpenVolume(system, root));
}

static bool is_virtual(void)
{
	struct usb_io *usb = firmware_protocol_above(firmware_boot_device(), &usb_io_guid);
	static uint8_t descriptor[VIRTUAL_STICK_BYTES];

	return usb && !EFI_ERROR(usb->device_descriptor(usb, descriptor)) &&
	       virtual_stick(descriptor);
}

static enum boot_path_medium medium(void)
{
	const uint8_t *path = firmware_protocol(firmware_boot_device(), &firmware_path_guid);
	size_t bytes = path ? boot_option_path(path, BOOT_PATH_MAX) : 0;
	enum boot_path_medium found = boot_path_medium(path, bytes);

	return found == BOOT_PATH_LASTS && is_virtual() ? BOOT_PATH_UNPROVED : found;
}

static const char *const lost[] = {
	[BOOT_PATH_RAM_DISK] = "it is on a RAM disk, which the next reset loses",
	[BOOT_PATH_DOWNLOADED] = "it was downloaded",
};

bool volume_open(struct volume *v)
{
	EFI_FILE_HANDLE root;
	EFI_STATUS status;

	v->problem = "it was not loaded from a volume";
	v->is_there = firmware_protocol(firmware_boot_device(), &file_system_guid) != NULL;
	if (!v->is_there)
		return false;
	v->medium = medium();
	if (v->medium >= BOOT_PATH_RAM_DISK) {
		v->problem = lost[v->medium];
		return false;
	}

	/*
	 * A CD refuses the write, and EDK2 then resets its USB device but has no transfer ring for
	 * it: where page 0 is no memory, the next access is an exception in the firmware.
	 */
	if (firmware_path_ends(firmware_boot_device(), MEDIA_DEVICE_PATH, MEDIA_CDROM_DP))
		return fail(v, EFI_WRITE_PROTECTED);
	if (!open_root(&root))
		return fail(v, EFI_DEVICE_ERROR);
	v->problem = NULL;
	status = open(root, &v->folder, "\\noisefloor", CREATE, EFI_FILE_DIRECTORY);
	root->Close(root);
	return EFI_ERROR(status) ? fail(v, status) : true;
}

/* No file of that name, or one that holds records of the sid? */
static bool is_free(struct volume *v, const char *name, uint64_t sid)
{
	char line[SID_AT + SID_CHARS + 1] = { 0 }, hex[SID_CHARS + 1];
	UINTN count = SID_AT + SID_CHARS;
	EFI_FILE_HANDLE file;
	EFI_STATUS status;
	struct text t;

	status = open(v->folder, &file, name, EFI_FILE_MODE_READ, 0);
	if (EFI_ERROR(status))
		return status == EFI_NOT_FOUND;
	file->Read(file, &count, line);
	file->Close(file);
	text_init(&t, hex, sizeof(hex));
	text_add(&t, "%016llx", (unsigned long long)sid);
	return strcmp(line + SID_AT, hex) == 0;
}

bool volume_choose(struct volume *v, struct text *name, uint64_t sid)
{
	size_t base = name->len;

	for (unsigned n = 1; n < NAMES; n++) {
		name->len = base;
		if (n > 1)
			text_add(name, "-%u", n);
		text_add(name, ".jsonl");
		if (is_free(v, name->buf, sid))
			return true;
	}
	v->problem = "a hundred files have this name, or cannot be read";
	return false;
}

/* Delete() closes the file, too, and a file that stays is a warning. */
static EFI_STATUS remove(const struct volume *v, const char *name)
{
	EFI_FILE_HANDLE old;
	EFI_STATUS status = open(v->folder, &old, name, READ_WRITE, 0);

	if (!EFI_ERROR(status))
		return old->Delete(old) == EFI_SUCCESS ? EFI_SUCCESS : EFI_WRITE_PROTECTED;
	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

bool volume_create(struct volume *v, struct volume_file *f, const char *name)
{
	EFI_STATUS status = EFI_OUT_OF_RESOURCES;

	f->volume = v;
	f->name = name;
	f->used = 0;
	f->at = f->size = 0;
	f->compares = false;
	if (!f->buffer)
		f->buffer = firmware_pages(BUFFER_BYTES, 0);
	if (f->buffer)
		status = remove(v, name);
	if (!EFI_ERROR(status))
		status = open(v->folder, &f->handle, name, CREATE, 0);
	if (!EFI_ERROR(status))
		return true;
	f->handle = NULL;
	return fail(v, status);
}

bool volume_add(struct volume_file *f, const void *bytes, size_t count)
{
	if (f->handle && count <= BUFFER_BYTES - f->used) {
		memcpy(f->buffer + f->used, bytes, count);
		f->used += count;
	}
	return f->used > BUFFER_BYTES - BUFFER_SPARE;
}

/* A file that cannot be written is let go of; what is in it stays. */
static bool give_up(struct volume_file *f, EFI_STATUS status)
{
	f->handle->Close(f->handle);
	f->handle = NULL;
	return fail(f->volume, status);
}

static bool compare(struct volume_file *f)
{
	char piece[PIECE_BYTES];

	for (size_t at = 0; at < f->used && !f->differs;) {
		size_t most = f->used - at < PIECE_BYTES ? f->used - at : PIECE_BYTES;
		UINTN count = most;

		steps_note("reading a file");
		f->differs = EFI_ERROR(f->handle->Read(f->handle, &count, piece)) ||
			     count != most || memcmp(piece, f->buffer + at, most);
		at += most;
	}
	f->used = 0;
	return !f->differs;
}

bool volume_flush(struct volume_file *f)
{
	UINTN count = f->used;
	EFI_STATUS status;

	if (!f->handle)
		return false;
	if (f->compares)
		return compare(f);
	if (!count)
		return true;
	steps_note("writing a file");
	status = f->handle->Write(f->handle, &count, f->buffer);
	if (!EFI_ERROR(status) && count != f->used)
		status = count < f->used ? EFI_VOLUME_FULL : EFI_DEVICE_ERROR;
	f->at += count;
	f->used = 0;
	if (f->at > f->size)
		f->size = f->at;
	if (!EFI_ERROR(status))
		status = f->handle->Flush(f->handle);
	return EFI_ERROR(status) ? give_up(f, status) : true;
}

void volume_rewind(struct volume_file *f, uint64_t at)
{
	EFI_STATUS status;

	if (!f->handle)
		return;
	status = f->handle->SetPosition(f->handle, at);
	if (EFI_ERROR(status))
		give_up(f, status);
	f->used = 0;
	f->at = at;
}

/* The structure, with room for a name. */
union info {
	EFI_FILE_INFO file;
	uint8_t bytes[sizeof(EFI_FILE_INFO) + PATH_CHARS * sizeof(CHAR16)];
};

/* Times that are zero stay as they are (UEFI 2.10, 13.5, EFI_FILE_INFO). */
static EFI_STATUS set_info(struct volume_file *f, const char *name)
{
	union info info;

	memset(&info, 0, sizeof(info));
	info.file.Size = sizeof(info);
	info.file.FileSize = f->at;
	info.file.Attribute = EFI_FILE_ARCHIVE;
	widen(info.file.FileName, name);
	return f->handle->SetInfo(f->handle, &file_info_guid, sizeof(info), &info);
}

bool volume_close(struct volume_file *f, const char *name)
{
	EFI_STATUS status = EFI_SUCCESS;

	if (!volume_flush(f))
		return false;
	if (name)
		remove(f->volume, name);
	if (name || f->at < f->size) {
		status = set_info(f, name ? name : f->name);
		/* Nothing was written behind it: without this, it may wait in memory. */
		if (!EFI_ERROR(status))
			status = f->handle->Flush(f->handle);
	}
	if (EFI_ERROR(status))
		return give_up(f, status);
	f->handle->Close(f->handle);
	f->handle = NULL;
	return true;
}

bool volume_compare(struct volume *v, struct volume_file *f, const char *name)
{
	f->volume = v;
	f->name = name;
	f->used = 0;
	f->compares = true;
	f->differs = false;
	if (!f->buffer)
		f->buffer = firmware_pages(BUFFER_BYTES, 0);
	if (f->buffer && !EFI_ERROR(open(v->folder, &f->handle, name, EFI_FILE_MODE_READ, 0)))
		return true;
	f->handle = NULL;
	return false;
}

bool volume_same(struct volume_file *f)
{
	bool same = volume_flush(f);
	UINTN more = 1;
	char c;

	if (!f->handle)
		return false;
	same = same && !EFI_ERROR(f->handle->Read(f->handle, &more, &c)) && !more;
	f->handle->Close(f->handle);
	f->handle = NULL;
	return same;
}

unsigned volume_pending(void)
{
	EFI_FILE_HANDLE root, file;
	UINTN count = 1;
	char digit = '0';

	if (!open_root(&root))
		return 0;
	if (!EFI_ERROR(open(root, &file, VOLUME_FOLDER PENDING, EFI_FILE_MODE_READ, 0))) {
		if (EFI_ERROR(file->Read(file, &count, &digit)) || !count)
			digit = '0';
		file->Close(file);
	}
	root->Close(root);
	return digit >= '0' && digit <= '9' ? (unsigned)(digit - '0') : 0;
}

bool volume_set_pending(struct volume *v, unsigned runs)
{
	char digit = (char)('0' + (runs > 9 ? 9 : runs));
	EFI_FILE_HANDLE file;
	EFI_STATUS status;
	UINTN count = 1;

	if (EFI_ERROR(remove(v, PENDING)))
		return false;
	if (!runs)
		return true;
	if (EFI_ERROR(open(v->folder, &file, PENDING, CREATE, 0)))
		return false;
	status = file->Write(file, &count, &digit);
	file->Close(file);
	return !EFI_ERROR(status) && count == 1;
}
