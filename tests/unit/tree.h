/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree of plain files for code that reads and writes what Linux shows as files. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

#define TREE_PATH_MAX 400

static char tree[80];

static inline void tree_make(void)
{
	/* In memory where that is possible: there are many files in many tests. */
	snprintf(tree, sizeof(tree), "%s/noisefloor.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(tree));
}

/* Remove a file, or a folder and all that is in it. */
static inline int tree_drop(const char *name)
{
	DIR *dir = opendir(name);
	struct dirent *entry;
	char full[TREE_PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (snprintf(full, sizeof(full), "%s/%s", name, entry->d_name) < (int)sizeof(full))
			tree_drop(full);
	}
	if (dir)
		closedir(dir);
	return remove(name);
}

static inline void tree_remove(void)
{
	assert_int_equal(tree_drop(tree), 0);
}

static inline const char *tree_path(const char *name)
{
	static char full[TREE_PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", tree, name);
	return full;
}

/* Write a file, and make all folders on the way. */
static inline void tree_write_bytes(const char *name, const void *bytes, size_t count)
{
	char full[TREE_PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s", tree_path(name));
	for (char *at = strchr(full + strlen(tree) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(full, 0700);
		*at = '/';
	}
	f = fopen(full, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, count, f), count);
	assert_int_equal(fclose(f), 0);
}

static inline void tree_write(const char *name, const char *text)
{
	tree_write_bytes(name, text, strlen(text));
}

/* The file's text; fails when it is not there. */
static inline const char *tree_read(const char *name)
{
	static char text[1 << 16];
	FILE *f = fopen(tree_path(name), "rb");

	if (!f)
		fail_msg("no %s", name);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static inline bool tree_has(const char *name)
{
	return access(tree_path(name), F_OK) == 0;
}
