/* SPDX-License-Identifier: BSD-2-Clause */
/* Files are those that `noisefloor fleet attest` takes. */
#include "policy_read.h"

#include "host/attest/attest.h"
#include "host/lib/efi_image.h"
#include "host/lib/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEY_SUFFIX ".pem"

static const char *read_key(const char *path, uint8_t digest[SHA256_BYTES])
{
	uint8_t point[ATTEST_KEY_POINT];
	const char *why = attest_key_read(path, point);

	if (!why)
		attest_key_name(point, digest);
	return why;
}

/* `read`: NULL: there are no files of it. */
static const struct list {
	const char *key;
	const char *(*read)(const char *path, uint8_t digest[SHA256_BYTES]);
} lists[POLICY_LISTS] = {
	[POLICY_CONFIG] = { "config", NULL },
	[POLICY_KEY] = { "attest_key", read_key },
	[POLICY_IMAGE] = { "attest_image", efi_image_hash_file },
	[POLICY_LOADER] = { "attest_loader", efi_image_hash_file },
};

enum policy_list policy_list_of(const char *key)
{
	unsigned list = 0;

	while (list < POLICY_LISTS - 1 && strcmp(lists[list].key, key) != 0)
		list++;
	return (enum policy_list)list;
}

const char *policy_list_key(enum policy_list list)
{
	return lists[list].key;
}

static bool add_file(struct policy_digests *d, const struct list *list, const char *path,
		     struct text *why)
{
	uint8_t digest[SHA256_BYTES];
	struct stat status;
	const char *wrong;

	/* A FIFO would keep us waiting. */
	if (stat(path, &status) != 0)
		wrong = strerror(errno);
	else
		wrong = S_ISREG(status.st_mode) ? list->read(path, digest) : "it is no file";
	if (wrong)
		text_add(why, "%s %s: %s", list->key, path, wrong);
	else
		memcpy(*MEMORY_ADD(d->digest, d->count), digest, sizeof(digest));
	return !wrong;
}

static int is_key(const struct dirent *entry)
{
	size_t bytes = strlen(entry->d_name), suffix = strlen(KEY_SUFFIX);

	return *entry->d_name != '.' && bytes > suffix &&
	       strcmp(entry->d_name + bytes - suffix, KEY_SUFFIX) == 0;
}

static bool add_folder(struct policy_digests *d, const struct list *list, const char *folder,
		       struct text *why)
{
	struct dirent **entry = NULL;
	int count = scandir(folder, &entry, is_key, alphasort);
	char path[PATH_MAX];
	bool is_good = count > 0;

	if (count <= 0)
		text_add(why, "%s %s: %s", list->key, folder,
			 count ? strerror(errno) : "the folder has no file *" KEY_SUFFIX);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		is_good = is_good && add_file(d, list, path, why);
		free(entry[i]);
	}
	free(entry);
	return is_good;
}

bool policy_digests_has(const struct policy_digests *d, const uint8_t digest[SHA256_BYTES])
{
	return attest_is_among(digest, (const uint8_t(*)[SHA256_BYTES])d->digest, d->count);
}

bool policy_digests_add(struct policy_digests *d, enum policy_list list, const char *word,
			struct text *why)
{
	const struct list *of = &lists[list];
	uint8_t digest[SHA256_BYTES];
	struct stat status;

	if (text_unhex(word, digest, sizeof(digest)) == sizeof(digest)) {
		memcpy(*MEMORY_ADD(d->digest, d->count), digest, sizeof(digest));
		return true;
	}
	if (!of->read || *word != '/') {
		text_add(why, "%s `%.40s` is no SHA-256; accepted: 64 hex digits%s", of->key, word,
			 !of->read ? ""
			 : list == POLICY_KEY
				 ? ", or the path of a key or of a folder of keys, from / on"
				 : ", or the path of an image, from / on");
		return false;
	}
	if (list == POLICY_KEY && stat(word, &status) == 0 && S_ISDIR(status.st_mode))
		return add_folder(d, of, word, why);
	return add_file(d, of, word, why);
}
