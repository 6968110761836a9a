/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process of Linux reads and calls. Tests that play a kernel replace system_call.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Files ---- */

#define SYSTEM_PATH_MAX 512

/* Both parts as one path; false when it is too long. */
bool system_path(char path[SYSTEM_PATH_MAX], const char *root, const char *name);

/*
 * The file's text, NUL-terminated and without line ends at its end; what does not
 * fit into `cap` bytes is an error. 0, or an errno.
 */
int system_read(const char *root, const char *name, char *text, size_t cap);

/* The same of a file that is open, from where it stands. */
int system_read_open(int fd, char *text, size_t cap);

/* ---- Calls ---- */

/* What statfs(2) has of a file system. */
struct system_call_fs {
	bool is_efivarfs;
	uint64_t blocks;
};

/* Open to read: a descriptor, or -1 with errno. `root` and `name` as system_read() has them. */
int system_call_open(const char *root, const char *name);

/* An errno; 0: it was done. */
int system_call_rtc(int fd); /* RTC_RD_TIME, rtc(4) */
int system_call_read(int fd, void *to, size_t bytes, uint64_t at);
/* Some bytes, from the begin: none is an error, too. */
int system_call_read_some(int fd, void *to, size_t bytes);
int system_call_statfs(int fd, struct system_call_fs *fs);

/* Reads of efivarfs by any other user are rationed: fs/efivarfs/file.c, efivarfs_file_read(). */
bool system_call_by_root(void);
