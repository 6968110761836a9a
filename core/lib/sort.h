/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts some ten thousand numbers, in place. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void sort_u64(uint64_t *v, size_t count);
