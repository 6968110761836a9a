/* SPDX-License-Identifier: BSD-2-Clause */
/* Files. Source: UEFI 2.10, 13.4 and 13.5. */
#pragma once

#include "probe/door.h"

/* Implement the functions of struct door_files. */
bool firmware_file_find(enum boot_path_medium *medium, bool *read_only);
enum door_status firmware_file_open(void *in, const char *name, enum door_mode mode, void **file);
enum door_status firmware_file_read(void *file, void *to, size_t *bytes);
enum door_status firmware_file_write(void *file, const void *from, size_t *bytes);
enum door_status firmware_file_flush(void *file);
enum door_status firmware_file_seek(void *file, uint64_t at);
enum door_status firmware_file_rename(void *file, const char *name, uint64_t bytes);
void firmware_file_close(void *file);
enum door_status firmware_file_remove(void *file);
