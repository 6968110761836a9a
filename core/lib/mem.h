/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only library functions core/ may call. On the host they are libc's; in
 * the EFI application arch/ supplies them.
 */
#pragma once

#include <stddef.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t bytes);
void *memmove(void *dst, const void *src, size_t bytes);
void *memset(void *dst, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *s, int c, size_t bytes);
size_t strlen(const char *s);
char *strchr(const char *s, int c);
int strcmp(const char *a, const char *b);
