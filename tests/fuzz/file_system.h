/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system that lies, in memory: the input has what it returns, and which sizes are true. An
 * access that no file system must bear ends the test, and so does a handle that is not closed.
 */
#pragma once

#include "tests/fuzz/services.h"

#define FILES      6
#define HANDLES    8
#define NAME_CHARS 260
#define FILE_BYTES 150000u /* more than is kept of a file in memory */
#define INFO_BYTES offsetof(EFI_FILE_INFO, FileName)

enum size { SIZE_OF_INFO = 1, SIZE_OF_DATA };

struct file {
	CHAR16 name[NAME_CHARS];
	uint8_t *data;
	size_t bytes;
	bool there, foreign; /* foreign: with records of another run */
};

struct handle {
	EFI_FILE file; /* first: the firmware's `this` */
	struct file *of;
	uint64_t at;
	bool open;
};

static struct {
	struct file file[FILES];
	struct handle handle[HANDLES];
	EFI_FILE_IO_INTERFACE volume;
	enum size lied;
} fs;

/*
 * An error by the input's choice, but never EFI_NOT_FOUND for an existing file: nobody could see
 * that.
 */
static inline EFI_STATUS lie(void)
{
	EFI_STATUS status = take_status();

	return status == EFI_TFTP_ERROR  ? EFI_VOLUME_FULL
	       : status == EFI_NOT_FOUND ? EFI_WRITE_PROTECTED
					 : status;
}

/* True if a file's two sizes differ: one is false. */
static inline bool lies_of(enum size size)
{
	if (!(services.flags & SIZES_LIE) || (fs.lied && fs.lied != size) || !(take_byte() & 1))
		return false;
	fs.lied = size;
	return true;
}

static EFI_FILE prototype;

static inline struct handle *handle_of(EFI_FILE *file)
{
	struct handle *h = (struct handle *)(void *)file;

	insist(h >= fs.handle && h < fs.handle + HANDLES && h->open);
	return h;
}

static inline size_t chars_of(const CHAR16 *name)
{
	size_t n = 0;

	while (name[n])
		n++;
	return n;
}

static inline struct file *find(const CHAR16 *name)
{
	for (unsigned i = 0; i < FILES; i++)
		if (fs.file[i].there && is_name(fs.file[i].name, name))
			return &fs.file[i];
	return NULL;
}

static inline struct file *make(const CHAR16 *name)
{
	for (unsigned i = 0; i < FILES; i++) {
		struct file *f = &fs.file[i];

		if (f->there)
			continue;
		insist(chars_of(name) < NAME_CHARS);
		free(f->data);
		*f = (struct file){ .data = malloc(FILE_BYTES), .there = true };
		insist(f->data);
		memcpy(f->name, name, chars_of(name) * sizeof(*name));
		return f;
	}
	return NULL;
}

/*
 * Open a handle. Folders are not distinguished: the root and \noisefloor are handles without a
 * file.
 */
static inline EFI_STATUS grant(struct file *f, EFI_FILE **file)
{
	for (unsigned i = 0; i < HANDLES; i++)
		if (!fs.handle[i].open) {
			fs.handle[i] = (struct handle){ prototype, f, 0, true };
			*file = &fs.handle[i].file;
			return EFI_SUCCESS;
		}
	abort(); /* more handles are open than exist: some were not closed */
}

static inline const CHAR16 *last_of(const CHAR16 *path)
{
	const CHAR16 *last = path;

	for (; *path; path++)
		if (*path == L'\\')
			last = path + 1;
	return last;
}

static inline EFI_STATUS EFIAPI file_open(EFI_FILE *in, EFI_FILE **file, CHAR16 *path, UINT64 mode,
					  UINT64 attributes)
{
	EFI_STATUS status = lie();
	struct file *f;

	insist(!handle_of(in)->of);
	insist(!(mode & EFI_FILE_MODE_CREATE) || mode & EFI_FILE_MODE_WRITE);
	if (status != EFI_SUCCESS)
		return status;
	if (attributes & EFI_FILE_DIRECTORY)
		return grant(NULL, file);
	f = find(last_of(path));
	if (!f && !(mode & EFI_FILE_MODE_CREATE))
		return EFI_NOT_FOUND;
	if (!f)
		f = make(last_of(path));
	return f ? grant(f, file) : EFI_VOLUME_FULL;
}

static inline EFI_STATUS EFIAPI file_close(EFI_FILE *file)
{
	handle_of(file)->open = false;
	return EFI_SUCCESS;
}

