/* SPDX-License-Identifier: BSD-2-Clause */
#include "list.h"

#include "memory.h"

#include <stdlib.h>

#define LIST_LEAST 4 /* a power of two */

void *list_try_grow(void *list, size_t count, size_t size)
{
	if (count < LIST_LEAST ? count : count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : LIST_LEAST, size);
}

void *list_grow(void *list, size_t count, size_t size)
{
	return memory_need(list_try_grow(list, count, size));
}
