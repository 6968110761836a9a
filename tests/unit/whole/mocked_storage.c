/* SPDX-License-Identifier: BSD-2-Clause */
/* The starts of a mocked machine with a storage, and its variables. */
#include "mocked_inside.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLE_HEAD 60u /* bytes in the store for a variable's header and name */
#define ENTRY         1u  /* Boot0001 */
#define OUR_FILE      "\\EFI\\BOOT\\BOOTX64.EFI"
#define OTHERS_FILE   "\\EFI\\debian\\grubx64.efi"

static struct mocked_storage *storage(void)
{
	return mocked->storage;
}

bool mocked_is_cut(void)
{
	return ++storage()->changes == storage()->cut;
}

void mocked_content_copy(struct mocked_content *to, const struct mocked_content *from)
{
	to->is_there = from->is_there;
	if (!from->is_there)
		return;
	to->is_folder = from->is_folder;
	strcpy(to->name, from->name);
	to->bytes = from->bytes;
	memcpy(to->data, from->data, from->bytes);
}

/* ---- From start to start ---- */

static void lose_unwritten(struct mocked_storage *s)
{
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		struct mocked_file *f = &s->file[i];

		if (s->loses_files)
			f->kept.is_there = false;
		mocked_content_copy(&f->now, &f->kept);
		f->is_written = false;
		f->changed_from = f->now.bytes;
	}
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++)
		if (s->loses_variables || s->variable[i].lasting == DOOR_VOLATILE)
			s->variable[i].is_there = false;
}

static struct mocked_variable *find_variable(struct mocked_storage *s, enum door_owner owner,
					     const char *name)
{
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++) {
		struct mocked_variable *v = &s->variable[i];

		if (v->is_there && v->owner == owner && !strcmp(v->name, name))
			return v;
	}
	return NULL;
}

void mocked_storage_start(void)
{
	struct mocked_storage *s = storage();
	struct mocked_variable *next;

	if (!s)
		return;
	if (!s->stays_on)
		lose_unwritten(s);
	s->stays_on = false;
	s->starts++;
	s->changes = 0;
	s->spent = 0;
	/* The firmware deletes BootNext before it starts that entry: UEFI 2.10, 3.1.2. */
	next = find_variable(s, DOOR_FIRMWARES, "BootNext");
	if (next)
		next->is_there = false;
}

void mocked_storage_end(bool stays_on)
{
	if (storage())
		storage()->stays_on = stays_on;
}

uint64_t mocked_minutes(void)
{
	return storage() && !storage()->stands_still ? mocked_starts() : 0;
}

unsigned mocked_starts(void)
{
	return storage() ? storage()->starts - 1 : 0;
}

/* ---- The variables ---- */

static size_t put_le16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
	return 2;
}

/*
 * Write a device path: a partition, and a file in it, without an end node. Returns its bytes.
 * Source: UEFI 2.10, 10.3.5.1 and 10.3.5.4.
 */
static size_t make_path(uint8_t *path, const char *file)
{
	static const uint8_t disk[42] = { 4, 1, 42, 0, 1, [24] = 0xaa, [40] = 2, [41] = 2 };
	size_t bytes = sizeof(disk), chars = strlen(file) + 1;

	memcpy(path, disk, sizeof(disk));
	path[bytes++] = 4;
	path[bytes++] = 4;
	bytes += put_le16(path + bytes, 4 + 2 * chars);
	for (size_t i = 0; i < chars; i++)
		bytes += put_le16(path + bytes, (uint8_t)file[i]);
	return bytes;
}

static size_t image_path(uint8_t path[DOOR_PATH_MAX], bool *by_shim)
{
	*by_shim = false;
	return storage() ? make_path(path, OUR_FILE) : 0;
}

/* EFI_LOAD_OPTION: UEFI 2.10, 3.1.3. */
static size_t make_entry(uint8_t *option)
{
	static const uint8_t end[] = { 0x7f, 0xff, 4, 0 };
	size_t path = make_path(option + 8, storage()->by_loader ? OTHERS_FILE : OUR_FILE);

	memset(option, 0, 8);
	option[0] = 1; /* LOAD_OPTION_ACTIVE; the description is empty */
	memcpy(option + 8 + path, end, sizeof(end));
	put_le16(option + 4, path + sizeof(end));
	return 8 + path + sizeof(end);
}

