/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file to be read once from front to end, as it is or unpacked: what begins as a gzip file does
 * is one. Memory is bounded, whatever the file unpacks to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	struct gzFile_s *file;
	const char *name; /* its path, or "standard input" */
	uint64_t bytes;   /* read so far, unpacked */
	int64_t done;     /* bytes of the file itself */
	char error[128];  /* "": none */
};

/* True for a regular file: a FIFO or a device may never end. */
bool input_is_file(const char *path);

/* Open `path`, "-" is standard input, and start its progress. False, with `error`. */
bool input_open(struct input *in, const char *path);

/* Read up to `room` bytes. Returns 0 at the end, and if reading failed, with `error`. */
size_t input_read(struct input *in, char *bytes, size_t room);

void input_close(struct input *in);
