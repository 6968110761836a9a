/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files in \noisefloor on the volume that the image came from. They need boot services: in a lent
 * stage, call these functions by platform_firmware_call(), except volume_add().
 */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VOLUME_FOLDER   "\\noisefloor\\"
#define VOLUME_NAME_MAX 144

struct volume {
	void *folder;
	bool is_there; /* the image came from a volume, even if no files can be stored there */
	const char *problem; /* why there is no folder, or why writing failed; NULL: all is well */
};

struct volume_file {
	struct volume *volume;
	void *handle; /* handle of door.file; NULL: closed, or writing failed */
	char *buffer;
	size_t used;
};

/*
 * Make or open the folder, which proves that the volume can be written. False also if a reset may
 * lose the files.
 */
bool volume_open(struct volume *v);

/*
 * Complete the name by the first of "", "-2", "-3" ... and then ".jsonl" for which no file exists,
 * or one with records of this sid, or an empty one. False: a hundred files exist.
 */
bool volume_choose(struct volume *v, struct text *name, uint64_t sid);

/*
 * Read the file with this name. *bytes holds the size of `to`, then the number of bytes read.
 * False: it cannot be read.
 */
bool volume_read(const struct volume *v, const char *name, void *to, size_t *bytes);

/* Create an empty file in place of one with this name. */
bool volume_create(struct volume *v, struct volume_file *f, const char *name);

/*
 * Buffer bytes for volume_flush(). True: there is little space left. Bytes that do not fit are
 * dropped, which callers must avoid.
 */
bool volume_add(struct volume_file *f, const void *bytes, size_t count);

/* Write all that was added to the medium. */
bool volume_flush(struct volume_file *f);

/* Flush and close the file. */
bool volume_close(struct volume_file *f);

/*
 * The number of runs in a row that have begun and should leave a report to the next start; 0 once
 * one has been found.
 */
unsigned volume_pending(void);

/* Store that number. False: it is not stored. */
bool volume_set_pending(struct volume *v, unsigned runs);
