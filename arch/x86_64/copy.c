/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies and fills memory with the processor's own instructions for it. */
#include "core/lib/mem.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t bytes)
{
	void *at = dst;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(src), "+c"(bytes) : : "memory");
	return dst;
}

void *memset(void *dst, int value, size_t bytes)
{
	void *at = dst;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
	return dst;
}
