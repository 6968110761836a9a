/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One system call each, of those behind which Linux calls firmware or reads a device. A file of
 * its own: a test that plays a kernel replaces it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
