/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that a command writes, as root and in folders that others may write to: a link that
 * somebody has put there is replaced or refused, never written through.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * True if `output` may be written while `inputs` are read ("-" is standard input): neither it nor
 * its temporary file is one of these, under any name. False: the reason is on standard error.
 */
bool output_file_check(const char *subcommand, const char *output, int count,
		       const char *const *inputs);

/* True if the file, which need not exist, is in this folder. */
bool output_file_is_in(const char *path, const char *folder);

#define OUTPUT_FILE_PART ".part"

/* A file that is there whole or not at all. It is written as PATH.part. */
struct output_file {
	const char *path;
	char *part; /* NULL: it is no file */
	FILE *to;
};

/* 0, or an errno. The path is kept. */
int output_file_open(struct output_file *o, const char *path, mode_t mode);

/* output_file_open(), but a special file, such as a pipe, is written to and not replaced. */
int output_file_open_any(struct output_file *o, const char *path, mode_t mode);

/*
 * Close the file. If this returns 0, it is on the disk under its name. After an error, the caller's
 * `error` or one of its own, which it returns, the earlier file remains.
 */
int output_file_close(struct output_file *o, int error);

/* Write `count` bytes to a file, as output_file_open() and output_file_close() do. */
int output_file_write(const char *path, mode_t mode, const void *bytes, size_t count);

/* Open a new file in place of whatever has this name. Returns NULL with errno. */
FILE *output_file_new(const char *path, mode_t mode);

/*
 * Open a file, and truncate it; or something that is no file, such as a pipe. Through a link, only
 * the latter. Returns NULL with errno.
 */
FILE *output_file_stream(const char *path);
