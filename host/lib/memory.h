/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for commands that cannot go on without it: where there is none the program ends. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stddef.h>

/* `count` items of `size` bytes, all zero; for none, something that can be freed. */
void *memory_new(size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of `count` items; of none, something that can be freed. */
void *memory_copy(const void *from, size_t count, size_t size) __attribute__((returns_nonnull));

char *memory_text(const char *text) __attribute__((returns_nonnull));

/* realloc() to so many bytes. */
void *memory_resize(void *p, size_t bytes) __attribute__((returns_nonnull));

/* What a function returned that fails only for want of memory. */
void *memory_need(void *p) __attribute__((returns_nonnull));

void memory_exhausted(void) __attribute__((noreturn));

#endif
