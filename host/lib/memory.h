/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory and lists for commands that cannot continue without: the program ends when it has run out.
 */
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

/*
 * A list that grows by one item at a time. Its capacity is not stored, since it follows from the
 * count: the next power of two. A list whose count has become smaller may be grown again.
 *
 * The list, with room for one more than the `count` items of `size` bytes that are in it; NULL at
 * first. Ends the program when memory has run out.
 */
void *memory_grow(void *list, size_t count, size_t size) __attribute__((returns_nonnull));

/* Add an item to the list, and count it. The value is the item's place. */
#define MEMORY_ADD(list, count) \
	((list) = memory_grow(list, count, sizeof(*(list))), &(list)[(count)++])

/*
 * memory_grow() for programs that must keep running: NULL when memory has run out, and the list is
 * unchanged.
 */
void *memory_try_grow(void *list, size_t count, size_t size);