/* The file is closed in any case. */
static inline EFI_STATUS EFIAPI file_delete(EFI_FILE *file)
{
	struct handle *h = handle_of(file);
	bool stays = lie() != EFI_SUCCESS;

	h->open = false;
	insist(h->of && !h->of->foreign);
	h->of->there = stays;
	return stays ? EFI_WARN_DELETE_FAILURE : EFI_SUCCESS;
}

/* A folder that is opened as a file has entries without end, none of which is terminated. */
static inline EFI_STATUS EFIAPI file_read(EFI_FILE *file, UINTN *bytes, void *buffer)
{
	struct handle *h = handle_of(file);
	EFI_STATUS status = lie();
	size_t left = h->of ? h->of->bytes - h->at : *bytes;
	size_t count = left < *bytes ? left : *bytes;

	if (status != EFI_SUCCESS)
		return status;
	memset(buffer, 0xff, count);
	if (h->of)
		memcpy(buffer, h->of->data + h->at, count);
	h->at += count;
	*bytes = lies_of(SIZE_OF_DATA) ? take_number64(3) : count;
	return EFI_SUCCESS;
}

/* Write to a file, and report the bytes written, or less, or more. */
static inline EFI_STATUS EFIAPI file_write(EFI_FILE *file, UINTN *bytes, void *buffer)
{
	struct handle *h = handle_of(file);
	EFI_STATUS status = lie();
	size_t count = *bytes;

	insist(h->of && !h->of->foreign && h->at <= h->of->bytes);
	if (status != EFI_SUCCESS)
		return status;
	if (lies_of(SIZE_OF_DATA)) {
		*bytes = take_byte() & 1 ? count + 1 + take_byte() : take_number(3) % count;
		count = *bytes < count ? *bytes : count;
	}
	insist(count <= FILE_BYTES - h->at);
	memcpy(h->of->data + h->at, buffer, count);
	h->at += count;
	if (h->at > h->of->bytes)
		h->of->bytes = h->at;
	return EFI_SUCCESS;
}

static inline EFI_STATUS EFIAPI file_get_info(EFI_FILE *file, EFI_GUID *guid, UINTN *bytes,
					      void *buffer)
{
	const struct file *f = handle_of(file)->of;
	size_t name = f ? (chars_of(f->name) + 1) * sizeof(CHAR16) : 2, room = *bytes;
	EFI_FILE_INFO info = { .Size = INFO_BYTES + name, .FileSize = f ? f->bytes : 0 };
	EFI_STATUS status = lie();

	insist(is_guid(guid, (EFI_GUID)EFI_FILE_INFO_ID));
	if (status != EFI_SUCCESS)
		return status;
	if (lies_of(SIZE_OF_INFO)) {
		memset(buffer, take_byte(), take_number(2) % (room + 1));
		*bytes = take_number64(3);
		return EFI_SUCCESS;
	}
	*bytes = (UINTN)info.Size;
	if (room < info.Size)
		return EFI_BUFFER_TOO_SMALL;
	memcpy(buffer, &info, INFO_BYTES);
	memcpy((uint8_t *)buffer + INFO_BYTES, f ? f->name : L"", name);
	return EFI_SUCCESS;
}

static inline EFI_STATUS EFIAPI file_flush(EFI_FILE *file)
{
	handle_of(file);
	return lie();
}

static EFI_FILE prototype = { .Open = file_open,
			      .Close = file_close,
			      .Delete = file_delete,
			      .Read = file_read,
			      .Write = file_write,
			      .GetInfo = file_get_info,
			      .Flush = file_flush };

static inline EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *volume, EFI_FILE **root)
{
	EFI_STATUS status = lie();

	insist(volume == &fs.volume);
	return status == EFI_SUCCESS ? grant(NULL, root) : status;
}

static inline void lay_file(const CHAR16 *name, bool foreign)
{
	struct file *f = make(name);

	insist(f);
	f->foreign = foreign;
	f->bytes = take_number(2);
	take_bytes(f->data, f->bytes);
}

static inline void file_system_start(void)
{
	memset(&fs, 0, sizeof(fs));
	fs.volume.OpenVolume = open_volume;
}

static inline void file_system_end(void)
{
	for (unsigned i = 0; i < HANDLES; i++)
		insist(!fs.handle[i].open);
	for (unsigned i = 0; i < FILES; i++)
		free(fs.file[i].data);
}
