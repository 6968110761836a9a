/* SPDX-License-Identifier: BSD-2-Clause */
/* What qsort() needs: how two things compare, and a list that may be empty. */
#pragma once

#include <stdlib.h>

/* Of numbers: below 0, 0 or above 0. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A function that compares by one member, rising: static ORDER_BY(by_cpu, struct core, cpu); */
#define ORDER_BY(name, type, member)                \
	int name(const void *a, const void *b)      \
	{                                           \
		const type *x = a, *y = b;          \
                                                    \
		return ORDER(x->member, y->member); \
	}

/* The same of plain numbers: static ORDER_NUMBERS(by_number, uint64_t); */
#define ORDER_NUMBERS(name, type)              \
	int name(const void *a, const void *b) \
	{                                      \
		const type *x = a, *y = b;     \
                                               \
		return ORDER(*x, *y);          \
	}

/* An empty list may be NULL, which qsort() may not be given. */
#define ORDER_SORT(list, count, by)                              \
	do {                                                     \
		if (count)                                       \
			qsort(list, count, sizeof(*(list)), by); \
	} while (0)
