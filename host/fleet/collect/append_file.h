/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that only grows, line by line. */
#ifndef HOST_APPEND_FILE_H
#define HOST_APPEND_FILE_H

/*
 * Open for reading and for writing at the end, where it may be new. A torn last line, which a crash
 * leaves, would spoil the next: it is ended. A descriptor; -1, with errno.
 */
int append_file_open(int dir, const char *name);

#endif
