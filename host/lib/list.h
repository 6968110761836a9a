/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists that grow by one item at a time. The capacity of a list is not stored, since it follows
 * from the count: the next power of two. A list whose count has become smaller may be grown again.
 */
#pragma once

#include <stddef.h>

/*
 * The list, with room for one more than the `count` items of `size` bytes that are in it; NULL at
 * first. Ends the program when memory has run out.
 */
void *list_grow(void *list, size_t count, size_t size) __attribute__((returns_nonnull));

/*
 * The same for programs that must keep running: NULL when memory has run out, and the list is
 * unchanged.
 */
void *list_try_grow(void *list, size_t count, size_t size);
