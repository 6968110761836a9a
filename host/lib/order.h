/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for qsort(): comparisons, and sorting of a list that may be empty. */
#pragma once

#include <stdlib.h>

/* Order of two numbers: below 0, 0 or above 0. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A function that compares by one member, rising: static ORDER_BY(by_cpu, struct core, cpu); */
#define ORDER_BY(name, type, member)                \
	int name(const void *a, const void *b)      \
	{                                           \
		const type *x = a, *y = b;          \
                                                    \
		return ORDER(x->member, y->member); \
	}

/* ORDER_BY() for plain numbers: static ORDER_NUMBERS(by_number, uint64_t); */
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
