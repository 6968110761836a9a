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
 * Whether `output` may be written though these are read, of which "-" is standard input: neither it
 * nor what is written first is one of them, by whatever name. False, with the reason on standard
 * error.
 */
bool output_file_check(const char *subcommand, const char *output, int count,
		       const char *const *inputs);

/* Is the file, which need not exist, in this folder? */
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

/* The same, but what is no file, such as a pipe, is written to and not replaced. */
int output_file_open_any(struct output_file *o, const char *path, mode_t mode);

/*
 * On the disk, and under its name, when this returns 0; with an `error`, of the caller or its own,
 * which it returns, what was there before stays.
 */
int output_file_close(struct output_file *o, int error);

/* The same for `bytes` bytes that are there already. */
int output_file_write(const char *path, mode_t mode, const void *bytes, size_t count);

/* A new file in place of whatever has this name; NULL with errno. */
FILE *output_file_new(const char *path, mode_t mode);

/*
 * A file, truncated, or what is none, such as a pipe; through a link only the latter. NULL with
 * errno.
 */
FILE *output_file_stream(const char *path);
