/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for commands that cannot continue without it: the program ends when it has run out. */
#pragma once

#include <stddef.h>

/* `count` items of `size` bytes, all zero; for a count of 0, something that can be freed. */
void *memory_new(size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of `count` items; for a count of 0, something that can be freed. */
void *memory_copy(const void *from, size_t count, size_t size) __attribute__((returns_nonnull));

char *memory_text(const char *text) __attribute__((returns_nonnull));

/* realloc() to `bytes`. */
void *memory_resize(void *p, size_t bytes) __attribute__((returns_nonnull));

/* Passes on the result of a function that fails only when memory has run out. */
void *memory_need(void *p) __attribute__((returns_nonnull));

void memory_exhausted(void) __attribute__((noreturn));
