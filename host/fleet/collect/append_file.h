/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that only grows, line by line. */
#pragma once

/*
 * Open for reading and appending; the file may be new. A torn last line, left by a crash, would
 * spoil the next: it is terminated. Returns a descriptor, or -1 with errno.
 */
int append_file_open(int dir, const char *name);
