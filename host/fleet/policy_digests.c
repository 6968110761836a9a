/* SPDX-License-Identifier: BSD-2-Clause */
/* Files are those that `noisefloor fleet attest` takes. */
#include "policy.h"

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

/* NULL: there are no files of it. */
static const char *(*const readers[POLICY_LISTS])(const char *path,
						  uint8_t digest[SHA256_BYTES]) = {
	[POLICY_KEY] = read_key,
	[POLICY_IMAGE] = efi_image_hash_file,
	[POLICY_LOADER] = efi_image_hash_file,
};

static bool add(struct policy_digests *d, const uint8_t digest[SHA256_BYTES])
{
	memcpy(*MEMORY_ADD(d->digest, d->count), digest, SHA256_BYTES);
	return true;
}

static bool add_file(struct policy_digests *d, enum policy_list list, const char *name,
		     const char *path, struct text *why)
{
	uint8_t digest[SHA256_BYTES];
	struct stat status;
	const char *wrong;

	/* A FIFO would keep us waiting. */
	if (stat(path, &status) != 0)
		wrong = strerror(errno);
	else
		wrong = S_ISREG(status.st_mode) ? readers[list](path, digest) : "it is no file";
	if (wrong)
		text_add(why, "%s %s: %s", name, path, wrong);
	return !wrong && add(d, digest);
}

static int is_key(const struct dirent *entry)
{
	size_t bytes = strlen(entry->d_name), suffix = strlen(KEY_SUFFIX);

	return *entry->d_name != '.' && bytes > suffix &&
	       strcmp(entry->d_name + bytes - suffix, KEY_SUFFIX) == 0;
}

static bool add_folder(struct policy_digests *d, const char *name, const char *folder,
		       struct text *why)
{
	struct dirent **entry = NULL;
	int count = scandir(folder, &entry, is_key, alphasort);
	char path[PATH_MAX];
	bool is_good = count > 0;

	if (count <= 0)
		text_add(why, "%s %s: %s", name, folder,
			 count ? strerror(errno) : "the folder has no file *" KEY_SUFFIX);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		is_good = is_good && add_file(d, POLICY_KEY, name, path, why);
		free(entry[i]);
	}
	free(entry);
	return is_good;
}

bool policy_digests_has(const struct policy_digests *d, const uint8_t digest[SHA256_BYTES])
{
	return attest_is_among(digest, (const uint8_t(*)[SHA256_BYTES])d->digest, d->count);
}

bool policy_digests_add(struct policy_digests *d, enum policy_list list, const char *name,
			const char *word, struct text *why)
{
	uint8_t digest[SHA256_BYTES];
	struct stat status;

	if (text_unhex(word, digest, sizeof(digest)) == sizeof(digest))
		return add(d, digest);
	if (readers[list] && *word == '/')
		return list == POLICY_KEY && stat(word, &status) == 0 && S_ISDIR(status.st_mode)
			       ? add_folder(d, name, word, why)
			       : add_file(d, list, name, word, why);
	text_add(why, "%s `%.40s` is no SHA-256; accepted: 64 hex digits%s", name, word,
		 !readers[list]       ? ""
		 : list == POLICY_KEY ? ", or the path of a key or of a folder of keys, from / on"
				      : ", or the path of an image, from / on");
	return false;
}
