/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

#include "exit.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

void memory_exhausted(void)
{
	errx(EXIT_ERROR, "out of memory");
}

void *memory_need(void *p)
{
	if (!p)
		memory_exhausted();
	return p;
}

void *memory_new(size_t count, size_t size)
{
	return memory_need(calloc(count ? count : 1, size));
}

void *memory_copy(const void *from, size_t count, size_t size)
{
	void *copy = memory_new(count, size);

	return count ? memcpy(copy, from, count * size) : copy;
}

void *memory_resize(void *p, size_t bytes)
{
	return memory_need(realloc(p, bytes));
}

char *memory_text(const char *text)
{
	return memory_need(strdup(text));
}

#define LIST_LEAST 4 /* a power of two */

void *memory_try_grow(void *list, size_t count, size_t size)
{
	if (count < LIST_LEAST ? count : count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : LIST_LEAST, size);
}

void *memory_grow(void *list, size_t count, size_t size)
{
	return memory_need(memory_try_grow(list, count, size));
}
