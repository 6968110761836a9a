/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists that grow by one item at a time. How much room a list has follows from the count
 * of its items, so that it is not kept: the next power of two. A list whose count has
 * become smaller may be grown again.
 */
#ifndef HOST_LIST_H
#define HOST_LIST_H

#include <stddef.h>

/*
 * The list, with room for one more than the `count` items of `size` bytes that are in it; NULL
 * at first. Without memory the program ends.
 */
void *list_grow(void *list, size_t count, size_t size) __attribute__((returns_nonnull));

/* The same for what has to go on: NULL without memory, and the list stays as it is. */
void *list_try_grow(void *list, size_t count, size_t size);

#endif
