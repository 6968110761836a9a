/* SPDX-License-Identifier: BSD-2-Clause */
/* Files are written through a buffer. */
#include "volume.h"

#include "probe/door.h"

#include "core/lib/mem.h"
#include "core/lib/steps.h"

#define BUFFER_BYTES 131072u
#define BUFFER_SPARE 16384u /* bytes that may be added after volume_add() has warned */
#define NAMES        100u
#define PENDING      "pending"

/* The place and length of the sid in a record line. */
#define SID_AT    15
#define SID_CHARS 16

static bool volume_fail(struct volume *v, enum door_status status)
{
	v->problem = status == DOOR_FULL        ? "the volume is full"
		     : status == DOOR_PROTECTED ? "the volume cannot be written to"
						: "the volume does not take it";
	return false;
}

static enum door_status open(void *in, const char *name, enum door_mode mode, void **file)
{
	steps_note("opening a file");
	return door.file ? door.file->open(in, name, mode, file) : DOOR_NONE;
}

static const char *const lost[] = {
	[BOOT_PATH_UNPROVED] = "the volume may be memory, which a reset loses",
	[BOOT_PATH_RAM_DISK] = "it is on a RAM disk, which the next reset loses",
	[BOOT_PATH_DOWNLOADED] = "it was downloaded",
};

bool volume_open(struct volume *v)
{
	enum boot_path_medium medium;
	enum door_status status;
	bool read_only;

	v->problem = "it was not loaded from a volume";
	v->is_there = door.file && door.file->find(&medium, &read_only);
	if (!v->is_there)
		return false;
	v->problem = lost[medium];
	if (v->problem)
		return false;
	if (read_only)
		return volume_fail(v, DOOR_PROTECTED);
	status = open(NULL, "\\noisefloor", DOOR_FOLDER, &v->folder);
	if (status != DOOR_OK)
		return volume_fail(v, status);
	v->problem = NULL;
	return true;
}

static enum door_status volume_read_in(void *in, const char *name, void *to, size_t *bytes)
{
	void *file;
	enum door_status status = open(in, name, DOOR_READ, &file);

	if (status != DOOR_OK)
		return status;
	steps_note("reading a file");
	status = door.file->read(file, to, bytes);
	door.file->close(file);
	return status;
}

bool volume_read(const struct volume *v, const char *name, void *to, size_t *bytes)
{
	return volume_read_in(v->folder, name, to, bytes) == DOOR_OK;
}

/*
 * True if no file has that name, or the file holds records of this sid, or less than a sid, as
 * after a power cut.
 */
static bool is_free(const struct volume *v, const char *name, uint64_t sid)
{
	char line[SID_AT + SID_CHARS + 1] = { 0 }, hex[SID_CHARS + 1];
	size_t count = SID_AT + SID_CHARS;
	enum door_status status = volume_read_in(v->folder, name, line, &count);
	struct text t;

	if (status != DOOR_OK)
		return status == DOOR_NONE;
	text_init(&t, hex, sizeof(hex));
	text_add(&t, "%016llx", (unsigned long long)sid);
	return count < SID_AT + SID_CHARS || strcmp(line + SID_AT, hex) == 0;
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

static enum door_status remove(const struct volume *v, const char *name)
{
	void *old;
	enum door_status status = open(v->folder, name, DOOR_WRITE, &old);

	if (status == DOOR_OK)
		return door.file->remove(old);
	return status == DOOR_NONE ? DOOR_OK : status;
}

bool volume_create(struct volume *v, struct volume_file *f, const char *name)
{
	enum door_status status = DOOR_REFUSED;

	f->volume = v;
	f->used = 0;
	if (!f->buffer)
		f->buffer = door.pages(BUFFER_BYTES, 0);
	if (f->buffer)
		status = remove(v, name);
	if (status == DOOR_OK)
		status = open(v->folder, name, DOOR_CREATE, &f->handle);
	if (status == DOOR_OK)
		return true;
	f->handle = NULL;
	return volume_fail(v, status);
}

bool volume_add(struct volume_file *f, const void *bytes, size_t count)
{
	if (f->handle && count <= BUFFER_BYTES - f->used) {
		memcpy(f->buffer + f->used, bytes, count);
		f->used += count;
	}
	return f->used > BUFFER_BYTES - BUFFER_SPARE;
}

bool volume_flush(struct volume_file *f)
{
	size_t count = f->used;
	enum door_status status;

	if (!f->handle)
		return false;
	if (!count)
		return true;
	steps_note("writing a file");
	status = door.file->write(f->handle, f->buffer, &count);
	if (status == DOOR_OK && count != f->used)
		status = count < f->used ? DOOR_FULL : DOOR_REFUSED;
	f->used = 0;
	if (status == DOOR_OK)
		return true;
	/* The file keeps what was written before. */
	door.file->close(f->handle);
	f->handle = NULL;
	return volume_fail(f->volume, status);
}

bool volume_close(struct volume_file *f)
{
	if (!volume_flush(f))
		return false;
	door.file->close(f->handle);
	f->handle = NULL;
	return true;
}

unsigned volume_pending(void)
{
	size_t count = 1;
	char digit;

	if (volume_read_in(NULL, VOLUME_FOLDER PENDING, &digit, &count) != DOOR_OK || !count)
		return 0;
	return digit >= '0' && digit <= '9' ? (unsigned)(digit - '0') : 0;
}

bool volume_set_pending(struct volume *v, unsigned runs)
{
	char digit = (char)('0' + (runs > 9 ? 9 : runs));
	enum door_status status;
	size_t count = 1;
	void *file;

	if (remove(v, PENDING) != DOOR_OK)
		return false;
	if (!runs)
		return true;
	if (open(v->folder, PENDING, DOOR_CREATE, &file) != DOOR_OK)
		return false;
	status = door.file->write(file, &digit, &count);
	door.file->close(file);
	return status == DOOR_OK && count == 1;
}
