/* SPDX-License-Identifier: BSD-2-Clause */
/* Shellsort. Distances that halve would leave all the work of alternating values to the last. */
#include "sort.h"

void sort_u64(uint64_t *v, size_t count)
{
	for (size_t gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (size_t i = gap; i < count; i++)
			for (size_t j = i; j >= gap && v[j - gap] > v[j]; j -= gap) {
				uint64_t t = v[j];

				v[j] = v[j - gap];
				v[j - gap] = t;
			}
}
