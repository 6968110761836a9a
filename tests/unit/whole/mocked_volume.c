/* SPDX-License-Identifier: BSD-2-Clause */
/* The volume of the mocked machine. */
#include "mocked_inside.h"

#include <stdlib.h>
#include <string.h>

#define ROOT    "\\noisefloor"
#define HANDLES 16

struct handle {
	struct mocked_file *file; /* NULL: free */
	bool writes;
	size_t at;
};

static struct handle handles[HANDLES];

static void full_name(char *to, const void *in, const char *name)
{
	if (strlen(name) + sizeof(ROOT) + 1 > MOCKED_FILE_NAME)
		abort();
	strcpy(to, "");
	if (in)
		strcat(to, ROOT "\\");
	strcat(to, name);
}

static struct mocked_file *find_file(const char *name)
{
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		struct mocked_file *f = &mocked->storage->file[i];

		if (f->now.is_there && !strcmp(f->now.name, name))
			return f;
	}
	return NULL;
}

static size_t volume_left(void)
{
	size_t used = 0, all = mocked->storage->volume_bytes;

	if (!all)
		return SIZE_MAX;
	for (unsigned i = 0; i < MOCKED_FILES; i++)
		used += mocked->storage->file[i].now.is_there ? mocked->storage->file[i].now.bytes
							      : 0;
	return used < all ? all - used : 0;
}

/* Write the changed bytes below the offset `end` to the medium. */
static void write_medium(struct mocked_file *f, size_t end)
{
	if (!f->kept.is_there) {
		strcpy(f->kept.name, f->now.name);
		f->kept.bytes = 0;
	}
	f->kept.is_there = true;
	f->kept.is_folder = f->now.is_folder;
	memcpy(f->kept.data + f->changed_from, f->now.data + f->changed_from,
	       end - f->changed_from);
	if (f->kept.bytes < end)
		f->kept.bytes = end;
}

/* Write all changed bytes to the medium; if the power is cut now, half of them. */
static void flush_file(struct mocked_file *f)
{
	if (!f->is_written)
		return;
	if (mocked_is_cut()) {
		write_medium(f, f->changed_from + (f->now.bytes - f->changed_from) / 2);
		mocked_end(MOCKED_CUT, 0);
	}
	write_medium(f, f->now.bytes);
	f->is_written = false;
	f->changed_from = f->now.bytes;
}

static bool file_find(enum boot_path_medium *medium, bool *read_only)
{
	mocked_call();
	if (!mocked->storage || mocked->storage->no_volume)
		return false;
	*medium = mocked->storage->medium;
	*read_only = mocked->storage->read_only;
	return true;
}

static struct mocked_file *make_file(const char *name, bool is_folder)
{
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		struct mocked_file *f = &mocked->storage->file[i];

		if (f->now.is_there || f->kept.is_there)
			continue;
		f->now.is_there = true;
		f->now.is_folder = is_folder;
		f->now.bytes = 0;
		strcpy(f->now.name, name);
		f->is_written = true;
		f->changed_from = 0;
		return f;
	}
	abort();
}

static enum door_status make(const char *name, enum door_mode mode, struct mocked_file **file)
{
	if (mode == DOOR_READ || mode == DOOR_WRITE)
		return DOOR_NONE;
	if (mode == DOOR_CREATE && !find_file(ROOT))
		return DOOR_NONE;
	if (mocked->storage->no_folder || (mocked->storage->no_page && strstr(name, ".html")))
		return DOOR_REFUSED;
	*file = make_file(name, mode == DOOR_FOLDER);
	if (mode == DOOR_FOLDER)
		flush_file(*file);
	return DOOR_OK;
}

static enum door_status file_open(void *in, const char *name, enum door_mode mode, void **file)
{
	char full[MOCKED_FILE_NAME];
	struct mocked_file *found;
	enum door_status status = DOOR_OK;

	mocked_call();
	*file = NULL;
	if (!mocked->storage || mocked->storage->no_volume)
		return DOOR_REFUSED;
	/* EDK II faults if a CD is written to; see efi/firmware_files.c. */
	if (mocked->storage->read_only && mode != DOOR_READ)
		mocked_trap();
	full_name(full, in, name);
	found = find_file(full);
	if (!found)
		status = make(full, mode, &found);
	for (unsigned i = 0; status == DOOR_OK && i < HANDLES; i++) {
		if (handles[i].file)
			continue;
		handles[i] = (struct handle){ .file = found, .writes = mode != DOOR_READ };
		*file = &handles[i];
		return DOOR_OK;
	}
	if (status == DOOR_OK)
		abort(); /* files were not closed */
	return status;
}

static enum door_status file_read(void *file, void *to, size_t *bytes)
{
	struct handle *h = file;
	struct mocked_content *c = &h->file->now;
	size_t left = h->at < c->bytes ? c->bytes - h->at : 0;

	mocked_call();
	if (*bytes > left)
		*bytes = left;
	memcpy(to, c->data + h->at, *bytes);
	if (mocked->storage->spoils && *bytes)
		((uint8_t *)to)[0] ^= 1;
	h->at += *bytes;
	return DOOR_OK;
}

static enum door_status file_write(void *file, const void *from, size_t *bytes)
{
	struct handle *h = file;
	struct mocked_content *c = &h->file->now;
	size_t wanted = *bytes, most = mocked->storage->most_written, left = volume_left();
	size_t within = c->bytes - h->at;

	mocked_call();
	if (!h->writes)
		return DOOR_REFUSED;
	if (most && *bytes > most)
		*bytes = most;
	if (left != SIZE_MAX && *bytes > within + left)
		*bytes = within + left;
	if (h->at + *bytes > MOCKED_FILE_BYTES)
		abort();
	memcpy(c->data + h->at, from, *bytes);
	if (h->at < h->file->changed_from)
		h->file->changed_from = h->at;
	h->at += *bytes;
	if (h->at > c->bytes)
		c->bytes = h->at;
	h->file->is_written = true;
	flush_file(h->file);
	return *bytes == wanted || most ? DOOR_OK : DOOR_FULL;
}

static void file_close(void *file)
{
	struct handle *h = file;

	mocked_call();
	flush_file(h->file);
	h->file = NULL;
}

static enum door_status file_remove(void *file)
{
	struct handle *h = file;
	struct mocked_file *f = h->file;

	mocked_call();
	h->file = NULL;
	if (mocked_is_cut())
		mocked_end(MOCKED_CUT, 0);
	f->now.is_there = f->kept.is_there = false;
	f->is_written = false;
	return DOOR_OK;
}

const struct door_files mocked_door_files = {
	.find = file_find,
	.open = file_open,
	.read = file_read,
	.write = file_write,
	.close = file_close,
	.remove = file_remove,
};
