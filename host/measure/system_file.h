/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small files by which Linux reports its state and is configured: /proc, /sys, tracefs.
 * Paths are given in two parts, of which the first is a root that a test may lay out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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

/* Write the text in one piece: what is there is replaced. 0, or an errno. */
int system_write(const char *root, const char *name, const char *text);

/* Make a folder, remove one. 0, or an errno. */
int system_make(const char *root, const char *name);
int system_remove(const char *root, const char *name);