/* Write the value of one of the firmware's own variables. Returns its bytes; 0: there is none. */
static size_t firmwares(const char *name, uint8_t *value)
{
	if (storage()->no_entry)
		return 0;
	if (!strcmp(name, "BootCurrent"))
		return put_le16(value, ENTRY);
	return strcmp(name, "Boot0001") ? 0 : make_entry(value);
}

static enum door_status copy_out(const uint8_t *data, size_t count, void *value, size_t *bytes)
{
	size_t room = *bytes;

	*bytes = count;
	if (count > room)
		return DOOR_REFUSED;
	memcpy(value, data, count);
	return DOOR_OK;
}

static enum door_status variable_get(enum door_owner owner, const char *name, void *value,
				     size_t *bytes)
{
	uint8_t own[DOOR_PATH_MAX + 100];
	struct mocked_variable *v;
	size_t count;

	mocked_call();
	if (!storage())
		return DOOR_NONE;
	if (storage()->hides && !strcmp(name, storage()->hides))
		return DOOR_REFUSED;
	count = owner == DOOR_FIRMWARES ? firmwares(name, own) : 0;
	if (count)
		return copy_out(own, count, value, bytes);
	v = find_variable(storage(), owner, name);
	if (!v || (mocked_shared->left && v->lasting != DOOR_PERSISTENT))
		return DOOR_NONE;
	return copy_out(v->data, v->bytes, value, bytes);
}

static size_t store_used(void)
{
	size_t used = storage()->spent;

	for (unsigned i = 0; i < MOCKED_VARIABLES; i++) {
		struct mocked_variable *v = &storage()->variable[i];

		if (v->is_there && v->lasting != DOOR_VOLATILE)
			used += v->bytes + VARIABLE_HEAD;
	}
	return used;
}

static size_t store_bytes(void)
{
	return storage()->store_bytes ? storage()->store_bytes : MOCKED_STORE_BYTES;
}

static struct mocked_variable *free_variable(void)
{
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++)
		if (!storage()->variable[i].is_there)
			return &storage()->variable[i];
	abort();
}

static enum door_status delete_variable(struct mocked_variable *v)
{
	if (!v)
		return DOOR_NONE;
	if (mocked_is_cut())
		mocked_end(MOCKED_CUT, 0);
	v->is_there = false;
	if (mocked_shared->left)
		storage()->spent += v->bytes + VARIABLE_HEAD;
	return DOOR_OK;
}

/* After ExitBootServices, the old value takes space until the store is compacted. */
static bool has_room(const struct mocked_variable *old, size_t bytes)
{
	size_t used = store_used(), freed = old ? old->bytes + VARIABLE_HEAD : 0;

	if (!mocked_shared->left)
		used -= freed;
	return used + bytes + VARIABLE_HEAD <= store_bytes();
}

static enum door_status variable_set(enum door_owner owner, const char *name,
				     enum door_lasting lasting, const void *value, size_t bytes)
{
	struct mocked_variable *v;

	mocked_call();
	if (!storage())
		return DOOR_UNSUPPORTED;
	if (mocked_shared->left && lasting != DOOR_PERSISTENT)
		return DOOR_REFUSED;
	v = find_variable(storage(), owner, name);
	if (!bytes && storage()->keeps && !strcmp(name, storage()->keeps))
		return DOOR_REFUSED;
	if (!bytes)
		return delete_variable(v);
	if (bytes > MOCKED_VARIABLE_BYTES || strlen(name) > DOOR_NAME_MAX)
		return DOOR_REFUSED;
	if (storage()->loses && !strcmp(name, storage()->loses))
		return DOOR_OK;
	if (lasting != DOOR_VOLATILE && !has_room(v, bytes))
		return DOOR_FULL;
	if (mocked_is_cut())
		mocked_end(MOCKED_CUT, 0);
	if (v && mocked_shared->left)
		storage()->spent += v->bytes + VARIABLE_HEAD;
	if (!v)
		v = free_variable();
	v->is_there = true;
	v->owner = owner;
	v->lasting = lasting;
	v->bytes = bytes;
	strcpy(v->name, name);
	memcpy(v->data, value, bytes);
	return DOOR_OK;
}

static bool variable_room(uint64_t *store, uint64_t *left, uint64_t *most)
{
	size_t used;

	if (!storage())
		return false;
	used = store_used();
	*store = store_bytes();
	*left = used < store_bytes() ? store_bytes() - used : 0;
	*most = MOCKED_VARIABLE_BYTES + 256;
	return true;
}

const struct door_variables mocked_door_variables = {
	.get = variable_get,
	.set = variable_set,
	.room = variable_room,
	.image_path = image_path,
};
