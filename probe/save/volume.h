/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files in \noisefloor on the volume that the image came from. While boot services live; but for
 * volume_add(), outside a lent stage or within platform_firmware_call() only.
 */
#pragma once

#include "core/firmware/boot_path.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VOLUME_FOLDER   "\\noisefloor\\"
#define VOLUME_NAME_MAX 144

struct volume {
	void *folder;
	enum boot_path_medium medium;
	bool is_there; /* the image came from a volume, whether or not files can be kept there */
	const char *problem; /* why there is none, or why writing failed; NULL: all is well */
};

struct volume_file {
	struct volume *volume;
	const char *name;
	void *handle; /* of door.file; NULL: closed, or writing failed */
	char *buffer;
	size_t used;
	uint64_t at, size; /* of what is on the medium */
	bool compares;     /* what is added is compared with what is there */
	bool differs;
};

/*
 * Make or open the folder, which proves that the volume can be written to. False also where a reset
 * is known to lose what is written. Whether one does may be open: v->medium.
 */
bool volume_open(struct volume *v);

/*
 * Add the first of "", "-2", "-3" ... and then ".jsonl" to the name for which no file exists, or
 * one with records of this sid. False when a hundred do.
 */
bool volume_choose(struct volume *v, struct text *name, uint64_t sid);

/*
 * A new, empty file, in place of one that is there. Where volume_rewind() is called, `name` stays
 * until volume_close().
 */
bool volume_create(struct volume *v, struct volume_file *f, const char *name);

/* Keep bytes for volume_flush(); true: there is little room left. What finds none is an error. */
bool volume_add(struct volume_file *f, const void *bytes, size_t count);

/* All that was added goes to the medium. */
bool volume_flush(struct volume_file *f);

/* The next bytes are written over what stands behind the first `at`, or the file is given up. */
void volume_rewind(struct volume_file *f, uint64_t at);

/* What is added from now on is compared with this file. False: there is none. */
bool volume_compare(struct volume *v, struct volume_file *f, const char *name);

/* Close it: was that all of it, and the same? */
bool volume_same(struct volume_file *f);

/*
 * How many runs in a row have begun that would leave a report to the next start; 0 where one has
 * arrived since.
 */
unsigned volume_pending(void);

/* False: it is not kept. */
bool volume_set_pending(struct volume *v, unsigned runs);

/* Flush and close, with nothing behind what was written last; NULL: the name stays. */
bool volume_close(struct volume_file *f, const char *name);
